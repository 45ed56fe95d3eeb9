import { hash } from 'node:crypto';
import { secondsPerDay } from '../../contract/bounds.ts';
import { expiryNoticeDays, type NoticeDetail } from '../../contract/notices.ts';
import { isSyntheticClientId } from '../../contract/synthetic-check.ts';
import { apiKeyUseId } from '../../contract/tables.ts';
import type { ApiKey } from '../api-key/api-key.ts';
import type { Client } from '../client/client.ts';
import { isReplaced } from '../client/secret-attention.ts';
import { isEnabled } from '../stops.ts';
import { formatDay, formatTime } from '../time.ts';

/** Of which deployment the notices are, and when the run was due: seconds since the epoch. */
export interface NoticeRun {
  readonly deployment: string;
  readonly time: number;
}

/** Sends notices. @throws {UnavailableError} if not all were accepted; some may have been. */
export type PutNotices = (notices: readonly NoticeDetail[]) => Promise<void>;

/**
 * What a notice says of an end. The runs are a day apart, so each end has every number of days left
 * in exactly one of them: no run needs to know what another one has told.
 */
function describeEnd(
  { deployment, time }: NoticeRun,
  serviceTrunkGroup: string,
  id: string,
  expiresAt: number | undefined,
) {
  if (expiresAt === undefined) return undefined;
  const days = Math.ceil((expiresAt - time) / secondsPerDay);
  if (!expiryNoticeDays.includes(days)) return undefined;
  const about = JSON.stringify([deployment, id, days, formatDay(time)]);
  return {
    version: 1,
    notice_id: hash('sha256', about, 'base64url'),
    deployment,
    service_trunk_group: serviceTrunkGroup,
    expires_at: formatTime(expiresAt),
    days_to_expiry: days,
  } as const;
}

/** The notices of a client's secrets that work. Those of a synthetic check live for minutes. */
export function findSecretNotices(client: Client, run: NoticeRun): readonly NoticeDetail[] {
  if (!isEnabled(client) || isSyntheticClientId(client.clientId)) return [];
  return client.secrets.filter(isEnabled).flatMap((secret): readonly NoticeDetail[] => {
    const { secretId, name, expiresAt, lastUsedOn } = secret;
    const due = describeEnd(run, client.serviceTrunkGroup, secretId, expiresAt);
    if (due === undefined) return [];
    return [
      {
        ...due,
        credential: 'client_secret',
        client_id: client.clientId,
        client_name: client.name,
        secret_id: secretId,
        secret_name: name,
        last_used_on: lastUsedOn,
        replaced: isReplaced(client, secret, run.time) || undefined,
      },
    ];
  });
}

/**
 * The notices of an API key that works, and of its values that a rotation has replaced and that
 * expire before it.
 */
export function findApiKeyNotices(key: ApiKey, run: NoticeRun): readonly NoticeDetail[] {
  const { keyId, name, serviceTrunkGroup, expiresAt, oldValues = [] } = key;
  if (!isEnabled(key)) return [];
  const old = oldValues.filter((value) => value.expiresAt < (expiresAt ?? Infinity));
  const values = [{ valueId: undefined, expiresAt }, ...old];
  return values.flatMap(({ valueId, expiresAt: end }): readonly NoticeDetail[] => {
    const id = valueId === undefined ? keyId : apiKeyUseId(keyId, valueId);
    const due = describeEnd(run, serviceTrunkGroup, id, end);
    if (due === undefined) return [];
    return [{ ...due, credential: 'api_key', key_id: keyId, key_name: name, value_id: valueId }];
  });
}
