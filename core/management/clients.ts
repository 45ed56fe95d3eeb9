import type { OperationInput } from '../../contract/management/operations.ts';
import {
  type Client,
  type ClientProvider,
  type ClientSecret,
  type ClientsQuery,
  describeDeclaration,
  isDeclared,
} from '../client/client.ts';
import {
  expiresWithin as doesExpireWithin,
  findSecretConcern,
  isUnusedFor,
} from '../client/secret-attention.ts';
import { isId } from '../credential/credential-value.ts';
import { NotFoundError, RefusedError } from '../errors.ts';
import { hasApplicationRule } from '../identity-provider/application-rule.ts';
import { isSameOtherwise, narrow } from '../narrowing/narrow.ts';
import { clientTable } from '../narrowing/tables.ts';
import { collect } from '../paging.ts';
import { isOfSameLife } from '../record-version.ts';
import { withoutStop } from '../stops.ts';
import { viewClient } from './client-view.ts';
import { requireNoOtherGrant } from './grants/require-grant.ts';
import { type IfVersion, repeatStop } from './if-version.ts';
import {
  checkAudiences,
  checkName,
  checkScopes,
  plainFields,
  withDistinctValues,
} from './input-fields.ts';
import { type Page, readOwnedItemsFilter } from './list-query.ts';
import {
  awsTimeOf,
  clockAllowance,
  currentTime,
  type ManagementContext,
} from './management-context.ts';
import { manageOwned } from './owned-records.ts';
import { addApplicationRule } from './providers/add-application-rule.ts';
import { refuseInput } from './read-input.ts';
import { checkTokenSize } from './token-size.ts';
import { onlyStopsClient } from './trunk-group-limits/only-stops.ts';

const keysOf = ({ secrets }: Client) =>
  secrets
    // What the stack declares no more, and a person had stopped, people may delete.
    .filter(({ publicKey, stops }) => publicKey !== undefined && stops?.stack === undefined)
    .map(({ secretId, expiresAt, name }) => [secretId, expiresAt, name]);

/** What people decide of a client that a stack declares: whether it works, and its secrets. */
const ofPeople = [
  'stops',
  'tokensNotBefore',
  'secrets',
  'declared',
  'version',
  'updatedAt',
] as const;

/**
 * What a stack declares only the stack changes, or a person who takes the client over.
 *
 * @param next undefined if it is deleted.
 * @throws {RefusedError} with the place to change it.
 */
export function checkDeclared(
  { stack }: Pick<ManagementContext, 'stack'>,
  before: Client,
  next?: Client,
): void {
  const { declared, clientId } = before;
  if (stack !== undefined || declared === undefined || !isDeclared(before)) return;
  const isTaken = next?.declared?.takenOverAt !== undefined;
  const isAlike =
    next !== undefined &&
    isSameOtherwise(before, next, ofPeople) &&
    JSON.stringify(keysOf(before)) === JSON.stringify(keysOf(next));
  if (isTaken || isAlike) return;
  throw new RefusedError(
    `${clientId} is declared by ${describeDeclaration(declared)}: change it there, or take it over (take_over). It can be disabled, and its tokens revoked, here`,
  );
}

/** What clients have in common with API keys. */
export const ownedClients = manageOwned<Client, ClientsQuery>({
  noun: 'client',
  idKind: 'client',
  audited: 'client',
  idOf: ({ clientId }) => clientId,
  storeOf: ({ clients }) => clients,
  view: (client, context) => viewClient(client, context.config),
  checkChange: async (context, before, next) => {
    checkDeclared(context, before, next);
    if (next === undefined) return;
    const { item: relabelled } = narrow(clientTable, before, { labels: next });
    if (onlyStopsClient(relabelled, next)) return;
    await requireNoOtherGrant(context, next);
  },
});

export const { get: getClient, write: writeClient, remove: removeClient } = ownedClients;

type ClientChanges = OperationInput<'updateClient', 'changes'>;

function nextScopes(
  { config }: ManagementContext,
  before: Client,
  { scopes, addScopes = [], removeScopes = [] }: ClientChanges,
): readonly string[] {
  if (scopes === undefined && addScopes.length === 0 && removeScopes.length === 0) {
    return before.scopes;
  }
  const absent = removeScopes.find((scope) => !before.scopes.includes(scope));
  if (absent !== undefined) {
    throw new RefusedError(
      `the client does not have the scope ${JSON.stringify(absent)}; it has ${before.scopes.join(', ')}`,
    );
  }
  const allScopes = [...(scopes ?? before.scopes), ...addScopes];
  const left = allScopes.filter((scope) => !removeScopes.includes(scope));
  if (left.length === 0 && removeScopes.length > 0) {
    refuseInput('removeScopes', removeScopes, 'scopes of the client, but not all of them');
  }
  return checkScopes(config, left);
}

/** A rule that refuses tokens of people is not lost with other claims: only an empty list ends it. */
async function nextProvider(
  { identityProviders }: ManagementContext,
  { provider }: Client,
  requiredClaims: ClientChanges['requiredClaims'],
): Promise<ClientProvider | undefined> {
  if (requiredClaims === undefined) return provider;
  const conditions = withDistinctValues(requiredClaims);
  if (provider === undefined) {
    return refuseInput(
      'requiredClaims',
      requiredClaims,
      'nothing, as the client is under no provider',
    );
  }
  if (conditions.length === 0) return { ...provider, conditions: undefined };
  const next = { ...provider, conditions };
  const registered = await identityProviders.findRegistration(provider.issuer);
  const hadRule = registered !== undefined && hasApplicationRule(registered, provider.conditions);
  return hadRule ? addApplicationRule(next, registered.clientIdClaim) : next;
}

