import {
  maxKeysPerClient,
  maxRsaKeysPerClient,
  maxSecretsPerClient,
} from '../../contract/bounds.ts';
import type { OperationInput } from '../../contract/management/operations.ts';
import { idForm } from '../../contract/management/rules.ts';
import type { Client, ClientSecret } from '../client/client.ts';
import { readGivenKey } from '../client/client-key.ts';
import {
  formatClientSecret,
  hashSecret,
  isId,
  secretBytes,
} from '../credential/credential-value.ts';
import { NotFoundError, RefusedError } from '../errors.ts';
import { viewClientSecret } from './client-view.ts';
import { checkDeclared, getClient } from './clients.ts';
import { findIfOvertaken, idForCreation } from './idempotency.ts';
import { checkVersion, type IfVersion, repeatStop } from './if-version.ts';
import { checkName, nextExpiry } from './input-fields.ts';
import { currentTime, type ManagementContext, makeAuditedChange } from './management-context.ts';
import { switchedStops } from './owned-records.ts';
import { refuseInput } from './read-input.ts';

type NewClientSecret = OperationInput<'createClientSecret', 'secret'>;

export interface CreatedClientSecret {
  readonly secret: ClientSecret;
  /** The only copy. Undefined of a key, and if an earlier call with the same idempotency key had it. */
  readonly value: string | undefined;
}

function checkMayHaveSecrets(client: Client): void {
  if (client.provider === undefined) return;
  throw new RefusedError(
    `${client.clientId} is a client of the provider ${client.provider.issuer}: it authenticates there and has no secret here`,
  );
}

const isRsa = ({ alg }: Pick<ClientSecret, 'alg'>) => /^[PR]S/.test(alg ?? '');

/** Basic reads the same item as keys: see `maxKeysPerClient`. */
function checkKeys({ clientId, secrets }: Client, added: ClientSecret): void {
  if (added.publicKey === undefined) return;
  const keys = secrets.filter((one) => one.publicKey !== undefined);
  const same = keys.find((one) => one.publicKey === added.publicKey);
  if (same !== undefined) throw new RefusedError(`${clientId} has this key as ${same.secretId}`);
  if (keys.length < maxKeysPerClient) {
    if (!isRsa(added) || keys.filter(isRsa).length < maxRsaKeysPerClient) return;
  }
  throw new RefusedError(
    `${clientId} has ${keys.length} keys, ${keys.filter(isRsa).length} of them RSA; at most ${maxKeysPerClient} are allowed, ${maxRsaKeysPerClient} of them RSA: delete one first`,
  );
}

function checkRoom(client: Client, added: ClientSecret, now: number): void {
  checkKeys(client, added);
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
  checkDeclared(context, client, { ...client, secrets });
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
      context.clients.replace({ ...client, secrets, version: client.version + 1, updatedAt: now }),
  );
}

/** What authenticates the client, and the value that only it gets. */
function makeCredential({ config, drawBytes }: ManagementContext, input: NewClientSecret) {
  const { clientKeys } = config;
  if (input.publicKey === undefined) {
    if (clientKeys?.only === true) {
      throw new RefusedError(
        'no secret works in this deployment (clientKeys.only): give a public key',
      );
    }
    const value = formatClientSecret(drawBytes(secretBytes));
    return { value, credential: { hash: hashSecret(value) } };
  }
  if (clientKeys === undefined) {
    throw new RefusedError('clients have no keys in this deployment: its config has no clientKeys');
  }
  const credential = readGivenKey(input.publicKey, input.alg);
  if (clientKeys.algorithms.includes(credential.alg)) return { credential };
  const allowed = clientKeys.algorithms.join(', ');
  throw new RefusedError(
    `the key is for ${credential.alg}; clientKeys.algorithms allows ${allowed}`,
  );
}

/** @param parent the scope within which idempotency keys must differ. */
function buildSecret(
  context: ManagementContext,
  parent: string,
  input: NewClientSecret,
): { readonly secret: ClientSecret; readonly value?: string | undefined } {
  const now = currentTime(context);
  const { value, credential } = makeCredential(context, input);
  const secret: ClientSecret = {
    secretId: idForCreation(context, 'secret', input.idempotencyKey, parent),
    ...credential,
    name: input.name,
    createdAt: now,
    expiresAt: input.expiresAt,
  };
  return { secret, value };
}

async function addSecret(
  context: ManagementContext,
  clientId: string,
  input: NewClientSecret,
): Promise<CreatedClientSecret> {
  const client = await getClient(context, clientId);
  checkMayHaveSecrets(client);
  const { secret, value } = buildSecret(context, client.clientId, input);
  const earlier = client.secrets.find((one) => one.secretId === secret.secretId);
  if (earlier !== undefined) return { secret: earlier, value: undefined };
  checkVersion(`the client ${client.clientId}`, input.ifVersion, client.version);
  checkRoom(client, secret, currentTime(context));
  await writeSecrets(context, client, [...client.secrets, secret], {
    verb: 'create',
    secretId: secret.secretId,
    after: secret,
  });
  return { secret, value };
}

export const createClientSecret = findIfOvertaken(addSecret);

/** Adds the other secret of an imported client, which it had before. */
export async function addImportedSecret(
  context: ManagementContext,
  client: Client,
  secret: ClientSecret,
): Promise<Client> {
  const { secretId } = secret;
  const secrets = [...client.secrets, secret];
  await writeSecrets(context, client, secrets, { verb: 'create', secretId, after: secret });
  return getClient(context, client.clientId);
}

