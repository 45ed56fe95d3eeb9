import type { Client } from '../client/client.ts';
import { RefusedError } from '../errors.ts';
import { makeAuditedChange } from './audited-change.ts';
import { viewClient } from './client-view.ts';
import { findClient } from './find-client.ts';
import { parseAudiences, parseName, parseScopes, parseTokenLifetime } from './input-fields.ts';
import { currentTime, type ManagementContext } from './management-context.ts';
import { checkTokenSize } from './token-size.ts';

/**
 * What may change in a client. Its trunk group and its provider are who it is: another one is
 * another client.
 */
export interface ClientChanges {
  readonly name?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly addScopes?: readonly string[] | undefined;
  readonly removeScopes?: readonly string[] | undefined;
  /** Empty: the deployment's default audience. */
  readonly audiences?: readonly string[] | undefined;
  /** Seconds. */
  readonly tokenLifetime?: number | undefined;
}

/** Writes a client's next version. @throws {ConflictError} where it changed meanwhile. */
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

function nextScopes(
  context: ManagementContext,
  before: Client,
  changes: ClientChanges,
): readonly string[] {
  const { scopes, addScopes = [], removeScopes = [] } = changes;
  if (scopes === undefined && addScopes.length === 0 && removeScopes.length === 0) {
    return before.scopes;
  }
  const absent = removeScopes.find((scope) => !before.scopes.includes(scope));
  if (absent !== undefined) {
    throw new RefusedError(
      `the client does not have the scope ${JSON.stringify(absent)}; it has ${before.scopes.join(', ')}`,
    );
  }
  const wanted = [...(scopes ?? before.scopes), ...addScopes];
  return parseScopes(
    context.config,
    wanted.filter((scope) => !removeScopes.includes(scope)),
  );
}

/**
 * Changes what is given and nothing else. Tokens already issued keep what they say until they end.
 *
 * @throws {InputError | RefusedError} for a field that is not allowed.
 * @throws {ConflictError} where the client was changed meanwhile.
 */
export async function updateClient(
  context: ManagementContext,
  clientId: string,
  changes: ClientChanges,
): Promise<Client> {
  const before = await findClient(context, clientId);
  const next = {
    name: changes.name === undefined ? before.name : parseName(changes.name),
    scopes: nextScopes(context, before, changes),
    audiences:
      changes.audiences === undefined ? before.audiences : parseAudiences(changes.audiences),
    tokenLifetime:
      changes.tokenLifetime === undefined
        ? before.tokenLifetime
        : parseTokenLifetime(context.config, changes.tokenLifetime),
  };
  checkTokenSize({ ...before, ...next }, context.config);
  return writeClient(context, before, 'client.update', next);
}

/** A disabled client gets no tokens. Those it has live out their lives. */
export async function setClientEnabled(
  context: ManagementContext,
  clientId: string,
  enabled: boolean,
): Promise<Client> {
  const before = await findClient(context, clientId);
  if (before.enabled === enabled) return before;
  return writeClient(context, before, enabled ? 'client.enable' : 'client.disable', { enabled });
}

/** Deletes a client with its secrets. */
export async function deleteClient(context: ManagementContext, client: Client): Promise<void> {
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
