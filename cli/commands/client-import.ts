import type { Management } from '../../adapters/management.ts';
import { isJsonObject, type JsonObject } from '../../contract/json-object.ts';
import { wireNameOf } from '../../contract/management/fields.ts';
import { importedClient } from '../../contract/management/inputs.ts';
import { ownValue } from '../../contract/own-value.ts';
import { InputError, RefusedError } from '../../core/errors.ts';
import { isFirstVersion } from '../../core/record-version.ts';
import { parseJsonObject } from '../../core/verifier/json-object.ts';
import type { Cli } from '../cli.ts';
import { readStdin } from '../cli-io.ts';
import { command, option } from '../command-spec.ts';
import { readGivenFile, UsageError } from '../usage-error.ts';

type Imported = Parameters<Management['importClient']>[0];

const secondsOf: Readonly<Record<string, number>> = { days: 86_400, hours: 3600, minutes: 60 };

/** What `aws cognito-idp describe-user-pool-client` prints. */
function fromCognito(client: JsonObject): JsonObject {
  const { AccessTokenValidity: validity, TokenValidityUnits: units } = client;
  // Cognito prints only the units that were set.
  const { AccessToken: unit = 'hours' } = isJsonObject(units) ? units : {};
  return {
    former_id: client['ClientId'],
    // The secret of a client for people must not become one for a machine.
    secret: String(client['AllowedOAuthFlows']).includes('client_credentials')
      ? client['ClientSecret']
      : undefined,
    name: client['ClientName'],
    scopes: client['AllowedOAuthScopes'],
    token_lifetime: validity && Number(validity) * (ownValue(secondsOf, String(unit)) ?? 1),
  };
}

const fieldOf = new Map(importedClient.fields.map((name) => [wireNameOf(name), name]));

/** Objects of JSON, each from the start of a line. @throws {UsageError} if one is broken. */
function readEntries(text: string, trunkGroup: string | undefined): readonly Imported[] {
  let line = 1;
  return text.split(/\n(?=[^\s}])/).map((part) => {
    const entry = parseJsonObject(part);
    if (entry === undefined) {
      // Without the text: it has a secret.
      const allowed = 'an object of JSON, each member once';
      throw new UsageError(`line ${line}: allowed: ${allowed}; nothing was sent`);
    }
    const { UserPoolClient: client, ...others } = entry;
    line += part.split('\n').length;
    const ofCognito = isJsonObject(client) ? fromCognito(client) : {};
    const members = { service_trunk_group: trunkGroup, ...ofCognito, ...others };
    const fields = Object.entries(members).map(([name, value]) => [
      fieldOf.get(name) ?? name,
      value,
    ]);
    return Object.fromEntries(fields) as Imported;
  });
}

/** @throws {RefusedError} if another client has its secret: who has one's opens the other. */
function checkOwnSecret({ formerId, secret }: Imported, same: readonly Imported[]): void {
  const other = same.find((one) => one.formerId !== formerId);
  if (typeof secret !== 'string' || other === undefined) return;
  throw new RefusedError(
    `${[formerId, other.formerId].map((id) => JSON.stringify(id)).join(' and ')} have the same secret`,
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

export const importClients = command({
  name: 'import',
  summary: 'Create clients with their ids and secrets of another provider',
  options: [
    option('--from <file>', 'objects of JSON, as docs/migrate.md has them; stdin if left out'),
    option('--trunk-group <group>', 'service trunk group of those that name none'),
    option('--check', 'only show what would be refused'),
    option('--undo <file>', 'delete what an import of this file made').conflicts(['from', 'check']),
  ],
  examples: [
    'client import --from cognito.json --trunk-group tg-1001 --check',
    'client import --undo cognito.json --trunk-group tg-1001 --yes',
  ],
  run: async (cli, _, { from, undo, check, trunkGroup }) => {
    const file = undo ?? from;
    const text =
      file === undefined
        ? await readStdin(cli.io, Infinity)
        : readGivenFile(file, (code) => `${file} cannot be read: ${code}`).toString();
    const clients = readEntries(text ?? '', trunkGroup);
    if (undo !== undefined) await cli.confirm(`Delete what an import of ${undo} made?`);
    const bySecret = Map.groupBy(clients, ({ secret }) => secret);
    const done: { former_id: string; outcome: string; problem?: string }[] = [];
    try {
      for (const client of clients) {
        const { formerId: former_id, secret } = client;
        const checkOnly = check === true || undo !== undefined;
        try {
          if (undo === undefined) checkOwnSecret(client, bySecret.get(secret) ?? []);
          const outcome = await decide(cli, { ...client, checkOnly }, undo !== undefined);
          done.push({ former_id, outcome });
        } catch (error) {
          if (!(error instanceof RefusedError || error instanceof InputError)) throw error;
          cli.answerNo();
          done.push({ former_id, outcome: 'refused', problem: error.message });
        }
      }
    } finally {
      // If management stops midway, this is what an undo takes back.
      cli.output.printList(done, {
        view: (one) => one,
        id: ({ former_id }) => former_id,
        columns: {
          'client id of before': ({ former_id }) => former_id,
          outcome: ({ outcome }) => outcome,
          problem: ({ problem }) => problem,
        },
        none: 'No client was sent.',
      });
    }
  },
});
