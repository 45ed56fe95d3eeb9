import { randomBytes } from 'node:crypto';
import type { Client, Management } from '../../adapters/management.ts';
import { isJsonObject, type JsonObject, parseJsonFile } from '../../contract/json-object.ts';
import { clientFieldKind } from '../../contract/management/field-words.ts';
import { wireNameOf } from '../../contract/management/fields.ts';
import { importedClient } from '../../contract/management/inputs.ts';
import { ownValue } from '../../contract/own-value.ts';
import { isScopeToken, type ScopeDefinition, scopeName } from '../../contract/scopes.ts';
import { isDeclared } from '../../core/client/client.ts';
import { lastUse } from '../../core/client/secret-attention.ts';
import { formatId, idBytes, isId } from '../../core/credential/credential-value.ts';
import { ConflictError, InputError, RefusedError } from '../../core/errors.ts';
import { readBytes } from '../../core/read-bytes.ts';
import { isFirstVersion } from '../../core/record-version.ts';
import { expiryOrTyped } from '../../core/time.ts';
import { readTyped } from '../../core/typed-text.ts';
import { parseJsonObject } from '../../core/verifier/json-object.ts';
import type { Cli } from '../cli.ts';
import { command, option, repeatable } from '../command-spec.ts';
import { readGivenFile, UsageError } from '../usage-error.ts';
import { collectPages } from './list-options.ts';

/** What other providers print of their clients and scopes. */

export type Imported = Parameters<Management['importClient']>[0];

/** A client of the file. */
export interface ImportEntry {
  readonly client: Imported;
  /** Why the other provider gives the client no token. It must get none here. */
  readonly stopped: string | undefined;
  readonly file?: string | undefined;
}

const byteOrderMarks = new Map([
  [0xfffe, 'utf-16le'],
  [0xfeff, 'utf-16be'],
]);

