import {
  type LimitKind,
  type LimitName,
  limitWords,
} from '../../contract/management/field-words.ts';
import { formatDuration, numberOrTyped } from '../../core/duration.ts';
import { type GrantLimits, limitNames } from '../../core/trunk-group/trunk-group-limits.ts';
import { requireChoice } from './choice.ts';
import { TypedDuration } from './duration.ts';
import type { Fields } from './fields.ts';
import type { Readers } from './form.ts';

/** One limit as entered. */
interface LimitValue {
  /** A number or a duration; empty: no limit. */
  readonly text: string;
  /** What is ticked in a list. */
  readonly items: readonly string[];
  /** Whether a flag is set, or only what is ticked may be granted. */
  readonly isOn: boolean;
}

/** The content of the form of a trunk group's limits. */
export type LimitsValues = Readonly<Record<LimitName, LimitValue>>;

/** The choice that a list belongs to. */
export const onlyThese = 'Only these';

function ofEvery(value: (name: LimitName) => LimitValue): LimitsValues {
  return Object.fromEntries(limitNames.map((name) => [name, value(name)])) as LimitsValues;
}

export function valuesOfLimits(limits: GrantLimits): LimitsValues {
  return ofEvery((name) => {
    const value = limits[name];
    if (typeof value === 'object') return { text: '', items: value, isOn: true };
    if (typeof value !== 'number') return { text: '', items: [], isOn: value === true };
    const isTime = limitWords[name].kind === 'seconds';
    return { text: isTime ? formatDuration(value) : String(value), items: [], isOn: true };
  });
}

export function readLimitsValues(form: Fields): LimitsValues {
  return ofEvery((name) => {
    const isList = limitWords[name].kind === 'list';
    return isList
      ? { text: '', items: form.all(name), isOn: form.text(`${name}Choice`) === 'some' }
      : { text: form.text(name), items: [], isOn: form.isOn(name) };
  });
}

/** What the library gets of a limit. */
const readers: Readonly<Record<LimitKind, (value: LimitValue, name: LimitName) => unknown>> = {
  count: ({ text }) => (text.trim() === '' ? undefined : numberOrTyped(text.trim())),
  seconds: ({ text }) => (text.trim() === '' ? undefined : new TypedDuration(text)),
  flag: ({ isOn }) => isOn || undefined,
  list: ({ items, isOn }, name) => {
    requireChoice({ field: name, label: onlyThese, isChosen: isOn, text: items.join(', ') });
    return isOn ? items : undefined;
  },
};

/** The limits as the library takes them, which replace the stored ones as a whole. */
export function limitsInput(values: LimitsValues): Readers<GrantLimits> {
  return Object.fromEntries(
    limitNames.map((name) => [name, () => readers[limitWords[name].kind](values[name], name)]),
  );
}
