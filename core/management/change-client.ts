import type * as v from 'valibot';
import type { clientChanges } from '../../contract/management/inputs.ts';
import type { Client, ClientProvider } from '../client/client.ts';
import { NotFoundError, RefusedError } from '../errors.ts';
import { hasApplicationRule } from '../identity-provider/application-rule.ts';
import { isOfSameLife } from '../record-version.ts';
import { type IfVersion, repeatStop } from './if-version.ts';
import { checkAudiences, checkName, checkScopes, withDistinctValues } from './input-fields.ts';
import { awsTimeOf, clockAllowance, type ManagementContext } from './management-context.ts';
import { ownedClients, writeClient } from './owned-clients.ts';
import { addApplicationRule } from './providers/application-rule.ts';
import { refuseInput } from './read-input.ts';
import { checkTokenSize } from './token-size.ts';

type ClientChanges = v.InferOutput<typeof clientChanges>;

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

export async function updateClient(
  context: ManagementContext,
  clientId: string,
  changes: ClientChanges,
): Promise<Client> {
  const before = await ownedClients.getToChange(context, clientId, changes);
  checkName(before, changes.name);
  const { config } = context;
  // What is left is stored as it was given.
  const {
    addScopes: _addScopes,
    removeScopes: _removeScopes,
    requiredClaims,
    takeOver,
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
    ...(takeOver === true && { declared: undefined }),
  };
  checkTokenSize({ ...before, ...next }, config);
  return writeClient(context, before, 'client.update', next);
}

export const setClientEnabled = ownedClients.setEnabled;

export const deleteClient = ownedClients.findAndRemove;

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
  const find = () => ownedClients.getToChange(context, clientId, options);
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
