import type * as v from 'valibot';
import type { clientChanges } from '../../contract/management/inputs.ts';
import type { Client, ClientProvider } from '../client/client.ts';
import { NotFoundError, RefusedError } from '../errors.ts';
import { hasApplicationRule } from '../identity-provider/application-rule.ts';
import { isOfSameLife } from '../record-version.ts';
import { viewClient } from './client-view.ts';
import { findClient } from './find-client.ts';
import { requireNoOtherGrant } from './grants/require-grant.ts';
import { checkVersion, type IfVersion, repeatStop } from './if-version.ts';
import { checkAudiences, checkName, checkScopes, withDistinctValues } from './input-fields.ts';
import {
  awsTimeOf,
  clockAllowance,
  currentTime,
  type ManagementContext,
  makeAuditedChange,
} from './management-context.ts';
import { addApplicationRule } from './providers/application-rule.ts';
import { refuseInput } from './read-input.ts';
import { checkTokenSize } from './token-size.ts';
import { onlyStopsClient } from './trunk-group-limits/only-stops.ts';

type ClientChanges = v.InferOutput<typeof clientChanges>;

/**
 * Writes a client's next version.
 *
 * @throws {ConflictError} if it changed meanwhile.
 * @throws {RefusedError} if a limited caller gives more to a client whose id is granted to others.
 */
export async function writeClient(
  context: ManagementContext,
  before: Client,
  action: string,
  changes: Partial<Client>,
): Promise<Client> {
  const next: Client = {
    ...before,
    ...changes,
    version: before.version + 1,
    updatedAt: currentTime(context),
  };
  // A name gives nothing.
  if (!onlyStopsClient({ ...before, name: next.name }, next)) {
    await requireNoOtherGrant(context, next);
  }
  await makeAuditedChange(
    context,
    {
      action,
      subject: before.clientId,
      before: viewClient(before, context.config),
      after: viewClient(next, context.config),
    },
    () => context.clients.replaceClient(next),
  );
  return next;
}

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
  return checkScopes(
    config,
    allScopes.filter((scope) => !removeScopes.includes(scope)),
  );
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

function withoutUndefined(changes: Partial<Client>): Partial<Client> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

/** Finds a client that is about to be changed, if it still has the version that the caller has seen. */
async function getClientToChange(
  context: ManagementContext,
  clientId: string,
  ifVersion: number | undefined,
): Promise<Client> {
  const client = await findClient(context, clientId);
  checkVersion(`the client ${client.clientId}`, ifVersion, client.version);
  return client;
}

/**
 * Changes only the given fields. Issued tokens keep their claims until they expire.
 *
 * @throws {InputError | RefusedError} for a field that is not allowed.
 * @throws {ConflictError} if the client was changed in the meantime.
 */
export async function updateClient(
  context: ManagementContext,
  clientId: string,
  changes: ClientChanges,
): Promise<Client> {
  const before = await getClientToChange(context, clientId, changes.ifVersion);
  checkName(before, changes.name);
  const { config } = context;
  // What is left is stored as it was given.
  const {
    addScopes: _addScopes,
    removeScopes: _removeScopes,
    requiredClaims,
    ifVersion: _ifVersion,
    ...fields
  } = changes;
  const next = {
    ...withoutUndefined(fields),
    scopes: nextScopes(context, before, changes),
    audiences:
      changes.audiences === undefined
        ? before.audiences
        : checkAudiences(config, before, changes.audiences),
    provider: await nextProvider(context, before, requiredClaims),
  };
  checkTokenSize({ ...before, ...next }, config);
  return writeClient(context, before, 'client.update', next);
}

/** A disabled client gets no tokens. Its issued tokens stay valid until they expire. */
export async function setClientEnabled(
  context: ManagementContext,
  clientId: string,
  enabled: boolean,
  options: IfVersion = {},
): Promise<Client> {
  const change = async () => {
    const before = await getClientToChange(context, clientId, options.ifVersion);
    if (before.enabled === enabled) return before;
    return writeClient(context, before, enabled ? 'client.enable' : 'client.disable', { enabled });
  };
  return enabled ? change() : repeatStop(options, change);
}

/** Deletes a client that has already been read, with its secrets. */
export async function removeClient(context: ManagementContext, client: Client): Promise<void> {
  await makeAuditedChange(
    context,
    {
      action: 'client.delete',
      subject: client.clientId,
      before: viewClient(client, context.config),
    },
    () => context.clients.deleteClient(client.clientId, client.version),
  );
}

/**
 * Deletes a client with its secrets.
 *
 * @returns the client as it was.
 * @throws {ConflictError} if the client was changed in the meantime.
 */
export async function deleteClient(
  context: ManagementContext,
  clientId: string,
  { ifVersion }: IfVersion = {},
): Promise<Client> {
  const client = await getClientToChange(context, clientId, ifVersion);
  await removeClient(context, client);
  return client;
}

/**
 * Revokes every token of a client that was issued before the call. Only checks that look up clients
 * refuse them; providers' clients are always looked up.
 *
 * `iat` has whole seconds, so the first second that is accepted begins after the call. The record
 * changes when that second is over, about four seconds later: each token that is issued after the
 * change is accepted.
 *
 * @throws {ConflictError} if the client was changed in the meantime, and the caller named a version.
 * @throws {NotFoundError} if it was deleted in the meantime, also if it was created again.
 * @throws {UnavailableError} if DynamoDB does not answer.
 */
export async function revokeClientTokens(
  context: ManagementContext,
  clientId: string,
  options: IfVersion = {},
): Promise<Client> {
  const find = () => getClientToChange(context, clientId, options.ifVersion);
  const { version } = await find();
  const { earliest, latest } = awsTimeOf(context);
  const cutOff = Math.floor(latest / 1000) + clockAllowance + 1;
  await context.wait((cutOff + clockAllowance) * 1000 - earliest);
  // Seconds have gone by: the client may be another version by now.
  return repeatStop(options, async () => {
    const before = await find();
    if (!isOfSameLife(version, before.version)) throw new NotFoundError('client', clientId);
    // The other click of two did it. Also if AWS's time was set back, the later revocation counts.
    if ((before.tokensNotBefore ?? 0) >= cutOff) return before;
    return writeClient(context, before, 'client.revoke_tokens', { tokensNotBefore: cutOff });
  });
}
