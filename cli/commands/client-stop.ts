import type { Client } from '../../adapters/management.ts';
import type { ClaimCondition } from '../../core/client/claim-condition.ts';
import { findLongestToken } from '../../core/client/longest-token.ts';
import { describeRotation } from '../../core/client/rotation.ts';
import { formatDuration } from '../../core/duration.ts';
import { viewClient, viewClientSecret } from '../../core/management/client-view.ts';
import { formatTime } from '../../core/rfc3339.ts';
import type { Cli } from '../cli.ts';
import { type CommandSpec, command } from '../command-spec.ts';
import { ifVersionOption } from '../if-version-option.ts';
import { clientIdArgument } from './client-options.ts';

/** What happens to the tokens that a client has when it stops, or when they are revoked. */
async function describeOldTokens(cli: Cli, client: Client): Promise<string> {
  const { provider } = client;
  if (provider !== undefined) return `Old tokens of ${provider.issuer} are refused.`;
  const { maximum } = cli.deployment().config.tokenLifetime;
  const most = await findLongestToken(await cli.management(), client, maximum, cli.now());
  return `Checks that look up clients refuse its old tokens; all others accept them until they expire, at most ${formatDuration(most)}: docs/platform-api.md.`;
}

function defineSwitch(
  name: 'enable' | 'disable',
  summary: string,
  describe: (cli: Cli, client: Client) => string | Promise<string>,
): CommandSpec {
  return command({
    name,
    summary,
    arguments: [clientIdArgument],
    options: [ifVersionOption('client')],
    examples: [`client ${name} client_4fWqEXAMPLE`],
    run: async (cli, [id], { ifVersion }) => {
      const management = await cli.management();
      const client = await management.setClientEnabled(id, name === 'enable', { ifVersion });
      printClient(cli, client);
      cli.output.note(await describe(cli, client));
    },
  });
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
    const management = await cli.management();
    const client = await management.findClient(id);
    await cli.confirm(
      `Revoke all tokens of ${client.clientId} (${client.name}) that were issued before now?`,
    );
    cli.output.note('This takes about four seconds.');
    const changed = await management.revokeClientTokens(client.clientId, {
      ifVersion: ifVersion ?? client.version,
    });
    printClient(cli, changed);
    cli.output.note(`New tokens are accepted. ${await describeOldTokens(cli, changed)}`);
    if (changed.secrets.length > 0) cli.output.note('Its secrets still authenticate.');
  },
});

const remove = command({
  name: 'delete',
  summary: 'Delete a client with its secrets',
  arguments: [clientIdArgument],
  options: [ifVersionOption('client')],
  examples: ['client delete client_4fWqEXAMPLE', 'client delete client_4fWqEXAMPLE --yes'],
  run: async (cli, [id], { ifVersion }) => {
    const management = await cli.management();
    const client = await management.findClient(id);
    const oldTokens = await describeOldTokens(cli, client);
    await cli.confirm(
      `Delete the client ${client.clientId} (${client.name}) with its secrets (${client.secrets.length})?`,
    );
    await management.deleteClient(client.clientId, { ifVersion: ifVersion ?? client.version });
    cli.output.print({
      json: { client_id: client.clientId, deleted: true },
      quiet: [],
      text: `Deleted ${client.clientId}.`,
    });
    cli.output.note(oldTokens);
  },
});

/** Commands by which a client or its tokens stop. */
export const stopCommands: readonly CommandSpec[] = [
  defineSwitch('disable', 'Disable a client: it gets no more tokens', describeOldTokens),
  defineSwitch('enable', 'Enable a disabled client', (_, { provider }) =>
    provider === undefined ? 'Its secrets authenticate again.' : 'Its tokens are accepted again.',
  ),
  revokeTokens,
  remove,
];

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

function formatClient(cli: Cli, client: Client): string {
  const view = viewClient(client, cli.deployment().config);
  return cli.output.fields([
    ['client_id', client.clientId],
    ['name', client.name],
    ['service trunk group', client.serviceTrunkGroup],
    ['audience', view.audience as readonly string[]],
    [
      'token lifetime',
      client.provider === undefined ? formatDuration(client.tokenLifetime) : 'its provider sets it',
    ],
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
    ['created', String(view.created_at)],
    ['updated', String(view.updated_at)],
  ]);
}

/** Prints a client as the command line asks: fields, JSON or its id. */
export function printClient(cli: Cli, client: Client): void {
  const now = cli.now();
  cli.output.print({
    json: {
      ...viewClient(client, cli.deployment().config),
      secrets: client.secrets.map((secret) => viewClientSecret(secret, now)),
    },
    quiet: [client.clientId],
    text: formatClient(cli, client),
  });
}
