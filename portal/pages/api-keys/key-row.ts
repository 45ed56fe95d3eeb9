import type { ApiKey } from '../../../adapters/management.ts';
import { fieldLabel } from '../../../contract/management/field-words.ts';
import { formatCidr } from '../../../core/api-key/subnet.ts';
import { secretStatus } from '../../../core/client/client.ts';
import { type Html, type HtmlValue, html } from '../../html/html.ts';
import { badge, type Column, statedLink } from '../../html/list.ts';
import type { Fact } from '../../html/parts.ts';
import { lastUseText, timeWithDistance } from '../../html/time.ts';
import type { RequestContext } from '../../request-context.ts';

/** What a person should know of the subnets of a key. */
export function warningNotes(warnings: readonly string[]): Html {
  return html`${warnings.map((one) => html`<p class="note">${badge('warn', 'Look')} ${one}</p>`)}`;
}

/** A warning for a key that every address may use, unless it is disabled. */
export function sourcesSummary({ subnets, enabled }: ApiKey): Html {
  const [first, ...others] = subnets;
  if (first === undefined) {
    return enabled ? badge('warn', 'Any address') : html`<span class="muted">Any address</span>`;
  }
  return html`<code>${formatCidr(first)}</code>${
    others.length > 0 && html` <span class="muted">+${others.length}</span>`
  }`;
}

/** What a key may do, with what it means if that is everything. */
export function scopesSummary({ scopes }: ApiKey): HtmlValue {
  return scopes === undefined
    ? 'Every scope: anyone who has the key can do everything that the platform’s APIs offer the trunk group'
    : scopes.join(', ');
}

/**
 * The values that rotations have replaced, and how long they work: no longer than the key.
 *
 * @param end a link that ends one that works.
 */
export function oldValueFacts(
  { oldValues = [], expiresAt: keyEnd = Number.POSITIVE_INFINITY }: ApiKey,
  now: number,
  end: Html | '' = '',
): readonly Fact[] {
  return oldValues.map(({ expiresAt }) => {
    const first = Math.min(expiresAt, keyEnd);
    const summary = expirySummary({ expiresAt: first, enabled: false }, now);
    return ['Old value expires', first > now ? html`${summary}${end}` : summary];
  });
}

function useSummary({ isLastUseUnread }: ApiKey, day: string | undefined, now: number): HtmlValue {
  if (isLastUseUnread === true) return html`<span class="muted">Could not be read now</span>`;
  if (day === undefined) return html`<span class="muted">Not recorded</span>`;
  return html`<span title="${day} UTC">${lastUseText(day, now)}</span>`;
}

/** When the values of a key were last used. After a rotation: whether callers have changed to the new one. */
export function useFacts(key: ApiKey, now: number): readonly Fact[] {
  const { oldValues = [], lastUsedOn } = key;
  if (oldValues.length === 0) return [[fieldLabel('lastUsedOn'), useSummary(key, lastUsedOn, now)]];
  return [
    ['New value last used', useSummary(key, lastUsedOn, now)],
    ...oldValues.map((old): Fact => ['Old value last used', useSummary(key, old.lastUsedOn, now)]),
  ];
}

/** When a key expires, with a warning if that is soon or was. */
export function expirySummary(
  { expiresAt, enabled }: Pick<ApiKey, 'expiresAt' | 'enabled'>,
  now: number,
): HtmlValue {
  if (expiresAt === undefined) return html`<span class="muted">Never</span>`;
  const status = secretStatus({ expiresAt }, now);
  const time = timeWithDistance(expiresAt, now);
  if (status === 'expired') return html`${badge('off', 'Expired')} ${time}`;
  return status === 'expires_soon' && enabled
    ? html`${badge('warn', 'Expires soon')} ${time}`
    : time;
}

export function keyColumns({ href, now }: RequestContext): readonly Column<ApiKey>[] {
  return [
    [
      'API key',
      ({ keyId, name, enabled }) => statedLink(href(`/api-keys/${keyId}`), name, enabled),
    ],
    ['Key id', ({ keyId }) => html`<code>${keyId}</code>`, 'wide'],
    ['Trunk group', ({ serviceTrunkGroup }) => serviceTrunkGroup, 'minor'],
    ['Usable from', sourcesSummary],
    ['Expires', (key) => expirySummary(key, now)],
    [fieldLabel('lastUsedOn'), (key) => useSummary(key, key.lastUsedOn, now), 'minor'],
  ];
}