export async function updateClient(
  context: ManagementContext,
  clientId: string,
  changes: ClientChanges,
): Promise<Client> {
  const before = await ownedClients.getToChange(context, clientId, changes);
  checkName(before, changes.name);
  const { config } = context;
  const { name = before.name, requiredClaims, takeOver } = changes;
  const next = {
    ...plainFields(config, changes, { ...before }),
    name,
    scopes: nextScopes(context, before, changes),
    audiences:
      changes.audiences === undefined
        ? before.audiences
        : checkAudiences(config, before, changes.audiences),
    provider: await nextProvider(context, before, requiredClaims),
    ...(takeOver === true && takenOver(before, currentTime(context))),
  };
  checkTokenSize({ ...before, ...next }, config);
  return writeClient(context, before, 'client.update', next);
}

/** A client that is people's: the stack has no say, and its stop ends. */
function takenOver({ declared, stops }: Client, now: number): Partial<Client> {
  return {
    declared: declared && { ...declared, takenOverAt: now },
    stops: withoutStop(stops, 'stack'),
  };
}

export const setClientEnabled = ownedClients.setEnabled;

export const deleteClient = ownedClients.removeById;

/**
 * `iat` has whole seconds, so the first second that is accepted begins after the call. The record
 * changes when that second is over, about four seconds later: each token that is issued after the
 * change is accepted.
 *
 * @throws {NotFoundError} if it was deleted in the meantime, also if it was created again.
 */
export async function revokeClientTokens(
  context: ManagementContext,
  clientId: string,
  options: IfVersion = {},
): Promise<Client> {
  const get = () => ownedClients.getToChange(context, clientId, options);
  const { version } = await get();
  const { earliest, latest } = awsTimeOf(context);
  const cutOff = Math.floor(latest / 1000) + clockAllowance + 1;
  await context.wait((cutOff + clockAllowance) * 1000 - earliest);
  // Seconds have gone by: the client may be another version by now.
  return repeatStop(options, async () => {
    const before = await get();
    if (!isOfSameLife(version, before.version)) throw new NotFoundError('client', clientId);
    // The other click of two did it. Also if AWS's time was set back, the later revocation counts.
    if ((before.tokensNotBefore ?? 0) >= cutOff) return before;
    return writeClient(context, before, 'client.revoke_tokens', { tokensNotBefore: cutOff });
  });
}

/** Filters of a list of clients. A client must meet all of them. */
export type ClientsFilter = OperationInput<'listClients', 'filter'>;

type Holds = (client: Client) => boolean;

/** Filters on a client's secrets. One secret must meet all of them. */
function readConditions(filter: ClientsFilter, now: number): readonly Holds[] {
  const { expiresWithin: soon, unusedFor: unused, needsAttention } = filter;
  const isWanted = (secret: ClientSecret) =>
    (soon === undefined || doesExpireWithin(secret, soon, now)) &&
    (unused === undefined || isUnusedFor(secret, unused, now));
  const hasConcern: Holds = (client) =>
    client.secrets.some((secret) => findSecretConcern(client, secret, now) !== undefined);
  return [
    ...((soon ?? unused) === undefined ? [] : [(client: Client) => client.secrets.some(isWanted)]),
    ...(needsAttention === undefined
      ? []
      : [(client: Client) => hasConcern(client) === needsAttention]),
  ];
}

/** The filter on tokens of people, which depends on how each provider is registered. */
async function readUserTokens(
  context: ManagementContext,
  userTokens: boolean | undefined,
): Promise<Holds[]> {
  if (userTokens === undefined) return [];
  const registered = await collect(context.identityProviders.listRegistrations());
  const providers = new Map(registered.map((provider) => [provider.issuer, provider]));
  return [
    ({ provider: at }) => {
      const provider = at && providers.get(at.issuer);
      const allows = provider !== undefined && !hasApplicationRule(provider, at?.conditions);
      return allows === userTokens;
    },
  ];
}

/** What people took over is no stack's. */
function wasUndeclaredBy(time: number): Holds {
  return ({ declared: { undeclaredAt = Number.POSITIVE_INFINITY, takenOverAt } = {} }) =>
    undeclaredAt <= time && takenOverAt === undefined;
}

/**
 * One page of clients. A text that is a full id of a client or of a secret finds that client in one
 * page.
 */
export async function listClients(
  context: ManagementContext,
  filter: ClientsFilter = {},
): Promise<Page<Client>> {
  const query = readOwnedItemsFilter(filter);
  const { provider: issuer, importId, allowsUserTokens, declared, undeclaredFor } = filter;
  const { text = '' } = query;
  const conditions = [
    ...readConditions(filter, currentTime(context)),
    ...(await readUserTokens(context, allowsUserTokens)),
    ...(declared === undefined ? [] : [(client: Client) => isDeclared(client) === declared]),
    ...(undeclaredFor === undefined ? [] : [wasUndeclaredBy(currentTime(context) - undeclaredFor)]),
    // By its id, a client is found regardless of its provider.
    ...(isId('client', text) && issuer !== undefined
      ? [({ provider }: Client) => provider?.issuer === issuer]
      : []),
  ];
  return ownedClients.list(context, {
    ...query,
    ...(isId('secret', text) && { text: undefined, secretId: text }),
    issuer,
    importId,
    matches:
      conditions.length === 0
        ? undefined
        : (client: Client) => conditions.every((holds) => holds(client)),
  });
}
