import { secondsPerDay } from '../../contract/limits.ts';
import { expiryNoticeDays } from '../../contract/notices.ts';
import { isSyntheticClientId } from '../../contract/synthetic-check.ts';
import { apiKeyUseId } from '../../contract/tables.ts';
import type { ApiKeyWithUse } from '../api-key/api-key.ts';
import type { Client } from '../client/client.ts';
import { isReplaced, isUnusedFor, secretAttention } from '../client/secret-attention.ts';
import { formatTime } from '../rfc3339.ts';
import { type Notice, noticeId } from './notice.ts';

/** When a run is made, and what the one before has told. Times are seconds since the epoch. */
export interface RunTimes {
  readonly deployment: string;
  readonly now: number;
  /** Of the run before; undefined for the first one. */
  readonly before?: number | undefined;
  /** What the report of the run before lists: the ends, by the ids of the credentials. */
  readonly reported: ReadonlyMap<string, number>;
}

type Threshold = (typeof expiryNoticeDays)[number];

/** The last notice that is due for what expires at a time. */
function findThreshold(expiresAt: number, now: number): Threshold | undefined {
  return expiryNoticeDays.findLast((days) => expiresAt - now <= days * secondsPerDay);
}

/** Whether a credential expires soon enough for a notice, and so for the report. */
export function isExpiring(credential: Credential, now: number): credential is ExpiringCredential {
  const { expiresAt } = credential;
  return expiresAt !== undefined && findThreshold(expiresAt, now) !== undefined;
}

function describeSecret(secret: ClientSecretCredential) {
  return {
    credential: secret.kind,
    client_id: secret.clientId,
    client_name: secret.clientName,
    secret_id: secret.secretId,
    ...(secret.secretName !== undefined && { secret_name: secret.secretName }),
    ...(secret.lastUsedOn !== undefined && { last_used_on: secret.lastUsedOn }),
    ...(secret.replaced === true && { replaced: true as const }),
  };
}

function describe(credential: Credential) {
  if (credential.kind === 'client_secret') return describeSecret(credential);
  const { kind, keyId, keyName, valueId, lastUsedOn, replaced } = credential;
  return {
    credential: kind,
    key_id: keyId,
    key_name: keyName,
    ...(valueId !== undefined && { value_id: valueId }),
    ...(lastUsedOn !== undefined && { last_used_on: lastUsedOn }),
    ...(replaced === true && { replaced: true as const }),
  };
}

function findExpiryNotice(
  credential: ExpiringCredential,
  { deployment, now, before, reported }: RunTimes,
): Notice<'expiring'> | undefined {
  const { expiresAt, serviceTrunkGroup } = credential;
  const id = credentialId(credential);
  const due = findThreshold(expiresAt, now);
  // What has another end than in the report, or is new there, has had no notice of this end.
  const isKnown = before !== undefined && reported.get(id) === expiresAt;
  const told = isKnown ? findThreshold(expiresAt, before) : undefined;
  if (due === undefined || (told !== undefined && told <= due)) return undefined;
  return {
    kind: 'expiring',
    detail: {
      version: 1,
      notice_id: noticeId(deployment, 'expiring', id, due, expiresAt),
      deployment,
      service_trunk_group: serviceTrunkGroup,
      ...describe(credential),
      expires_at: formatTime(expiresAt),
      days_to_expiry: Math.ceil((expiresAt - now) / secondsPerDay),
      threshold_days: due,
    },
  };
}

/** Seconds by which the clock of who changed a record may be behind that of the run. */
const clockAllowance = 300;

function findUnusedNotice(
  secret: ClientSecretCredential,
  { deployment, now, before }: RunTimes,
): Notice<'unused'> | undefined {
  const { unusedFor } = secretAttention;
  if (!isUnusedFor(secret, unusedFor, now)) return undefined;
  // Time only adds to it, so that what the run before saw needs no memory. A change since may have
  // enabled the secret: a notice that was sent before has the same id.
  const wasSeen = before !== undefined && secret.changedAt < before - clockAllowance;
  if (wasSeen && isUnusedFor(secret, unusedFor, before)) return undefined;
  const { secretId, lastUsedOn, createdAt } = secret;
  return {
    kind: 'unused',
    detail: {
      version: 1,
      notice_id: noticeId(deployment, 'unused', secretId, lastUsedOn ?? createdAt),
      deployment,
      service_trunk_group: secret.serviceTrunkGroup,
      ...describeSecret(secret),
      created_at: formatTime(createdAt),
    },
  };
}

