import {
  type FieldKind,
  fieldLabel,
  type GivenWords,
  type WordedField,
} from '../../contract/management/field-words.ts';
import { groupClaims } from '../../core/client/claim-condition.ts';
import { formatTyped, readTyped } from '../../core/typed-text.ts';
import { checkbox, textArea, textField } from '../html/field.ts';
import type { Html, HtmlValue } from '../html/html.ts';
import { formatExactSpan, formatMinute } from '../html/time.ts';
import { TypedDuration } from './duration.ts';
import { type Fields, FormError, type Problems, problemAt, requireChoice } from './problems.ts';

/** One field as entered. */
interface FieldValue {
  /** As typed, with several lines for a list that is typed. */
  readonly text: string;
  /** What is ticked in a list. */
  readonly items: readonly string[];
  /** Whether a flag is set, only what is ticked may be given, or the form had the field. */
  readonly isOn: boolean;
}

/** The content of a form whose fields follow from their words. */
export type FieldValues<Name extends string> = Readonly<Record<Name, FieldValue>>;

type Words<Name extends string> = Readonly<Record<Name, GivenWords>>;

/** The choice that a list belongs to. */
export const onlyThese = 'Only these';

const namesOf = <Name extends string>(words: Words<Name>) =>
  Object.keys(words) as unknown as readonly Name[];

function ofEvery<Name extends string>(
  words: Words<Name>,
  value: (name: Name, words: GivenWords) => Partial<FieldValue>,
): FieldValues<Name> {
  const none: FieldValue = { text: '', items: [], isOn: false };
  const entries = namesOf(words).map((name) => [name, { ...none, ...value(name, words[name]) }]);
  return Object.fromEntries(entries) as FieldValues<Name>;
}

/** A stored value as it is typed. */
function typedText({ kind }: GivenWords, value: unknown): string {
  if (value === undefined) return '';
  if (kind === 'lines') return (value as readonly string[]).join('\n');
  const typed = formatTyped(kind, value);
  return typeof typed === 'string' ? typed : JSON.stringify(typed);
}

/** The content of a form about what is stored. */
export function valuesOf<Name extends string>(
  words: Words<Name>,
  stored: Readonly<Partial<Record<NoInfer<Name>, unknown>>>,
): FieldValues<Name> {
  return ofEvery(words, (name, one) => {
    const value = stored[name];
    if (one.kind === 'flag') return { isOn: value === true };
    if (one.kind !== 'list') return { text: typedText(one, value) };
    return value === undefined ? {} : { items: value as readonly string[], isOn: true };
  });
}

/** The content of a form that was sent. */
export function readValues<Name extends string>(
  words: Words<Name>,
  form: Fields,
): FieldValues<Name> {
  return ofEvery(words, (name, { kind }) =>
    kind === 'list'
      ? { items: form.all(name), isOn: form.text(`${name}Choice`) === 'some' }
      : { text: form.text(name), isOn: form.all(name).length > 0 },
  );
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  return lines.filter((line) => line !== '');
}

/** Kinds of one value. With no text there is none. */
const isSingle: ReadonlySet<FieldKind> = new Set(['text', 'count', 'seconds', 'time']);

/** What the library gets of a field. */
const readers: Readonly<
  Record<FieldKind, (value: FieldValue, name: string, words: GivenWords) => unknown>
> = {
  text: ({ text }) => text.trim(),
  count: ({ text }) => readTyped('count', text.trim()),
  seconds: ({ text }) => new TypedDuration(text),
  time: ({ text }) => readTyped('time', text.trim()),
  flag: ({ isOn }) => isOn || undefined,
  list: ({ items, isOn }, field, { choice }) => {
    if (choice === undefined) return items;
    requireChoice({ field, label: onlyThese, isChosen: isOn, text: items.join(', ') });
    return isOn ? items : undefined;
  },
  lines: ({ text }) => linesOf(text),
  claims: ({ text }, field) => {
    const lines = linesOf(text);
    if (lines.length === 0) return undefined;
    const conditions = groupClaims(lines);
    if (conditions !== undefined) return conditions;
    const message = 'Received a line that is not NAME=VALUE, such as repository_id=1296269.';
    throw new FormError([{ field, message }]);
  },
};

/**
 * The fields as the library takes them. An empty one is left out.
 *
 * @param removed null in a change, for what was emptied and can be removed.
 */
export function inputOf<Name extends string>(
  words: Words<Name>,
  values: FieldValues<Name>,
  names: readonly Name[] = namesOf(words),
  removed?: null,
): Readonly<Partial<Record<Name, () => unknown>>> {
  const read = (name: Name): unknown => {
    const { [name]: value } = values;
    const { kind, removal } = words[name];
    if (!isSingle.has(kind) || value.text.trim() !== '') {
      return readers[kind](value, name, words[name]);
    }
    return value.isOn && removal !== undefined ? removed : undefined;
  };
  const entries = names.map((name) => [name, () => read(name)] as const);
  return Object.fromEntries(entries) as Partial<Record<Name, () => unknown>>;
}

/** What the form says about empty fields that are needed. */
export function requiredOf<Name extends string>(
  words: Words<Name>,
  names: readonly Name[] = namesOf(words),
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const { required } = words[name];
      return required === undefined ? [] : [[name, required]];
    }),
  );
}

interface Around {
  readonly problems: Problems;
  /** Instead of that of its words. */
  readonly hint?: string | undefined;
  /** The stored value, if another user has changed it since the form was opened. */
  readonly stored?: unknown;
  readonly required?: boolean;
}

/** The field of a form. A list that is ticked has a widget of its own. */
export function wordedField<Name extends WordedField>(
  words: Words<Name>,
  name: Name,
  { text, isOn }: FieldValue,
  { problems, hint = words[name].hint, stored, required }: Around,
): Html {
  const { kind, choice = '', maxLength, isCode } = words[name];
  const now = typedText(words[name], stored);
  const note = now === '' || now === text ? '' : ` Stored now: ${now.replaceAll('\n', ' ')}.`;
  const field = {
    name,
    label: kind === 'lines' ? `${fieldLabel(name)} (optional)` : fieldLabel(name),
    hint: hint && `${hint}${note}`,
    error: problemAt(problems, name),
  };
  if (kind === 'flag') return checkbox({ ...field, label: choice, isOn });
  if (kind === 'lines' || kind === 'claims') return textArea({ ...field, value: text, rows: 2 });
  return textField({
    ...field,
    value: text,
    required: required ?? words[name].required !== undefined,
    maxLength,
    isCode,
    width: kind === 'text' ? undefined : 'short',
  });
}

/** The value of a field in a row of a page. */
export function fieldFact({ kind }: GivenWords, value: unknown): HtmlValue {
  if (kind === 'time') return formatMinute(Number(value));
  return kind === 'seconds' ? formatExactSpan(Number(value)) : String(value);
}
