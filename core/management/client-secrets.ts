import { maxSecretsPerClient } from '../../contract/limits.ts';
import { newSecret, rotatedSecret, secretChanges } from '../../contract/management/inputs.ts';
import type { Client, ClientSecret } from '../client/client.ts';
import { formatClientSecret, secretBytes } from '../credential/credential-value.ts';
import { hashSecret } from '../credential/secret-hash.ts';
import { NotFoundError, RefusedError } from '../errors.ts';
import { lastTime } from '../rfc3339.ts';
import { makeAuditedChange } from './audited-change.ts';
import { viewClientSecret } from './client-view.ts';
import { findClient } from './find-client.ts';
import { findIfOvertaken, idForCreation } from './idempotency.ts';
import { checkVersion, type IfVersion } from './if-version.ts';
import { parseExpiry, parseId, parseName } from './input-fields.ts';
import { currentTime, type ManagementContext } from './management-context.ts';
import { optional, readFields, refuseInput } from './read-input.ts';

/** `ifVersion` is the version of the client that the secret belongs to. */
export interface NewClientSecret extends IfVersion {
  readonly name?: string | undefined;
  /** Seconds since the epoch; never if left out. */
  readonly expiresAt?: number | undefined;
  readonly idempotencyKey?: string | undefined;
}

type GivenSecret = Readonly<Record<keyof NewClientSecret, unknown>>;

export interface CreatedClientSecret {
  readonly secret: ClientSecret;
  /** The only copy. Undefined if an earlier call with the same idempotency key had it. */
  readonly value: string | undefined;
}

function checkMayHaveSecrets(client: Client): void {
  if (client.provider === undefined) return;
  throw new RefusedError(
    `${client.clientId} is a client of the provider ${client.provider.issuer}: it authenticates there and has no secret here`,
  );
}

function checkRoom(client: Client, now: number): void {
  if (client.secrets.length < maxSecretsPerClient) return;
  const expired = client.secrets.filter((secret) => (secret.expiresAt ?? now + 1) <= now).length;
  throw new RefusedError(
    `${client.clientId} has ${client.secrets.length} secrets, the most that are allowed; delete one first (${expired} of them have expired)`,
  );
}

/** Writes the client's secrets, with an audit record about the changed one. */
async function writeSecrets(
  context: ManagementContext,
  client: Client,
  secrets: readonly ClientSecret[],
  change: {
    readonly verb: string;
    readonly secretId: string;
    readonly before?: ClientSecret | undefined;
    readonly after?: ClientSecret | undefined;
    /** Other secrets that expire because of the change. */
    readonly expired?: readonly ClientSecret[];
  },
): Promise<void> {
  const now = currentTime(context);
  // The client's version puts changes in order, regardless of the clocks of the machines that made
  // them.
  const view = (secret: ClientSecret | undefined, version: number) =>
    secret && {
      client_id: client.clientId,
      client_version: version,
      service_trunk_group: client.serviceTrunkGroup,
      ...viewClientSecret(secret, now),
    };
  const expired = change.expired?.map((secret) => viewClientSecret(secret, now));
  const after = view(change.after, client.version + 1);
  await makeAuditedChange(
    context,
    {
      action: `client_secret.${change.verb}`,
      subject: change.secretId,
      before: view(change.before, client.version),
      after: after && (expired === undefined ? after : { ...after, expires_others: expired }),
    },
    () =>
      context.clients.replaceClient({
        ...client,
        secrets,
        version: client.version + 1,
        updatedAt: now,
      }),
  );
}

/** @param parent the scope within which idempotency keys must differ. */
function buildSecret(
  context: ManagementContext,
  parent: string,
  input: GivenSecret,
): { readonly secret: ClientSecret; readonly value: string } {
  const now = currentTime(context);
  const value = formatClientSecret(context.drawBytes(secretBytes));
  const secret: ClientSecret = {
    secretId: idForCreation(context, 'secret', input.idempotencyKey, parent),
    hash: hashSecret(value),
    name: optional(input.name, (value) => parseName(value)),
    createdAt: now,
    expiresAt: parseExpiry(input.expiresAt, now),
  };
  return { secret, value };
}

async function addSecret(
  context: ManagementContext,
  clientId: string,
  input: NewClientSecret,
): Promise<CreatedClientSecret> {
  const given: GivenSecret = readFields('secret', input, newSecret.fields);
  const client = await findClient(context, clientId);
  checkMayHaveSecrets(client);
  const { secret, value } = buildSecret(context, client.clientId, given);
  const earlier = client.secrets.find((one) => one.secretId === secret.secretId);
  if (earlier !== undefined) return { secret: earlier, value: undefined };
  checkVersion(`the client ${client.clientId}`, given.ifVersion, client.version);
  checkRoom(client, currentTime(context));
  await writeSecrets(context, client, [...client.secrets, secret], {
    verb: 'create',
    secretId: secret.secretId,
    after: secret,
  });
  return { secret, value };
}

/**
 * Adds a secret. The others of the client stay as they are.
 *
 * @throws {RefusedError} for a client under a provider, and if there are too many secrets.
 */
export function createClientSecret(
  context: ManagementContext,
  clientId: string,
  input: NewClientSecret,
): Promise<CreatedClientSecret> {
  return findIfOvertaken(input, () => addSecret(context, clientId, input));
}

/** @throws {NotFoundError} if the client has no such secret. */
export function findSecret<Secret extends Pick<ClientSecret, 'secretId'>>(
  client: { readonly clientId: string; readonly secrets: readonly Secret[] },
  secretId: string,
): Secret {
  parseId('secret', secretId, 'secretId');
  const found = client.secrets.find((secret) => secret.secretId === secretId);
  if (found === undefined) throw new NotFoundError(`secret of ${client.clientId}`, secretId);
  return found;
}