/**
 * @throws {NotFoundError} if the client has no such secret.
 * @throws {InputError} if it is not the id of a secret.
 */
export function getSecret<Secret extends Pick<ClientSecret, 'secretId'>>(
  client: { readonly clientId: string; readonly secrets: readonly Secret[] },
  secretId: string,
): Secret {
  const found = client.secrets.find((secret) => secret.secretId === secretId);
  if (found !== undefined) return found;
  if (!isId('secret', secretId)) refuseInput('secretId', secretId, idForm('secret'));
  throw new NotFoundError(`secret of ${client.clientId}`, secretId);
}

/** The client and its secret that is about to be changed, if it has the version that the caller has seen. */
async function getSecretToChange(
  context: ManagementContext,
  clientId: string,
  secretId: string,
  ifVersion: number | undefined,
) {
  const client = await getClient(context, clientId);
  const before = getSecret(client, secretId);
  checkVersion(`the client ${client.clientId}`, ifVersion, client.version);
  return { client, before };
}

async function replaceSecret(
  context: ManagementContext,
  { client, before }: Awaited<ReturnType<typeof getSecretToChange>>,
  verb: string,
  changes: Partial<ClientSecret>,
): Promise<ClientSecret> {
  const after: ClientSecret = { ...before, ...changes };
  const { secretId } = before;
  const secrets = client.secrets.map((secret) => (secret === before ? after : secret));
  await writeSecrets(context, client, secrets, { verb, secretId, before, after });
  return after;
}

export async function deleteClientSecret(
  context: ManagementContext,
  clientId: string,
  secretId: string,
  { ifVersion }: IfVersion = {},
): Promise<void> {
  const { client, before } = await getSecretToChange(context, clientId, secretId, ifVersion);
  const rest = client.secrets.filter((secret) => secret !== before);
  await writeSecrets(context, client, rest, { verb: 'delete', secretId, before });
}

export async function updateClientSecret(
  context: ManagementContext,
  clientId: string,
  secretId: string,
  changes: OperationInput<'updateClientSecret', 'changes'>,
): Promise<ClientSecret> {
  const { name, expiresAt, ifVersion } = changes;
  const found = await getSecretToChange(context, clientId, secretId, ifVersion);
  const { before } = found;
  checkName(before, name);
  const named = { id: secretId, what: 'secret', now: currentTime(context) };
  const next = nextExpiry(before, expiresAt, named);
  if (before.imported && (next ?? Infinity) > (before.expiresAt ?? 0)) {
    throw new RefusedError(`${secretId} was imported: its end only comes sooner. Create a secret`);
  }
  return replaceSecret(context, found, 'update', { name: name ?? before.name, expiresAt: next });
}

function switchSecret(enabled: boolean) {
  return async (
    context: ManagementContext,
    clientId: string,
    secretId: string,
    options: IfVersion = {},
  ): Promise<ClientSecret> => {
    const change = async () => {
      const found = await getSecretToChange(context, clientId, secretId, options.ifVersion);
      const stops = await switchedStops(context, found.before, secretId, enabled);
      if (stops === found.before.stops) return found.before;
      return replaceSecret(context, found, enabled ? 'enable' : 'disable', { stops });
    };
    return enabled ? change() : repeatStop(options, change);
  };
}

export const disableClientSecret = switchSecret(false);

export const enableClientSecret = switchSecret(true);

export interface RotatedClientSecret extends CreatedClientSecret {
  /** The secrets that now expire, with their new expiry. */
  readonly expired: readonly ClientSecret[];
}

function endAt(secret: ClientSecret, time: number): ClientSecret {
  return (secret.expiresAt ?? Number.POSITIVE_INFINITY) <= time
    ? secret
    : { ...secret, expiresAt: time };
}

async function replaceSecrets(
  context: ManagementContext,
  clientId: string,
  input: OperationInput<'rotateClientSecret', 'secret'>,
): Promise<RotatedClientSecret> {
  const client = await getClient(context, clientId);
  checkMayHaveSecrets(client);
  // Rotations have their own keys, separate from creations. Otherwise a rotation could match an
  // earlier creation and leave the old secrets active.
  const { secret, value } = buildSecret(context, `${client.clientId}/rotation`, input);
  const earlier = client.secrets.find((one) => one.secretId === secret.secretId);
  if (earlier !== undefined) return { secret: earlier, value: undefined, expired: [] };
  checkVersion(`the client ${client.clientId}`, input.ifVersion, client.version);
  const now = currentTime(context);
  checkRoom(client, secret, now);
  const isReplaced = (one: ClientSecret) =>
    (one.publicKey === undefined) === (secret.publicKey === undefined);
  const old = client.secrets.map((one) =>
    isReplaced(one) ? endAt(one, now + input.overlap) : one,
  );
  const expired = old.filter((one, index) => one !== client.secrets[index]);
  await writeSecrets(context, client, [...old, secret], {
    verb: 'rotate',
    secretId: secret.secretId,
    after: secret,
    expired,
  });
  return { secret, value, expired };
}

/** A key replaces the keys, a secret the secrets. One that expires sooner keeps its expiry. */
export const rotateClientSecret = findIfOvertaken(replaceSecrets);
