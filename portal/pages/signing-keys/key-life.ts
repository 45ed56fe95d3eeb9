import type { Management } from '../../../adapters/management.ts';

export type SigningKeyEntry = Awaited<ReturnType<Management['listSigningKeys']>>[number];

/** The state of a key during a part of its life cycle. */
export type Phase = 'next' | 'current' | 'previous' | 'withdrawn';

export const phaseTexts: Readonly<Record<Phase, string>> = {
  next: 'Published, does not sign yet',
  current: 'Signs',
  previous: 'No longer signs, its tokens verify',
  withdrawn: 'Out of the JWKS',
};

export interface LifePart {
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
export function lifeOf(entry: SigningKeyEntry, now: number, end: number): readonly LifePart[] {
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