/** @throws {NotFoundError} if the client has no such secret. */
export async function deleteClientSecret(
  context: ManagementContext,
  clientId: string,
  secretId: string,
  options: IfVersion = {},
): Promise<void> {
  const { ifVersion } = readFields('options', options, ['ifVersion']);
  const client = await findClient(context, clientId);
  const before = findSecret(client, secretId);
  checkVersion(`the client ${client.clientId}`, ifVersion, client.version);
  const rest = client.secrets.filter((secret) => secret !== before);
  await writeSecrets(context, client, rest, { verb: 'delete', secretId, before });
}

/** `ifVersion` is the version of the client that the secret belongs to. */
export interface ClientSecretChanges extends IfVersion {
  readonly name?: string | undefined;
  /** Seconds since the epoch; null: never. */
  readonly expiresAt?: number | null | undefined;
}

/** Renames a secret or changes its expiry. An expired secret cannot be extended: create a new one. */
export async function updateClientSecret(
  context: ManagementContext,
  clientId: string,
  secretId: string,
  changes: ClientSecretChanges,
): Promise<ClientSecret> {
  const given = readFields('changes', changes, secretChanges.fields);
  const { name, expiresAt } = given;
  const now = currentTime(context);
  const client = await findClient(context, clientId);
  const before = findSecret(client, secretId);
  checkVersion(`the client ${client.clientId}`, given.ifVersion, client.version);
  if (expiresAt !== undefined && before.expiresAt !== undefined && before.expiresAt <= now) {
    throw new RefusedError(`${secretId} has expired; it cannot be extended. Create a new secret`);
  }
  const after: ClientSecret = {
    ...before,
    name: optional(name, (value) => parseName(value)) ?? before.name,
    expiresAt:
      expiresAt === undefined ? before.expiresAt : parseExpiry(expiresAt ?? undefined, now),
  };
  const secrets = client.secrets.map((secret) => (secret === before ? after : secret));
  await writeSecrets(context, client, secrets, { verb: 'update', secretId, before, after });
  return after;
}

type SwitchSecret = (
  context: ManagementContext,
  clientId: string,
  secretId: string,
  options?: IfVersion,
) => Promise<ClientSecret>;

function switchSecret(enabled: boolean): SwitchSecret {
  return async (context, clientId, secretId, options = {}) => {
    const { ifVersion } = readFields('options', options, ['ifVersion']);
    const client = await findClient(context, clientId);
    const before = findSecret(client, secretId);
    checkVersion(`the client ${client.clientId}`, ifVersion, client.version);
    const isEnabled = before.disabled !== true;
    if (isEnabled === enabled) return before;
    const after: ClientSecret = { ...before, disabled: enabled ? undefined : true };
    const secrets = client.secrets.map((secret) => (secret === before ? after : secret));
    const verb = enabled ? 'enable' : 'disable';
    await writeSecrets(context, client, secrets, { verb, secretId, before, after });
    return after;
  };
}

/** Disables one secret: it does not authenticate. The client's other secrets stay as they are. */
export const disableClientSecret = switchSecret(false);

/** Enables a disabled secret. One that has expired stays expired. */
export const enableClientSecret = switchSecret(true);

export interface RotatedClientSecret extends CreatedClientSecret {
  /** The secrets that now expire, with their new expiry. */
  readonly expired: readonly ClientSecret[];
}

function readOverlap(overlap: unknown, now: number): number {
  const seconds = Number.isSafeInteger(overlap) ? Number(overlap) : Number.NaN;
  if (seconds >= 0 && now + seconds <= lastTime) return seconds;
  return refuseInput(
    'overlap',
    overlap,
    '0 seconds or more, to an expiry before the year 10000',
    'expire_old_in',
  );
}

function endAt(secret: ClientSecret, time: number): ClientSecret {
  return (secret.expiresAt ?? Number.POSITIVE_INFINITY) <= time
    ? secret
    : { ...secret, expiresAt: time };
}

type Rotation = NewClientSecret & { readonly overlap: number };

async function replaceSecrets(
  context: ManagementContext,
  clientId: string,
  input: Rotation,
): Promise<RotatedClientSecret> {
  const given = readFields('secret', input, rotatedSecret.fields);
  const overlap = readOverlap(given.overlap, currentTime(context));
  const client = await findClient(context, clientId);
  checkMayHaveSecrets(client);
  // Rotations have their own keys, separate from creations. Otherwise a rotation could match an
  // earlier creation and leave the old secrets active.
  const { secret, value } = buildSecret(context, `${client.clientId}/rotation`, given);
  const earlier = client.secrets.find((one) => one.secretId === secret.secretId);
  if (earlier !== undefined) return { secret: earlier, value: undefined, expired: [] };
  checkVersion(`the client ${client.clientId}`, given.ifVersion, client.version);
  const now = currentTime(context);
  checkRoom(client, now);
  const old = client.secrets.map((one) => endAt(one, now + overlap));
  const expired = old.filter((one, index) => one !== client.secrets[index]);
  await writeSecrets(context, client, [...old, secret], {
    verb: 'rotate',
    secretId: secret.secretId,
    after: secret,
    expired,
  });
  return { secret, value, expired };
}

/**
 * Adds a secret and lets all others expire after an overlap, in one write. A secret that expires
 * sooner keeps its expiry.
 *
 * @param overlap seconds for which the old secrets continue to work; with 0 they expire at once.
 */
export function rotateClientSecret(
  context: ManagementContext,
  clientId: string,
  input: Rotation,
): Promise<RotatedClientSecret> {
  return findIfOvertaken(input, () => replaceSecrets(context, clientId, input));
}
