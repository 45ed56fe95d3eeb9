/**
 * The notices of what expires: events on the deployment's own bus of EventBridge. Others build rules
 * on their format. A version of it only gets new members, and a consumer ignores those that it does
 * not know. Times are RFC 3339 UTC. No member holds a secret or its hash.
 */

/** `source` of the events. */
export const noticeSource = 'authorization-server';

/** `detail-type` of the events. */
export const noticeType = 'Credential Approaching Expiration';

/** Days before its end at which a credential has a notice. */
export const expiryNoticeDays: readonly number[] = [30, 14, 7, 1];

/** Hour of the day, UTC, of the run: before work begins in the platform's regions. */
export const noticeHour = 12;

export const noticeMetrics = {
  /** 1 for each run that told everything, 0 for one that failed. */
  told: 'NoticesTold',
} as const;

/** Hours without a run that told everything, until there is an alarm. */
export const noticeAlarmHours = 26;

/** Name of the bus. */
export function noticeBusName(deploymentName: string): string {
  return `${deploymentName}-notices`;
}

interface CommonDetail {
  readonly version: 1;
  /** The same in each copy of a notice. EventBridge gives each copy an `id` of its own. */
  readonly notice_id: string;
  /** Name of the deployment. */
  readonly deployment: string;
  readonly service_trunk_group: string;
  readonly expires_at: string;
  /** Full and begun days until then. */
  readonly days_to_expiry: number;
}

interface SecretDetail extends CommonDetail {
  readonly credential: 'client_secret';
  readonly client_id: string;
  readonly client_name: string;
  readonly secret_id: string;
  readonly secret_name?: string | undefined;
  /** UTC day of the last token; nothing if there was none. */
  readonly last_used_on?: string | undefined;
  /** Callers have moved to a newer secret. One that comes once a month may still use this one. */
  readonly replaced?: true | undefined;
}

interface ApiKeyDetail extends CommonDetail {
  readonly credential: 'api_key';
  readonly key_id: string;
  readonly key_name: string;
  /** A value that a rotation has replaced: only this one expires. Nothing: the key expires. */
  readonly value_id?: string | undefined;
}

/** `detail` of an event. */
export type NoticeDetail = SecretDetail | ApiKeyDetail;
