import { randomBytes } from 'node:crypto';
import type { Client } from '../../adapters/management.ts';
import { parseJsonFile } from '../../contract/json-object.ts';
import { scopeName } from '../../contract/scopes.ts';
import { lastUse } from '../../core/client/secret-attention.ts';
import { formatId, idBytes, isId } from '../../core/credential/credential-value.ts';
import { InputError, RefusedError } from '../../core/errors.ts';
import { readBytes } from '../../core/read-bytes.ts';
import { isFirstVersion } from '../../core/record-version.ts';
import type { Cli } from '../cli.ts';
import { command, option } from '../command-spec.ts';
import { readGivenFile, UsageError } from '../usage-error.ts';
import { type ImportEntry, type Imported, readCatalogue, readClients } from './import-file.ts';
import { collectPages } from './list-options.ts';

/** @throws {RefusedError} if another client has its secret: who has one's opens the other. */
function checkOwnSecrets(client: Imported, idsBySecret: ReadonlyMap<string, Set<string>>): void {
  const ids = secretsOf(client).map((one) => [...(idsBySecret.get(one) ?? [])]);
  const other = ids.flat().find((id) => id !== client.clientId);
  if (other === undefined) return;
  throw new RefusedError(
    `${[client.clientId, other].map((id) => JSON.stringify(id)).join(' and ')} have the same secret`,
  );
}

function secretsOf({ secret, secondSecret }: Imported): readonly string[] {
  return [secret, secondSecret].filter((one) => typeof one === 'string');
}

function readResults(bytes: Uint8Array): readonly Done[] {
  try {
    const { items } = parseJsonFile(bytes) as { readonly items?: readonly Done[] };
    return items ?? [];
  } catch {
    return [];
  }
}

/** The import that a file of results is of: what `--json` printed. */
function readImportId(bytes: Uint8Array, file: string): string {
  const ids = new Set(readResults(bytes).flatMap((one) => one.import_id ?? []));
  const [id] = ids;
  if (id !== undefined && ids.size === 1) return id;
  throw new UsageError(
    `${file} names ${ids.size} imports; allowed: the id of an import (import_…), or the file to which --json wrote its results`,
  );
}

/** Whether someone got a token with it, or changed it, since its import. */
function isTouched(client: Client): boolean {
  return lastUse(client) !== undefined || !isFirstVersion(client.version);
}

/** Deletes what an import made: what was used or changed since only with `withUsed`. */
async function undoImport(cli: Cli, idOrFile: string, withUsed: boolean): Promise<void> {
  const { management, output } = cli;
  const importId = isId('import', idOrFile)
    ? idOrFile
    : readImportId(await readInput(cli, idOrFile), idOrFile);
  const made = await collectPages(
    output,
    (cursor) => management.listClients({ importId, cursor }),
    ({ clientId }) => clientId,
  );
  const touched = made.filter(isTouched).length;
  const chosen = withUsed ? made.length : made.length - touched;
  const others = withUsed ? '' : ', and stay (--with-used deletes them too)';
  await cli.confirm(
    `Delete ${chosen} of the ${made.length} clients that ${importId} made? ${touched} were used or changed since${others}.`,
  );
  const done: Done[] = [];
  for (const { clientId } of made) {
    const client = await management.findClient(clientId);
    const stays = !withUsed && isTouched(client);
    if (!stays) await management.deleteClient(clientId, { ifVersion: client.version });
    done.push({ client_id: clientId, outcome: stays ? 'used or changed since' : 'deleted' });
  }
  printDone(cli, done);
}

async function readInput({ io }: Cli, file: string | undefined): Promise<Buffer> {
  if (file !== undefined) return readGivenFile(file, (code) => `${file} cannot be read: ${code}`);
  return (await readBytes(io.stdin, Infinity)) ?? Buffer.alloc(0);
}

/** Prints the scopes of a catalogue for the config, and says what is wrong with others. */
async function printCatalogue(cli: Cli, file: string): Promise<void> {
  const { config } = cli.deployment();
  const { scopes, problems } = readCatalogue(await readInput(cli, file), config.scopes);
  cli.output.print({
    json: { scopes },
    quiet: scopes.map(scopeName),
    text: JSON.stringify({ scopes }, undefined, 2),
  });
  if (problems.length > 0) cli.answerNo();
  problems.forEach((problem) => cli.output.warn(problem));
}

interface Done {
  readonly client_id: string;
  readonly outcome: string;
  readonly import_id?: string | undefined;
  readonly problem?: string;
}

function printDone({ output }: Cli, done: readonly Done[]): void {
  output.printList(done, {
    view: (one) => ({ ...one }),
    id: ({ client_id }) => client_id,
    columns: {
      'client id': ({ client_id }) => client_id,
      outcome: ({ outcome }) => outcome,
      problem: ({ problem }) => problem,
    },
    none: 'No client was sent.',
  });
}

async function importEach(cli: Cli, entries: readonly ImportEntry[], checkOnly: boolean) {
  const importId = formatId('import', randomBytes(idBytes));
  const idsBySecret = new Map<string, Set<string>>();
  for (const { client } of entries) {
    for (const one of secretsOf(client)) {
      idsBySecret.set(one, (idsBySecret.get(one) ?? new Set()).add(client.clientId));
    }
  }
  const done: Done[] = [];
  try {
    for (const { client, stopped } of entries) {
      const { clientId: client_id } = client;
      try {
        if (stopped !== undefined) throw new RefusedError(stopped);
        checkOwnSecrets(client, idsBySecret);
        const input = { ...client, importId, checkOnly };
        const { existed } = await cli.management.importClient(input);
        if (existed) done.push({ client_id, outcome: 'imported before' });
        else if (checkOnly) done.push({ client_id, outcome: 'can be imported' });
        else done.push({ client_id, outcome: 'imported', import_id: importId });
      } catch (error) {
        if (!(error instanceof RefusedError || error instanceof InputError)) throw error;
        cli.answerNo();
        done.push({ client_id, outcome: 'refused', problem: error.message });
      }
    }
  } finally {
    // If management stops midway, this is what an undo takes back.
    printDone(cli, done);
    if (done.some((one) => one.import_id !== undefined)) {
      cli.suggest(`client import --undo ${importId}`);
    }
  }
}

export const importClients = command({
  name: 'import',
  summary: 'Create clients with their ids and secrets of another provider',
  options: [
    option('--from <file>', 'objects of JSON, as docs/migrate.md has them; stdin if left out'),
    option('--trunk-group <group>', 'service trunk group of those that name none'),
    option('--check', 'only show what would be refused'),
    option(
      '--undo <import>',
      'delete what this import made: its id, or the file of its --json output',
    ).conflicts(['from', 'check', 'trunkGroup']),
    option('--with-used', 'with --undo, also what was used or changed since'),
    option('--catalogue <file>', 'print the scopes of resource servers for the config, and stop'),
  ],
  examples: [
    'client import --from cognito.json --trunk-group tg-1001 --check',
    'client import --undo import_07k9EXAMPLE --yes',
    'client import --catalogue resource-servers.json',
  ],
  run: async (cli, _, { from, undo, withUsed, check, trunkGroup, catalogue }) => {
    if (catalogue !== undefined) return printCatalogue(cli, catalogue);
    if (undo !== undefined) return undoImport(cli, undo, withUsed === true);
    const entries = readClients(await readInput(cli, from), trunkGroup);
    return importEach(cli, entries, check === true);
  },
});
