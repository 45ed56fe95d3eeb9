import { scopeName } from '../../contract/scopes.ts';
import { InputError, RefusedError } from '../../core/errors.ts';
import { readBytes } from '../../core/read-bytes.ts';
import { isFirstVersion } from '../../core/record-version.ts';
import type { Cli } from '../cli.ts';
import { command, option } from '../command-spec.ts';
import { readGivenFile } from '../usage-error.ts';
import { type ImportEntry, type Imported, readCatalogue, readClients } from './import-file.ts';

/** @throws {RefusedError} if another client has its secret: who has one's opens the other. */
function checkOwnSecret({ clientId, secret }: Imported, same: readonly ImportEntry[]): void {
  const other = same.find(({ client }) => client.clientId !== clientId)?.client;
  if (typeof secret !== 'string' || other === undefined) return;
  throw new RefusedError(
    `${[clientId, other.clientId].map((id) => JSON.stringify(id)).join(' and ')} have the same secret`,
  );
}

/** What becomes of a client. @param isUndo whether what an import with its secret made is deleted. */
async function decide({ management }: Cli, client: Imported, isUndo: boolean): Promise<string> {
  const { client: found, existed } = await management.importClient(client);
  if (isUndo && !existed) return 'not there';
  if (!isUndo && existed) return 'imported before';
  if (!isUndo) return client.checkOnly ? 'can be imported' : 'imported';
  if (!isFirstVersion(found.version)) throw new RefusedError('it was changed since its import');
  await management.deleteClient(found.clientId, { ifVersion: found.version });
  return 'deleted';
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

export const importClients = command({
  name: 'import',
  summary: 'Create clients with their ids and secrets of another provider',
  options: [
    option('--from <file>', 'objects of JSON, as docs/migrate.md has them; stdin if left out'),
    option('--trunk-group <group>', 'service trunk group of those that name none'),
    option('--check', 'only show what would be refused'),
    option('--undo <file>', 'delete what an import of this file made').conflicts(['from', 'check']),
    option('--catalogue <file>', 'print the scopes of resource servers for the config, and stop'),
  ],
  examples: [
    'client import --from cognito.json --trunk-group tg-1001 --check',
    'client import --undo cognito.json --trunk-group tg-1001 --yes',
    'client import --catalogue resource-servers.json',
  ],
  run: async (cli, _, { from, undo, check, trunkGroup, catalogue }) => {
    if (catalogue !== undefined) return printCatalogue(cli, catalogue);
    const entries = readClients(await readInput(cli, undo ?? from), trunkGroup);
    if (undo !== undefined) await cli.confirm(`Delete what an import of ${undo} made?`);
    const bySecret = Map.groupBy(entries, ({ client }) => client.secret);
    const done: { client_id: string; outcome: string; problem?: string }[] = [];
    try {
      for (const { client, stopped } of entries) {
        const { clientId: client_id, secret } = client;
        const checkOnly = check === true || undo !== undefined;
        try {
          if (stopped !== undefined) throw new RefusedError(stopped);
          if (undo === undefined) checkOwnSecret(client, bySecret.get(secret) ?? []);
          const outcome = await decide(cli, { ...client, checkOnly }, undo !== undefined);
          done.push({ client_id, outcome });
        } catch (error) {
          if (!(error instanceof RefusedError || error instanceof InputError)) throw error;
          cli.answerNo();
          done.push({ client_id, outcome: 'refused', problem: error.message });
        }
      }
    } finally {
      // If management stops midway, this is what an undo takes back.
      cli.output.printList(done, {
        view: (one) => one,
        id: ({ client_id }) => client_id,
        columns: {
          'client id': ({ client_id }) => client_id,
          outcome: ({ outcome }) => outcome,
          problem: ({ problem }) => problem,
        },
        none: 'No client was sent.',
      });
    }
  },
});
