import { maxClaimConditions } from '../../contract/bounds.ts';
import type { ManagementConfig } from '../../contract/management/management-config.ts';
import { saying } from '../../contract/parse-problem.ts';
import type { ClaimCondition } from '../client/claim-condition.ts';
import { type Client, describeDeclaration } from '../client/client.ts';
import { effectiveAudiences, viewClient } from '../management/client-view.ts';
import { meetStops, withStop } from '../stops.ts';
import { type ClientView, clientView, nextVersion, readHistory } from './audit-views.ts';
import {
  type AuditedChange,
  describeReplay,
  type LaterHistory,
  type Replayed,
  type ReplayOptions,
  selectOwnChanges,
} from './replay.ts';
import { replaySecrets } from './replay-secrets.ts';

/** The values that every bound contains, in the order of the last bound. */
function within(values: readonly string[], bounds: readonly (readonly string[])[]) {
  const kept = values.filter((value) => bounds.every((bound) => bound.includes(value)));
  const order = bounds[0] ?? values;
  return kept.toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
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

interface ClientReplay extends ReplayOptions {
  readonly config: ManagementConfig;
}

interface Narrowed {
  readonly client: Client;
  readonly lookAt: readonly string[];
}

/** Required claims of the stored client and of every bound; undefined if no token can have them. */
function narrowProvider({ provider }: Client, bounds: readonly ClientView[]) {
  const lists = bounds.map((bound) => bound.required_claims);
  const common = commonConditions([provider?.conditions ?? [], ...lists]);
  if (provider === undefined || common === undefined)
    return { provider, isEmpty: common === undefined };
  return {
    provider: { ...provider, conditions: common.length === 0 ? undefined : common },
    isEmpty: false,
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

function narrow(
  client: Client,
  { bounds, since }: LaterHistory<ClientView>,
  { config, stop }: ClientReplay,
): Narrowed {
  const views = since.map(({ view }) => view);
  const scopes = within(
    client.scopes,
    views.map((view) => view.scope),
  );
  const audiences = within(
    effectiveAudiences(client, config),
    views.map((view) => view.audience),
  );
  const { provider, isEmpty: hasNoToken } = narrowProvider(client, bounds);
  const stops = bounds.map((bound) => bound.stops).reduce(meetStops, client.stops);
  const isEmpty = views.length > 0 && (scopes.length === 0 || audiences.length === 0);
  return {
    client: {
      ...client,
      scopes,
      audiences: narrowAudiences(client, audiences, views),
      tokenLifetime: Math.min(client.tokenLifetime, ...bounds.map((one) => one.token_lifetime)),
      provider,
      declared: narrowDeclared(client, bounds),
      stops: isEmpty || hasNoToken ? withStop(stops, 'person', stop) : stops,
      tokensNotBefore: [client.tokensNotBefore, ...bounds.map((one) => one.tokens_not_before)]
        .filter((time) => time !== undefined)
        .toSorted((a, b) => b - a)[0],
    },
    lookAt: saying(
      isEmpty && 'disabled, as no scope or no audience of before is one that it had ever since',
      hasNoToken && 'disabled, as no token has the claims that it required before and at last',
    ),
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
  const secrets = replaySecrets(stored, changes);
  const { client, lookAt } = narrow(stored, history, options);
  // A new version, so that later changes differ from those that were undone.
  const version = nextVersion(stored.version, Math.max(history.highest, secrets.version));
  const name = history.last?.name ?? stored.name;
  const item = { ...client, secrets: secrets.secrets, name, version };
  const view = (one: Client) => viewClient(one, config);
  const described = describeReplay(view(stored), view(item), history.lastView);
  return {
    item,
    narrowed: [...described.narrowed, ...secrets.narrowed],
    lookAt: [...lookAt, ...described.lookAt, ...secrets.lookAt],
  };
}

type Conditions = readonly ClaimCondition[];

function mergeCondition(claim: string, lists: readonly Conditions[]): ClaimCondition {
  const values = lists.flatMap((list) => list.find((one) => one.claim === claim)?.values ?? []);
  const isAllowed = (value: string) =>
    lists.every((list) => list.find((one) => one.claim === claim)?.values.includes(value) ?? true);
  return { claim, values: [...new Set(values)].filter(isAllowed) };
}

/**
 * Required claims that only those tokens have which meet every list.
 *
 * @returns undefined if no token can have them, or a client cannot require so many.
 */
function commonConditions(lists: readonly Conditions[]): Conditions | undefined {
  const claims = [...new Set(lists.flat().map(({ claim }) => claim))];
  const merged = claims.map((claim) => mergeCondition(claim, lists));
  const isPossible = merged.every(({ values }) => values.length > 0);
  return isPossible && merged.length <= maxClaimConditions ? merged : undefined;
}
