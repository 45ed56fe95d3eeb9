import { Option } from 'commander';
import type { FieldKind, GivenWords } from '../../contract/management/field-words.ts';
import { wireNameOf } from '../../contract/management/fields.ts';
import { type ClaimCondition, groupClaims } from '../../core/client/claim-condition.ts';
import { formatTyped, readTyped } from '../../core/typed-text.ts';
import { collectValues, givesField, option } from '../command-spec.ts';
import type { Cell } from '../output.ts';
import { UsageError } from '../usage-error.ts';
export const clientIdArgument = ['client-id', 'id of the client, client_...'] as const;

export const idempotencyKeyOption = () =>
  option('--idempotency-key <key>', 'two creations with the same key create one; e.g. a UUID');

type Words<Name extends string> = Readonly<Record<Name, GivenWords>>;

/** What commander makes of the options. */
export type OptionTexts = Readonly<Record<string, unknown>>;

/** `name=value` of each `--require-claim`; values of one name are alternatives. */
function parseRequiredClaims(texts: readonly string[]): readonly ClaimCondition[] {
  const conditions = groupClaims(texts);
  if (conditions !== undefined) return conditions;
  throw new UsageError(
    `--require-claim: received ${JSON.stringify(texts)}; allowed: NAME=VALUE, e.g. repository_id=1296269`,
  );
}

/** An option that may be repeated has the name of one value. */
const isRepeated: ReadonlySet<FieldKind> = new Set(['list', 'lines', 'claims']);

/** A field as words of a command line: `max-clients`. */
export const dashed = (name: string): string => wireNameOf(name).replaceAll('_', '-');

const itemOf: Readonly<Partial<Record<FieldKind, string>>> = { seconds: 'duration', time: 'time' };

function optionOf(name: string, words: GivenWords): Option {
  const { kind, option: summary, item = itemOf[kind] ?? 'count' } = words;
  const one = isRepeated.has(kind) ? name.replace(/s$/, '') : name;
  const flag = `--${words.optionName ?? dashed(one)}`;
  const made = new Option(kind === 'flag' ? flag : `${flag} <${item}>`, summary);
  if (isRepeated.has(kind)) made.argParser(collectValues);
  givesField(made, name);
  return words.required === undefined ? made : made.makeOptionMandatory();
}

/** The options of fields. */
export function fieldOptions<Name extends string>(
  words: Words<Name>,
  names: readonly Name[],
): readonly Option[] {
  return names.map((name) => optionOf(name, words[name]));
}

const removalOf = ({ removal }: GivenWords) => removal && new Option(`--${removal[0]}`, removal[1]);

/** The options of a change: none is needed, a list replaces all, and some remove what there is. */
export function changeOptions<Name extends string>(
  words: Words<Name>,
  names: readonly Name[],
): readonly Option[] {
  return names.flatMap((name) => {
    const removal = removalOf(words[name]);
    const made = optionOf(name, { ...words[name], required: undefined });
    if (isRepeated.has(words[name].kind)) made.description = `replaces all: ${made.description}`;
    if (removal === undefined) return [made];
    // Of `--x` and `--no-x`, which are one attribute, the last counts.
    const isOther = removal.attributeName() !== made.attributeName();
    return [made, isOther ? removal.conflicts(made.attributeName()) : removal];
  });
}

/** The fields that options name, as the library takes them. `--no-scopes` is false for `scopes`. */
export function readFields<Name extends string>(
  words: Words<Name>,
  names: readonly Name[],
  options: OptionTexts,
): Readonly<Partial<Record<Name, unknown>>> {
  const read = (name: Name): unknown => {
    const { kind } = words[name];
    const removal = removalOf(words[name]);
    if (removal !== undefined && options[removal.attributeName()] === !removal.negate) {
      return isRepeated.has(kind) ? [] : null;
    }
    const value = options[optionOf(name, words[name]).attributeName()];
    if (kind === 'claims' && value !== undefined) {
      return parseRequiredClaims(value as readonly string[]);
    }
    return typeof value === 'string' ? readTyped(kind, value) : value;
  };
  const entries = names.map((name) => [name, read(name)] as const);
  const present = entries.filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as Partial<Record<Name, unknown>>;
}

/** The value of a field as a line shows it. */
export function fieldCell({ kind }: GivenWords, value: unknown): Cell {
  return formatTyped(kind, value) as Cell;
}
