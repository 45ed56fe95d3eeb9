import type { Client } from '../../adapters/management.ts';
import type { ClaimCondition } from '../../core/client/claim-condition.ts';
import { describeRotation } from '../../core/client/rotation.ts';
import { formatDuration } from '../../core/duration.ts';
import { viewClient, viewClientSecret } from '../../core/management/client-view.ts';
import { formatTime } from '../../core/rfc3339.ts';
import type { Cli } from '../cli.ts';

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
