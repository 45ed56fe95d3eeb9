import type { Management } from '../../../adapters/management.ts';
import { secondsPerDay } from '../../../contract/limits.ts';
import { formatTime } from '../../../core/rfc3339.ts';
import { type Html, html } from '../../html/html.ts';
import { formatMinute } from '../../html/time.ts';

/** Units of the drawing; it is scaled to the width of the page. */
const width = 800;
const labelWidth = 128;
const rowHeight = 30;
const barHeight = 14;
const top = 26;

interface Scale {
  readonly start: number;
  readonly end: number;
  readonly x: (time: number) => number;
}

const day = secondsPerDay;

/** Steps between the lines of the scale, in seconds. */
const steps = [60, 600, 3600, 6 * 3600, day, 7 * day, 30 * day, 90 * day, 365 * day];

/** From the first mark of a relevant key to the last planned one. */
function createScale(entries: readonly SigningKeyEntry[], now: number): Scale {
  const marks = entries.flatMap(({ key, next }) => [
    key.publishedAt,
    ...(key.withdrawAt === undefined ? [] : [key.withdrawAt]),
    ...(next === undefined ? [] : [next.at]),
  ]);
  const first = Math.min(now, ...marks);
  const last = Math.max(now, ...marks);
  const margin = Math.max(60, (last - first) * 0.05);
  const [start, end] = [first - margin, last + margin];
  const span = end - start;
  const x = (time: number) =>
    Math.round((labelWidth + ((time - start) / span) * (width - labelWidth)) * 10) / 10;
  return { start, end, x };
}

/** At most eight lines of the scale, at round times. */
function ticks({
  start,
  end,
  x,
}: Scale): readonly { readonly at: number; readonly text: string }[] {
  const step = steps.find((one) => (end - start) / one <= 8) ?? 365 * day;
  const first = Math.ceil(start / step) * step;
  const count = Math.max(0, Math.floor((end - first) / step) + 1);
  return Array.from({ length: count }, (_, index) => {
    const time = first + index * step;
    const text = formatTime(time);
    return { at: x(time), text: step < day ? text.slice(11, 16) : text.slice(5, 10) };
  });
}

function bar({ x }: Scale, row: number, { phase, from, to, isPlanned }: LifePart): Html {
  const y = top + row * rowHeight + (rowHeight - barHeight) / 2;
  const span = Math.max(1, Math.round((x(to) - x(from)) * 10) / 10);
  return html`
    <rect class="life life-${phase}${isPlanned && ' life-planned'}" x="${x(from)}" y="${y}" width="${span}" height="${barHeight}" rx="2">
    <title>
      ${phaseTexts[phase]}
      : ${formatTime(from)} to ${formatTime(to)}${isPlanned && ', planned'}
    </title>
    </rect>
  `;
}

/** The same as the picture in words: each key, and the parts of its life. */
export function lifeText(entries: readonly SigningKeyEntry[], now: number): Html {
  const { end } = createScale(entries, now);
  return html`
    <details class="program">
      <summary>The picture in words</summary>
      <ul>
        ${entries.map(
          (entry) =>
            html`
        <li>
          <code>${entry.key.kid.slice(0, 8)}…</code> ${entry.key.alg}
          <ul>
            ${lifeOf(entry, now, end).map(
              ({ phase, from, to, isPlanned }) =>
                html`<li>${phaseTexts[phase]}: ${formatMinute(from)}${
                  to < end && html` to ${formatMinute(to)}`
                }${isPlanned && ', planned'}</li>`,
            )}
          </ul>
        </li>
      `,
        )}
      </ul>
    </details>
  `;
}

/** The life cycle of a region's keys as a picture; {@link lifeText} has the same in words. */
export function lifePicture(
  entries: readonly SigningKeyEntry[],
  now: number,
  titleId: string,
): Html {
  const scale = createScale(entries, now);
  const height = top + entries.length * rowHeight + 8;
  const bottom = height - 4;
  return html`
    <svg class="picture" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${titleId}">
      <title id="${titleId}">
        The life of ${entries.length} signing keys over time; the list below has the times.
      </title>
      ${ticks(scale).map(
        ({ at, text }) =>
          html`
        <line class="tick" x1="${at}" y1="${top - 4}" x2="${at}" y2="${bottom}"></line>
        <text class="tick-text" x="${at}" y="${top - 10}" text-anchor="middle">${text}</text>
      `,
      )}${entries.map(
        (entry, row) =>
          html`
        <text class="key-text" x="0" y="${top + row * rowHeight + rowHeight / 2 + 4}">
        ${entry.key.kid.slice(0, 8)}… ${entry.key.alg}</text>
        ${lifeOf(entry, now, scale.end).map((part) => bar(scale, row, part))}
      `,
      )}
      <line class="now" x1="${scale.x(now)}" y1="${top - 4}" x2="${scale.x(now)}" y2="${bottom}">
      </line>
    </svg>
  `;
}

export type SigningKeyEntry = Awaited<ReturnType<Management['listSigningKeys']>>[number];

/** The state of a key during a part of its life cycle. */
type Phase = 'next' | 'current' | 'previous' | 'withdrawn';

export const phaseTexts: Readonly<Record<Phase, string>> = {
  next: 'Published, does not sign yet',
  current: 'Signs',
  previous: 'No longer signs, its tokens verify',
  withdrawn: 'Out of the JWKS',
};

interface LifePart {
  readonly phase: Phase;
  /** Seconds since the epoch. */
  readonly from: number;
  readonly to: number;
  /** Whether it is in the future, as the rotation plans it. */
  readonly isPlanned: boolean;
}

/** Marks of a key's life cycle, in order. A key that never signed has no `retired`. */
function boundaries({
  key,
  next,
}: SigningKeyEntry): readonly (readonly [Phase, number | undefined])[] {
  const planned = (action: string) => (next?.action === action ? next.at : undefined);
  return [
    ['next', key.publishedAt],
    ['current', key.activatedAt ?? planned('promote')],
    ['previous', key.retiredAt ?? planned('retire')],
    ['withdrawn', key.withdrawnAt ?? key.withdrawAt ?? planned('withdraw')],
  ];
}

/**
 * The parts of a key's life cycle. The parts after the present one are planned.
 *
 * @param end the end of the picture, and of the last part.
 */
function lifeOf(entry: SigningKeyEntry, now: number, end: number): readonly LifePart[] {
  const { key } = entry;
  const marks = boundaries(entry).flatMap(([phase, from]) =>
    from === undefined ? [] : [{ phase, from }],
  );
  const last = key.disabledAt ?? end;
  return marks.flatMap(({ phase, from }, index): readonly LifePart[] => {
    const to = Math.min(end, marks[index + 1]?.from ?? (phase === 'withdrawn' ? last : end));
    if (to <= from) return [];
    // The current part has begun, and continues as planned.
    if (from < now && now < to) {
      return [
        { phase, from, to: now, isPlanned: false },
        { phase, from: now, to, isPlanned: true },
      ];
    }
    return [{ phase, from, to, isPlanned: from >= now }];
  });
}
