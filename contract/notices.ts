import * as v from 'valibot';
import { regionIds } from './regions.ts';

/**
 * The notices of the daily run: events on the deployment's own bus of EventBridge. Others build
 * rules on these formats. A version of a format only gets new members, and a consumer ignores those
 * that it does not know. Times are RFC 3339 UTC. No member holds a secret or its hash.
 */

/** `source` of the events. */
export const noticeSource = 'authorization-server';

/** `detail-type` of the events. */
export const noticeTypes = {
  expiring: 'Credential Approaching Expiration',
  unused: 'Credential Unused',
  change: 'Management Change',
} as const;

export type NoticeKind = keyof typeof noticeTypes;

/** Days before a credential expires from which on there is a notice, the first one first. */
export const expiryNoticeDays = [30, 14, 7, 1] as const;

/** Name of the bus. */
export function noticeBusName(deploymentName: string): string {
  return `${deploymentName}-notices`;
}

const text = v.string();
const optionalText = v.optional(text);

const common = {
  version: v.literal(1),
  /** The same in each copy of a notice. EventBridge gives each copy an `id` of its own. */
  notice_id: text,
  /** Name of the deployment. */
  deployment: text,
};

const owned = { ...common, service_trunk_group: text };

const clientSecret = {
  credential: v.literal('client_secret'),
  client_id: text,
  client_name: text,
  secret_id: text,
  secret_name: optionalText,
};

const apiKey = {
  credential: v.literal('api_key'),
  key_id: text,
  key_name: text,
  /** A value that a rotation has replaced: only this one expires. Nothing: the key expires. */
  value_id: optionalText,
};

const expiry = {
  expires_at: text,
  /** Full and begun days until then. */
  days_to_expiry: v.number(),
  /** Which notice it is. It is more than `days_to_expiry` if daily runs were missed. */
  threshold_days: v.picklist(expiryNoticeDays),
};

/**
 * UTC day of the last token; nothing if there was none. Of a value of an API key that a rotation has
 * replaced: of its last use, if that is recorded.
 */
const lastUse = {
  last_used_on: optionalText,
  /** Callers have moved to a newer secret or value. Who comes once a month may still use this one. */
  replaced: v.optional(v.literal(true)),
};

/** `detail` of each event. */
export const noticeDetails = {
  expiring: v.variant('credential', [
    v.strictObject({ ...owned, ...clientSecret, ...expiry, ...lastUse }),
    v.strictObject({ ...owned, ...apiKey, ...expiry, ...lastUse }),
  ]),
  unused: v.strictObject({ ...owned, ...clientSecret, created_at: text, ...lastUse }),
  change: v.strictObject({
    ...common,
    /** Nothing for a change that concerns all of them. */
    service_trunk_group: optionalText,
    /** Instead, if the change concerns several: those that own the provider, or did before. */
    service_trunk_groups: v.optional(v.array(text)),
    change_id: text,
    /** The platform region whose audit has the change. */
    region: v.picklist(regionIds),
    /** As in the audit: `client_secret.rotate`. */
    action: text,
    subject: text,
    name: optionalText,
    client_id: optionalText,
    actor: text,
    /** `unfinished`: there is no outcome, so the change may or may not have been made. */
    outcome: v.picklist(['done', 'unfinished']),
    changed_at: text,
    /** Names of the members that differ, if there was something before and after. */
    changed: v.optional(v.array(text)),
  }),
} as const satisfies Readonly<Record<NoticeKind, v.GenericSchema>>;

export type NoticeDetail<Kind extends NoticeKind = NoticeKind> = v.InferOutput<
  (typeof noticeDetails)[Kind]
>;

/**
 * The alias of the management function that makes its daily run. It is no role: only the schedule
 * may invoke it, and it takes no request.
 */
export const dailyRunAlias = 'daily-run';

/**
 * Hour of the day, UTC, from which on a new run is due: before work begins in the platform's
 * regions.
 */
export const dailyRunHour = 12;

/**
 * Minutes between two attempts. An attempt does the rest of what the one before could not; nearly
 * all find that nothing is due, which is one read.
 */
export const dailyRunMinutes = 15;

/** Days that a run looks back for changes, if no run was made meanwhile. The audit has them all. */
export const maxChangeDays = 30;

export const dailyRunMetrics = {
  /** 1 for each attempt after which nothing is due, 0 for others. */
  upToDate: 'DailyRunUpToDate',
  /** Clients outside the grants of their trunk groups, in the last report. */
  outside: 'ClientsOutsideGrants',
} as const;

/** Hours without an attempt after which nothing is due, until there is an alarm. */
export const dailyRunAlarmHours = 6;
