import type { ManagementConfig } from '../../contract/management/management-config.ts';
import { saying } from '../../contract/parse-problem.ts';
import { type Client, describeDeclaration } from '../client/client.ts';
import { effectiveAudiences, viewClient } from '../management/client-view.ts';
import { type LaterOf, narrow } from '../narrowing/narrow.ts';
import { clientTable } from '../narrowing/tables.ts';
import { withStop } from '../stops.ts';
import { type ClientView, clientView, nextVersion, readHistory } from './audit-views.ts';
import {
  type AuditedChange,
  describeReplay,
  type Replayed,
  type ReplayOptions,
  selectOwnChanges,
} from './replay.ts';
import { replaySecrets } from './replay-secrets.ts';

interface ClientReplay extends ReplayOptions {
  readonly config: ManagementConfig;
}

/** An empty list is the default audience. If none is left, what it had at last is what it may get. */
function narrowAudiences(
  { audiences }: Client,
  left: readonly string[],
  views: readonly ClientView[],
): readonly string[] {
  if (left.length === 0) return views.at(-1)?.audience ?? audiences;
  return audiences.length === 0 ? [] : left;
}

type LaterClient = LaterOf<Client, typeof clientTable, 'secrets'>;

function laterClient({ provider }: Client, view: ClientView): LaterClient {
  return {
    ...view.plain,
    name: view.name,
    audiences: view.audience,
    scopes: view.scope,
    stops: view.stops,
    provider: provider && { ...provider, conditions: view.required_claims },
    tokensNotBefore: view.tokens_not_before,
  };
}

/** A stack owns a client if it did at the restore point, and still did at last. */
function narrowDeclared({ declared }: Client, bounds: readonly ClientView[]): Client['declared'] {
  if (declared === undefined) return undefined;
  const owner = describeDeclaration(declared);
  if (bounds.some((bound) => bound.declared_by !== owner)) return undefined;
  const [undeclaredAt = declared.undeclaredAt] = bounds.flatMap((one) => one.undeclared_at ?? []);
  const [takenOverAt = declared.takenOverAt] = bounds.flatMap((one) => one.taken_over_at ?? []);
  return { ...declared, undeclaredAt, takenOverAt };
}

function narrowClient(
  client: Client,
  { last, bounds, since, lastLife }: ReturnType<typeof readHistory<typeof clientView>>,
  { endedInLastLife }: ReturnType<typeof replaySecrets>,
  { config, stop }: ClientReplay,
): { readonly client: Client; readonly lookAt: readonly string[] } {
  const views = since.map(({ view }) => view);
  const shown = { ...client, audiences: effectiveAudiences(client, config) };
  const { item, empty } = narrow<Client>(clientTable, shown, {
    ever: views.map((view) => laterClient(client, view)),
    last: [...bounds.map((view) => laterClient(client, view)), ...lastLife.stops],
    labels: last && laterClient(client, last),
  });
  const hasNoToken = empty.has('provider');
  const audiences = empty.has('audiences') ? [] : item.audiences;
  const isEmpty = views.length > 0 && (item.scopes.length === 0 || audiences.length === 0);
  const lookAt = saying(
    isEmpty && 'disabled, as no scope or no audience of before is one that it had ever since',
    hasNoToken && 'disabled, as no token has the claims that it required before and at last',
    endedInLastLife &&
      'disabled, as a later client with its id had a secret or key stopped, deleted or given an end',
  );
  return {
    client: {
      ...item,
      audiences: narrowAudiences(client, audiences, views),
      declared: narrowDeclared(client, bounds),
      stops: lookAt.length > 0 ? withStop(item.stops, 'person', stop) : item.stops,
    },
    lookAt,
  };
}

/**
 * Reduces a client that was stored before the given changes. It may do nothing that its last state
 * did not allow, and nothing that its stored state did not allow.
 *
 * @param changes of all regions, made since a time before the client was stored.
 * @throws {DroppedItem} if it does not come back.
 */
export function replayClient(
  stored: Client,
  changes: readonly AuditedChange[],
  options: ClientReplay,
): Replayed<Client> {
  const { config } = options;
  const own = selectOwnChanges(changes, ['client'], stored.clientId);
  const history = readHistory(clientView, stored, own, options);
  const secrets = replaySecrets(stored, changes, history.lastLife.began);
  const { client, lookAt } = narrowClient(stored, history, secrets, options);
  // A new version, so that later changes differ from those that were undone.
  const version = nextVersion(stored.version, Math.max(history.highest, secrets.version));
  const item = { ...client, secrets: secrets.secrets, version };
  const view = (one: Client) => viewClient(one, config);
  const described = describeReplay(view(stored), view(item), history.lastView);
  return {
    item,
    narrowed: [...described.narrowed, ...secrets.narrowed],
    lookAt: [...lookAt, ...described.lookAt, ...secrets.lookAt],
  };
}
