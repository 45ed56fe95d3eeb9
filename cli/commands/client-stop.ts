import type { Client } from '../../adapters/management.ts';
import { clientWords } from '../../contract/management/field-words.ts';
import { wireNameOf } from '../../contract/management/fields.ts';
import { type PlainClientField, plainClientFields } from '../../contract/management/inputs.ts';
import type { ClaimCondition } from '../../core/client/claim-condition.ts';
import { findLongestToken } from '../../core/client/longest-token.ts';
import { describeRotation } from '../../core/client/rotation.ts';
import { formatDuration } from '../../core/duration.ts';
import { viewClient, viewClientSecret } from '../../core/management/client-view.ts';
import { formatTime } from '../../core/rfc3339.ts';
import type { Cli } from '../cli.ts';
import { type CommandSpec, command } from '../command-spec.ts';
import type { Cell } from '../table.ts';
import { clientIdArgument, fieldCell } from './field-options.ts';
import { ifVersionOption, recordCommands } from './record-commands.ts';

/** What happens to the tokens that a client has when it stops, or when they are revoked. */
async function describeOldTokens(cli: Cli, client: Client): Promise<string> {
  const { provider } = client;
  const { config } = cli.deployment();
  const refused = provider === undefined ? '' : `Old tokens of ${provider.issuer} are refused. `;
  if (provider !== undefined && !config.federatedClients) return refused.trim();
  const { maximum } = config.tokenLifetime;
  const most = await findLongestToken(cli.management, client, maximum, cli.now());
  return `${refused}Checks that look up clients refuse its old tokens; all others accept them until they expire, at most ${formatDuration(most)}: docs/platform-api.md.`;
}

const revokeTokens = command({
  name: 'revoke-tokens',
  summary: 'Revoke all tokens of a client that were issued before now',
  arguments: [clientIdArgument],
  options: [ifVersionOption('client')],
  examples: [
    'client revoke-tokens client_4fWqEXAMPLE',
    'client revoke-tokens client_4fWqEXAMPLE --yes --json',
  ],
  run: async (cli, [id], { ifVersion }) => {
    const client = await cli.management.findClient(id);
    await cli.confirm(
      `Revoke all tokens of ${client.clientId} (${client.name}) that were issued before now?`,
    );
    cli.output.note('This takes about four seconds.');
    const changed = await cli.management.revokeClientTokens(client.clientId, {
      ifVersion: ifVersion ?? client.version,
    });
    printClient(cli, changed);
    cli.output.note(`New tokens are accepted. ${await describeOldTokens(cli, changed)}`);
    if (changed.secrets.length > 0) cli.output.note('Its secrets still authenticate.');
  },
});

function formatConditions(conditions: readonly ClaimCondition[]) {
  if (conditions.length === 0) return [];
  const lines = conditions.map(({ claim, values }) => `${claim}: ${values.join(' or ')}`);
  return [['required claims', lines] as const];
}

/** How a rotation goes on, a line for each secret. */
function formatRotation({ secrets }: Client, now: number) {
  const steps = describeRotation(secrets, now);
  if (steps.length === 0) return [];
  const lines = steps.map(({ secretId, name, text }) => `${name ?? secretId} ${text}`);
  return [['rotation', lines] as const];
}

/** The last use of an assertion. A secret has a last use of its own: `client-secret list`. */
function formatUse(cli: Cli, { provider, lastUsedOn }: Client) {
  const isWorkload = provider !== undefined && cli.deployment().config.federatedClients;
  return isWorkload ? [['assertion last used', lastUsedOn ?? 'never'] as const] : [];
}

/** What was given and can be given again, a line for each. */
function plainLines(cli: Cli, client: Client) {
  // A provider's token has the lifetime that the provider sets, one of this service has this one.
  const isFederated = cli.deployment().config.federatedClients !== undefined;
  const shown = (name: PlainClientField): Cell =>
    name === 'tokenLifetime' && client.provider !== undefined && !isFederated
      ? 'its provider sets it'
      : fieldCell(clientWords[name], client[name]);
  const names = plainClientFields.filter((name) => client[name] !== undefined);
  return names.map((name) => [wireNameOf(name).replaceAll('_', ' '), shown(name)] as const);
}

function formatClient(cli: Cli, client: Client): string {
  const view = viewClient(client, cli.deployment().config);
  return cli.output.fields([
    ['client_id', client.clientId],
    ['name', client.name],
    ['service trunk group', client.serviceTrunkGroup],
    ['audience', view.audience as readonly string[]],
    ...plainLines(cli, client),
    ['scopes', client.scopes],
    ['provider', client.provider?.issuer ?? 'this service'],
    ...(client.provider === undefined
      ? []
      : [
          ['external client id', client.provider.externalClientId] as const,
          ...formatConditions(client.provider.conditions ?? []),
        ]),
    ['enabled', client.enabled],
    ...(client.tokensNotBefore === undefined
      ? []
      : [['tokens not before', formatTime(client.tokensNotBefore)] as const]),
    ['secrets', client.provider === undefined ? client.secrets.length : 'none, by its provider'],
    ...formatRotation(client, cli.now()),
    ...formatUse(cli, client),
    ['created', String(view.created_at)],
    ['updated', String(view.updated_at)],
  ]);
}

/** A client with its secrets, as JSON has it. */
export function viewWithSecrets(cli: Cli, client: Client): Readonly<Record<string, unknown>> {
  return {
    ...viewClient(client, cli.deployment().config),
    secrets: client.secrets.map((secret) => viewClientSecret(secret, cli.now())),
  };
}

/** Prints a client as the command line asks: fields, JSON or its id. */
export function printClient(cli: Cli, client: Client): void {
  cli.output.print({
    json: viewWithSecrets(cli, client),
    quiet: [client.clientId],
    text: formatClient(cli, client),
  });
}

const { show, change, remove } = recordCommands([clientIdArgument], 'client', {
  noun: 'client',
  example: 'client_4fWqEXAMPLE',
  find: (management, [id]) => management.findClient(id),
  print: printClient,
});

/** Commands by which a client or its tokens stop. */
export const stopCommands: readonly CommandSpec[] = [
  change(
    'disable',
    'Disable a client: it gets no more tokens',
    (management, [id], options) => management.setClientEnabled(id, false, options),
    describeOldTokens,
  ),
  change(
    'enable',
    'Enable a disabled client',
    (management, [id], options) => management.setClientEnabled(id, true, options),
    (_, { provider }) =>
      provider === undefined ? 'Its secrets authenticate again.' : 'Its tokens are accepted again.',
  ),
  revokeTokens,
  remove(
    'Delete a client with its secrets',
    ({ clientId, name, secrets }) =>
      `Delete the client ${clientId} (${name}) with its secrets (${secrets.length})?`,
    (management, [id], options) => management.deleteClient(id, options),
    {
      json: ([id]) => ({ client_id: id, deleted: true }),
      note: describeOldTokens,
      examples: ['client delete client_4fWqEXAMPLE --yes'],
    },
  ),
];

export const showClient = show('Show a client');