/**
 * The notices that are due for a credential that works: only the last of several thresholds that
 * were reached since the run before.
 */
export function findCredentialNotices(credential: Credential, times: RunTimes): readonly Notice[] {
  const notices = [
    isExpiring(credential, times.now) ? findExpiryNotice(credential, times) : undefined,
    credential.kind === 'client_secret' ? findUnusedNotice(credential, times) : undefined,
  ];
  return notices.filter((notice) => notice !== undefined);
}

/** A client secret or an API key, as its notices describe it. Times are seconds since the epoch. */
export type Credential = ClientSecretCredential | ApiKeyCredential;

interface Watched {
  readonly serviceTrunkGroup: string;
  readonly createdAt: number;
  readonly expiresAt?: number | undefined;
  /** UTC day of the last token, or of the last use of a value that a rotation has replaced. */
  readonly lastUsedOn?: string | undefined;
  /** Whether callers have moved to a newer secret or value. */
  readonly replaced?: true | undefined;
}

export interface ClientSecretCredential extends Watched {
  readonly kind: 'client_secret';
  readonly clientId: string;
  readonly clientName: string;
  readonly secretId: string;
  readonly secretName?: string | undefined;
  /** When its client was changed last: enabled, for example. */
  readonly changedAt: number;
}

export interface ApiKeyCredential extends Watched {
  readonly kind: 'api_key';
  readonly keyId: string;
  readonly keyName: string;
  /** A value that a rotation has replaced, which expires before its key. Undefined: the key. */
  readonly valueId?: string | undefined;
}

type ExpiringCredential = Credential & { readonly expiresAt: number };

/** Id of the secret or of the key, with that of its value if a rotation has replaced it. */
export function credentialId(
  credential:
    | Pick<ClientSecretCredential, 'kind' | 'secretId'>
    | Pick<ApiKeyCredential, 'kind' | 'keyId' | 'valueId'>,
): string {
  if (credential.kind === 'client_secret') return credential.secretId;
  const { keyId, valueId } = credential;
  return valueId === undefined ? keyId : apiKeyUseId(keyId, valueId);
}

function works(expiresAt: number | undefined, now: number): boolean {
  return expiresAt === undefined || expiresAt > now;
}

/** The secrets of a client that work. Those of a synthetic check live for minutes. */
export function secretsInUse(client: Client, now: number): readonly ClientSecretCredential[] {
  if (!client.enabled || isSyntheticClientId(client.clientId)) return [];
  return client.secrets
    .filter(({ disabled, expiresAt }) => disabled !== true && works(expiresAt, now))
    .map((secret) => ({
      kind: 'client_secret',
      serviceTrunkGroup: client.serviceTrunkGroup,
      clientId: client.clientId,
      clientName: client.name,
      secretId: secret.secretId,
      secretName: secret.name,
      createdAt: secret.createdAt,
      expiresAt: secret.expiresAt,
      lastUsedOn: secret.lastUsedOn,
      ...(isReplaced(client, secret, now) && { replaced: true as const }),
      changedAt: client.updatedAt,
    }));
}

/**
 * The values that rotations have replaced and that expire before their key. A value without a day of
 * last use may be used at an API that records none: it does not count as replaced.
 */
function oldValuesInUse({ oldValues = [], ...key }: ApiKeyWithUse, now: number) {
  const { createdAt, expiresAt: end = Number.POSITIVE_INFINITY, lastUsedOn } = key;
  const present = { createdAt: createdAt + 1, expiresAt: key.expiresAt, lastUsedOn };
  return oldValues
    .filter(({ expiresAt }) => works(expiresAt, now) && expiresAt < end)
    .map(({ valueId, ...use }) => {
      const old = { createdAt, ...use };
      const replaced = use.lastUsedOn !== undefined && isReplaced({ secrets: [present] }, old, now);
      const { expiresAt, lastUsedOn: day } = use;
      return { valueId, expiresAt, lastUsedOn: day, ...(replaced && { replaced: true as const }) };
    });
}

/** An API key, if it works, and its values that a rotation has replaced and that expire before it. */
export function keyInUse(key: ApiKeyWithUse, now: number): readonly ApiKeyCredential[] {
  if (!key.enabled || !works(key.expiresAt, now)) return [];
  const { keyId, name: keyName, serviceTrunkGroup, createdAt, expiresAt } = key;
  const of = { kind: 'api_key', keyId, keyName, serviceTrunkGroup, createdAt } as const;
  return [{ ...of, expiresAt }, ...oldValuesInUse(key, now).map((old) => ({ ...of, ...old }))];
}
