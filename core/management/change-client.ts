import { clientChanges } from '../../contract/management/inputs.ts';
import type { ClaimCondition } from '../client/claim-condition.ts';
import type { Client, ClientProvider } from '../client/client.ts';
import { RefusedError } from '../errors.ts';
import { hasApplicationRule } from '../identity-provider/application-rule.ts';
import { addApplicationRule } from './application-rule.ts';
import { makeAuditedChange } from './audited-change.ts';
import { parseClaimConditions } from './claim-conditions.ts';
import { viewClient } from './client-view.ts';
import { findClient } from './find-client.ts';
import { checkVersion, type IfVersion } from './if-version.ts';
import {
  parseAudiences,
  parseName,
  parseScopeNames,
  parseScopes,
  parseTokenLifetime,
} from './input-fields.ts';
import { currentTime, type ManagementContext } from './management-context.ts';
import {
  optional,
  readBoolean,
  readFields,
  readList,
  readText,
  refuseInput,
} from './read-input.ts';
import { checkTokenSize } from './token-size.ts';

/**
 * The fields of a client that can change. The trunk group, the provider and the id there identify a
 * client and never change.
 */
export interface ClientChanges extends IfVersion {
  readonly name?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly addScopes?: readonly string[] | undefined;
  readonly removeScopes?: readonly string[] | undefined;
  /** Empty: the deployment's default audience. */
  readonly audiences?: readonly string[] | undefined;
  /** Seconds. */
  readonly tokenLifetime?: number | undefined;
  /** Of a client under a provider: what else its tokens must say. Replaces all; empty: nothing. */
  readonly requiredClaims?: readonly ClaimCondition[] | undefined;
}

/** Writes a client's next version. @throws {ConflictError} if it changed meanwhile. */
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

type GivenChanges = Readonly<Record<keyof ClientChanges, unknown>>;

/** A scope that is no longer in the catalogue can still be removed from a client. */
function readScopesToRemove(value: unknown): readonly string[] {
  return readList('removeScopes', value).map((scope) =>
    readText('removeScopes', scope, 'a scope of the client', 'scope'),
  );
}

function nextScopes(
  { config }: ManagementContext,
  before: Client,
  changes: GivenChanges,
): readonly string[] {
  const { scopes } = changes;
  const addScopes =
    optional(changes.addScopes, (value) => parseScopeNames(config, value, 'addScopes')) ?? [];
  const removeScopes = optional(changes.removeScopes, readScopesToRemove) ?? [];
  if (scopes === undefined && addScopes.length === 0 && removeScopes.length === 0) {
    return before.scopes;
  }
  const absent = removeScopes.find((scope) => !before.scopes.includes(scope));
  if (absent !== undefined) {
    throw new RefusedError(
      `the client does not have the scope ${JSON.stringify(absent)}; it has ${before.scopes.join(', ')}`,
    );
  }
  const given = optional(scopes, (value) => parseScopeNames(config, value));
  const wanted = [...(given ?? before.scopes), ...addScopes];
  return parseScopes(
    config,
    wanted.filter((scope) => !removeScopes.includes(scope)),
  );
}

/** A rule that refuses tokens of people is not lost with other claims: only an empty list ends it. */
async function nextProvider(
  { identityProviders }: ManagementContext,
  { provider }: Client,
  value: unknown,
): Promise<ClientProvider | undefined> {
  if (value === undefined) return provider;
  const conditions = parseClaimConditions(value);
  if (provider === undefined) {
    return refuseInput('requiredClaims', value, 'nothing, as the client is under no provider');
  }
  if (conditions.length === 0) return { ...provider, conditions: undefined };
  const next = { ...provider, conditions };
  const registered = await identityProviders.findRegistration(provider.issuer);
  const hadRule = registered !== undefined && hasApplicationRule(registered, provider.conditions);
  return hadRule ? addApplicationRule(next, registered.clientIdClaim) : next;
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
  const given: GivenChanges = readFields('changes', changes, clientChanges.fields);
  const before = await findClient(context, clientId);
  checkVersion(`the client ${before.clientId}`, given.ifVersion, before.version);
  const { config } = context;
  const next = {
    name: optional(given.name, (value) => parseName(value)) ?? before.name,
    scopes: nextScopes(context, before, given),
    audiences:
      optional(given.audiences, (value) => parseAudiences(value, before.provider)) ??
      before.audiences,
    tokenLifetime:
      optional(given.tokenLifetime, (value) => parseTokenLifetime(config, value)) ??
      before.tokenLifetime,
    provider: await nextProvider(context, before, given.requiredClaims),
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
  const { ifVersion } = readFields('options', options, ['ifVersion']);
  readBoolean('enabled', enabled);
  const before = await findClient(context, clientId);
  checkVersion(`the client ${before.clientId}`, ifVersion, before.version);
  if (before.enabled === enabled) return before;
  return writeClient(context, before, enabled ? 'client.enable' : 'client.disable', { enabled });
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
  options: IfVersion = {},
): Promise<Client> {
  const { ifVersion } = readFields('options', options, ['ifVersion']);
  const client = await findClient(context, clientId);
  checkVersion(`the client ${client.clientId}`, ifVersion, client.version);
  await removeClient(context, client);
  return client;
}