/** PowerShell writes UTF-16, and UTF-8 with a byte order mark. */
function decodeText(bytes: Buffer): string {
  const mark = bytes.length < 2 ? 0 : bytes.readUInt16BE();
  try {
    return new TextDecoder(byteOrderMarks.get(mark), { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new UsageError('allowed: text in UTF-8 or UTF-16; nothing was sent', { cause });
  }
}

/** Objects of JSON, each from the start of a line. @throws {UsageError} if one is broken. */
function readObjects(bytes: Buffer): readonly JsonObject[] {
  let line = 1;
  return decodeText(bytes)
    .split(/\n(?=[^\s}])/)
    .map((part) => {
      const found = parseJsonObject(part);
      if (found === undefined) {
        // Without the text: it has a secret.
        const allowed = 'an object of JSON, each member once';
        throw new UsageError(`line ${line}: allowed: ${allowed}; nothing was sent`);
      }
      line += part.split('\n').length;
      return found;
    });
}

const secondsOf: Readonly<Record<string, number>> = { days: 86_400, hours: 3600, minutes: 60 };

/** What `aws cognito-idp describe-user-pool-client` prints. */
function fromCognito(client: JsonObject): JsonObject {
  const { AccessTokenValidity: validity, TokenValidityUnits: units } = client;
  // Cognito prints only the units that were set.
  const { AccessToken: unit = 'hours' } = isJsonObject(units) ? units : {};
  return {
    client_id: client['ClientId'],
    secret: client['ClientSecret'],
    name: client['ClientName'],
    scopes: client['AllowedOAuthScopes'],
    token_lifetime: validity && Number(validity) * (ownValue(secondsOf, unit) ?? 1),
  };
}

/** Whether a list of grants has the one of clients. */
function hasClientGrant(grants: unknown): boolean {
  return Array.isArray(grants) && grants.includes('client_credentials');
}

/**
 * Why a client gets no token at its provider, by the members that say so. Cognito shows the flows
 * also of a client whose OAuth is off.
 */
const stops = {
  AllowedOAuthFlows: (flows) => !hasClientGrant(flows),
  AllowedOAuthFlowsUserPoolClient: (value) => value !== true,
  ClientSecret: (value) => value === undefined,
  grant_types: (grants = ['client_credentials']) => !hasClientGrant(grants),
  enabled: (value = true) => value !== true,
  secret: (value) => value === undefined,
} satisfies Record<string, (value: unknown) => boolean>;

function findStop(members: JsonObject, names: readonly (keyof typeof stops)[]): string | undefined {
  const name = names.find((one) => stops[one](members[one]));
  if (name === undefined) return undefined;
  const { [name]: value } = members;
  return `no token there: ${name} is ${value === undefined ? 'absent' : JSON.stringify(value)}`;
}

const fieldOf = new Map(importedClient.fields.map((name) => [wireNameOf(name), name]));

function readClient(entry: JsonObject, trunkGroup: string | undefined): ImportEntry {
  const { UserPoolClient: client, enabled, grant_types, expires_at: end, ...others } = entry;
  const ofCognito = isJsonObject(client);
  const members = {
    service_trunk_group: trunkGroup,
    ...(ofCognito && fromCognito(client)),
    // RFC 7591 §3.2.1: 0 is never.
    ...(end !== 0 && { expires_at: typeof end === 'string' ? expiryOrTyped(end) : end }),
    ...others,
  };
  const stopped =
    (ofCognito &&
      findStop(client, ['AllowedOAuthFlows', 'AllowedOAuthFlowsUserPoolClient', 'ClientSecret'])) ||
    findStop({ enabled, grant_types, ...members }, ['enabled', 'grant_types', 'secret']);
  const fields = Object.entries(members).map(([wireName, value]) => {
    const name = fieldOf.get(wireName) ?? wireName;
    return [name, typeof value === 'string' ? readTyped(clientFieldKind(name), value) : value];
  });
  return { client: Object.fromEntries(fields) as Imported, stopped };
}

/** @param trunkGroup of clients that name none. @throws {UsageError} if a line is broken. */
export function readClients(bytes: Buffer, trunkGroup: string | undefined): readonly ImportEntry[] {
  return readObjects(bytes).map((entry) => readClient(entry, trunkGroup));
}

/** The most of both halves of a scope, which are labels of one with a `value`. */
const maxPartLength = 32;

/** A half of a scope from a name: its end, as the beginnings of addresses are alike. */
function toScopePart(name: string): string {
  const allowed = name
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replaceAll(/[^a-z0-9_.-]+/g, '-');
  return allowed.slice(-maxPartLength).replace(/^[^a-z]+/, '') || 'api';
}

function readScopes({ ResourceServer: server }: JsonObject): readonly ScopeDefinition[] {
  const { Identifier: identifier, Scopes: scopes = [] } = isJsonObject(server) ? server : {};
  if (typeof identifier !== 'string' || !Array.isArray(scopes)) {
    throw new UsageError('allowed: what `aws cognito-idp describe-resource-server` prints');
  }
  return scopes
    .filter(isJsonObject)
    .map(({ ScopeName: name, ScopeDescription: description }) => ({
      service: toScopePart(identifier),
      permission: toScopePart(String(name)),
      description: String(description || name).slice(0, 200),
      value: `${identifier}/${String(name)}`,
    }));
}

/**
 * The config's `scopes` for what `aws cognito-idp describe-resource-server` prints, and what is wrong
 * with them.
 *
 * @param catalogue the present one, which the others are added to.
 * @throws {UsageError} if the file has something else.
 */
export function readCatalogue(bytes: Buffer, catalogue: readonly ScopeDefinition[]) {
  const found = readObjects(bytes).flatMap(readScopes);
  const present = new Set(catalogue.map(scopeName));
  const byName = Map.groupBy(found, scopeName);
  const problems = [...byName].flatMap(([name, same]) => [
    ...(same.length > 1
      ? [`${name}: ${same.length} resource servers have it; here it is one`]
      : []),
    ...(present.has(name) ? [`${name}: the config has it`] : []),
    ...(isScopeToken(name) ? [] : [`${name}: it cannot be a scope here (RFC 6749 §3.3)`]),
  ]);
  const scopes = [...byName]
    .filter(([name]) => !present.has(name) && isScopeToken(name))
    .flatMap(([, [scope]]) => scope ?? []);
  return { scopes, problems };
}

/** @throws {RefusedError} if another client has its secret: who has one's opens the other. */
function checkOwnSecrets(
  { client, file }: ImportEntry,
  bySecret: ReadonlyMap<string, readonly ImportEntry[]>,
): void {
  const same = secretsOf(client).flatMap((one) => bySecret.get(one) ?? []);
  const other = same.find((one) => one.client.clientId !== client.clientId);
  if (other === undefined) return;
  const where = other.file === file ? '' : ` of ${other.file}`;
  const [own, theirs] = [client, other.client].map(({ clientId }) => JSON.stringify(clientId));
  throw new RefusedError(`${own} and ${theirs}${where} have the same secret`);
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
  const isChanged = !isFirstVersion(client.version) || client.updatedAt !== client.createdAt;
  return isChanged || lastUse(client) !== undefined;
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
  const chosen = made.filter((one) => !isDeclared(one) && (withUsed || !isTouched(one))).length;
  const others = withUsed ? '' : ', and stay (--with-used deletes them too)';
  await cli.confirm(
    `Delete ${chosen} of the ${made.length} clients that ${importId} made? ${touched} were used or changed since${others}.`,
  );
  const done: Done[] = [];
  try {
    for (const { clientId } of made) {
      try {
        const client = await management.findClient(clientId);
        if (client.importId !== importId) throw new RefusedError('another import made it again');
        const stays = !withUsed && isTouched(client);
        if (!stays) await management.deleteClient(clientId, { ifVersion: client.version });
        done.push({ client_id: clientId, outcome: stays ? 'used or changed since' : 'deleted' });
      } catch (error) {
        // What a stack declares, or what others changed or deleted meanwhile.
        if (!(error instanceof RefusedError || error instanceof ConflictError)) throw error;
        cli.answerNo();
        done.push({ client_id: clientId, outcome: 'not deleted', problem: error.message });
      }
    }
  } finally {
    printDone(cli, done);
  }
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
    row: ({ client_id, outcome, problem }) => ({ 'client id': client_id, outcome, problem }),
    none: 'No client was sent.',
  });
}

