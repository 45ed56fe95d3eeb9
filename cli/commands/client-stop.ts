import type { Client } from '../../adapters/management.ts';
import type { DeploymentConfig } from '../../contract/deployment-config.ts';
import { clientWords } from '../../contract/management/field-words.ts';
import { wireNameOf } from '../../contract/management/fields.ts';
import { type PlainClientField, plainClientFields } from '../../contract/management/inputs.ts';
import { findLongestToken } from '../../core/client/longest-token.ts';
import { describeRotation } from '../../core/client/rotation.ts';
import { formatDuration } from '../../core/duration.ts';
import { viewClient, viewClientSecret } from '../../core/management/client-view.ts';
import { formatTime } from '../../core/rfc3339.ts';
import type { Cli } from '../cli.ts';
import { type CommandSpec, command } from '../command-spec.ts';
import type { Cell, Field } from '../table.ts';
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

/** What was given and can be given again, a line for each. */
function plainLines({ federatedClients }: DeploymentConfig, client: Client): readonly Field[] {
  // A provider's token has the lifetime that the provider sets, one of this service has this one.
  const shown = (name: PlainClientField): Cell =>
    name === 'tokenLifetime' && client.provider !== undefined && federatedClients === undefined
      ? 'its provider sets it'
      : fieldCell(clientWords[name], client[name]);
  const names = plainClientFields.filter((name) => client[name] !== undefined);
  return names.map((name) => [wireNameOf(name).replaceAll('_', ' '), shown(name)] as const);
}

function formatClient(cli: Cli, client: Client): string {
  const { config } = cli.deployment();
  const { provider, tokensNotBefore } = client;
  const conditions = provider?.conditions ?? [];
  const rotation = describeRotation(client.secrets, cli.now());
  const view = viewClient(client, config);
  return cli.output.fields([
    ['client_id', client.clientId],
    ['name', client.name],
    ['service trunk group', client.serviceTrunkGroup],
    ['audience', view.audience as readonly string[]],
    ...plainLines(config, client),
    ['scopes', client.scopes],
    ['provider', provider?.issuer ?? 'this service'],
    provider && ['external client id', provider.externalClientId],
    conditions.length > 0 && [
      'required claims',
      conditions.map(({ claim, values }) => `${claim}: ${values.join(' or ')}`),
    ],
    ['enabled', client.enabled],
    tokensNotBefore !== undefined && ['tokens not before', formatTime(tokensNotBefore)],
    ['secrets', provider === undefined ? client.secrets.length : 'none, by its provider'],
    rotation.length > 0 && [
      'rotation',
      rotation.map(({ secretId, name, text }) => `${name ?? secretId} ${text}`),
    ],
    // Of an assertion. A secret has a last use of its own: `client-secret list`.
    provider && config.federatedClients && ['assertion last used', client.lastUsedOn ?? 'never'],
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