async function importEach(cli: Cli, entries: readonly ImportEntry[], checkOnly: boolean) {
  const importId = formatId('import', randomBytes(idBytes));
  const bySecret = new Map<string, ImportEntry[]>();
  for (const entry of entries) {
    for (const one of secretsOf(entry.client)) {
      bySecret.set(one, [...(bySecret.get(one) ?? []), entry]);
    }
  }
  const done: Done[] = [];
  try {
    for (const entry of entries) {
      const { client, stopped } = entry;
      const { clientId: client_id } = client;
      try {
        if (stopped !== undefined) throw new RefusedError(stopped);
        checkOwnSecrets(entry, bySecret);
        const input = { ...client, importId, checkOnly };
        const { existed, client: made } = await cli.management.importClient(input);
        if (existed) done.push({ client_id, outcome: 'imported before' });
        else if (checkOnly) done.push({ client_id, outcome: 'can be imported' });
        else if (made.importId !== importId) done.push({ client_id, outcome: 'secret added' });
        else done.push({ client_id, outcome: 'imported', import_id: importId });
      } catch (error) {
        if (!(error instanceof RefusedError || error instanceof InputError)) {
          // It may exist: the answer can be lost.
          if (!checkOnly) done.push({ client_id, outcome: 'not known', import_id: importId });
          throw error;
        }
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
    repeatable(
      '--from <file>',
      'objects of JSON, as docs/migrate.md has them; may be repeated; stdin if left out',
    ),
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
    const entries: ImportEntry[] = [];
    for (const file of from ?? [undefined]) {
      const read = readClients(await readInput(cli, file), trunkGroup);
      entries.push(...read.map((entry) => ({ ...entry, file })));
    }
    return importEach(cli, entries, check === true);
  },
});
