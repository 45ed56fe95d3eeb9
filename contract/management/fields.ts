import * as v from 'valibot';
import { maxGivenItems, maxUnknownFields } from '../bounds.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';
import { suggestName } from '../nearest-names.ts';
import type { ManagementConfig } from './management-config.ts';

/**
 * What the schemas of inputs are made of. A field says which values are allowed and reads one; what is
 * wrong with an input is all of its wrong fields. A rule is written here or in `rules.ts` once, so a
 * value has one message for every caller.
 */

/** What rules need to know in addition to the value. */
export interface RuleFacts {
  readonly config: Pick<ManagementConfig, 'tokenLifetime' | 'scopes'>;
  /** Seconds since the epoch. */
  readonly now: number;
  /** The service trunk groups that the caller is restricted to; every one if left out. */
  readonly trunkGroups?: readonly string[] | undefined;
  /** What is wrong with a subnet. The contract reads no addresses. */
  readonly findWrongSubnet: (subnet: {
    readonly address: string;
    readonly netmask?: string | number | undefined;
  }) => { readonly field: string; readonly problem: string } | undefined;
}

type Allowed = string | ((facts: RuleFacts) => string);

/** Marks an issue whose message is the whole problem, and not only what is allowed. */
export const wholeProblem = 'whole_problem';

/** What is wrong with a value, if it is not what the field says. */
export class Wrong {
  readonly issue: WrongIssue;

  constructor(issue: WrongIssue = {}) {
    this.issue = issue;
  }
}

interface WrongIssue {
  /** What is allowed. */
  readonly message?: string;
  /** The message also says what was received. */
  readonly expected?: typeof wholeProblem;
  /** What was received, as a message shows it. Undefined: nothing. */
  readonly input?: unknown;
}

export const wrong = new Wrong();

function factsOf(config: { readonly facts?: RuleFacts } | object): RuleFacts {
  if ('facts' in config && config.facts !== undefined) return config.facts;
  throw new TypeError('an input is checked with checkInput');
}

/**
 * The value that a schema makes of an input, or all that is wrong with it.
 *
 * @param facts those that its rules need.
 */
export function checkInput<const T extends v.GenericSchema>(
  schema: T,
  input: unknown,
  facts: Partial<RuleFacts>,
): { readonly output: v.InferOutput<T>; readonly issues: readonly v.BaseIssue<unknown>[] } {
  const config: object = { facts };
  const { value, issues = [] } = schema['~run']({ value: input }, config);
  return { output: value, issues };
}

/**
 * A field. What was given may have any type.
 *
 * @param allowed what a message says is allowed.
 * @param read the value, or what is wrong with it.
 */
export function field<T>(allowed: Allowed, read: (value: unknown, facts: RuleFacts) => T | Wrong) {
  return v.pipe(
    v.custom<T>(() => true),
    v.rawTransform<T, T>(({ dataset, config, addIssue, NEVER }) => {
      const facts = factsOf(config);
      const found = read(dataset.value, facts);
      if (!(found instanceof Wrong)) return found;
      const message = typeof allowed === 'string' ? allowed : allowed(facts);
      addIssue({ message, input: dataset.value, ...found.issue });
      return NEVER;
    }),
  );
}

export function text(
  allowed: Allowed,
  read: (value: string, facts: RuleFacts) => string | Wrong = same,
) {
  return field<string>(allowed, (value, facts) =>
    typeof value === 'string' ? read(value, facts) : wrong,
  );
}

function same(value: string): string {
  return value;
}

/** Characters: above each credential, key and token that is accepted anywhere. */
const maxSecretText = 65_536;

/** A text that no message repeats. */
export function secretText(allowed: string) {
  return field<string>(allowed, (value) =>
    typeof value === 'string' && value.length <= maxSecretText
      ? value
      : new Wrong({ input: undefined }),
  );
}

/** One of some words. @param separator between them in a message. */
export function oneOf<const Word extends string>(words: readonly Word[], separator = ' or ') {
  return field<Word>(
    words.join(separator),
    (value) => words.find((word) => word === value) ?? wrong,
  );
}

export const flag = field<boolean>('true or false', (value) =>
  typeof value === 'boolean' ? value : wrong,
);

function isWhole(value: unknown, least: number, most: number): value is number {
  return Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
}

/** A whole number. @param allowed what a message says; the bounds if left out. */
export function whole(
  bounds: (facts: RuleFacts) => readonly [least: number, most: number],
  allowed = (least: number, most: number) => `a whole number from ${least} to ${most}`,
) {
  return field<number>(
    (facts) => allowed(...bounds(facts)),
    (value, facts) => (isWhole(value, ...bounds(facts)) ? value : wrong),
  );
}

/** A list of a result. */
export function list<T extends v.GenericSchema>(item: T) {
  return v.pipe(v.array(item, 'a list'), v.readonly());
}

/**
 * A list of an input. They are counted before one is looked at.
 *
 * @param findWrong what is wrong with the list as a whole, also if an item is. It takes time in
 *   proportion to the list.
 */
export function givenList<const T extends v.GenericSchema>(
  item: T,
  findWrong: (items: readonly unknown[], facts: RuleFacts) => Wrong | undefined = () => undefined,
  most = maxGivenItems,
) {
  return v.pipe(
    v.custom<unknown[]>(Array.isArray, 'a list'),
    v.rawCheck(({ dataset: { typed, value }, config, addIssue }) => {
      if (!typed || value.length <= most) return;
      const tooMany = new Wrong({ message: `at most ${most}`, input: value.length });
      addIssue({ ...(findWrong(value, factsOf(config)) ?? tooMany).issue });
    }),
    v.array(item, 'a list'),
    v.rawCheck(({ dataset, config, addIssue }) => {
      if (!Array.isArray(dataset.value) || dataset.value.length > most) return;
      const found = findWrong(dataset.value, factsOf(config));
      if (found !== undefined) addIssue({ input: dataset.value, ...found.issue });
    }),
    v.readonly(),
  );
}

/** The issue about a field that an object does not have. Its message is the names of the others. */
export const unknownField = 'unknown_field';

/** The first fields that an object does not have, each with those that it has. */
export function findUnknown(input: JsonObject, names: readonly string[]) {
  const unknown = Object.keys(input).filter((name) => !names.includes(name));
  return unknown
    .slice(0, maxUnknownFields)
    .map((name) => [name, `${names.join(', ')}${suggestName(name, names)}`] as const);
}

/** The fields of an object as they were given, of any type. */
export type FieldValues = Readonly<Record<string, unknown>>;

/** What is wrong with fields together, by their names. */
export type WrongFields = readonly (readonly [field: string, wrong: Wrong])[];

/**
 * An object with no other fields.
 *
 * @param findWrong what is wrong with its fields together, also if one is wrong by itself.
 */
export function exactly<const Entries extends v.ObjectEntries>(
  entries: Entries,
  findWrong: (values: FieldValues, facts: RuleFacts) => WrongFields = () => [],
) {
  type Read = v.ObjectSchema<Entries, undefined>;
  const fields = Object.keys(entries) as readonly (keyof Entries & string)[];
  const names: readonly string[] = fields;
  const schema = v.pipe(
    v.custom<JsonObject>(isJsonObject, `an object with ${names.join(', ')}`),
    // A field that is missing says itself what is allowed.
    v.rawTransform<JsonObject, JsonObject>(({ dataset: { value } }) => ({
      ...Object.fromEntries(names.map((name) => [name, undefined])),
      ...value,
    })),
    v.looseObject(entries),
    v.rawCheck(({ dataset, config, addIssue }) => {
      const input = dataset.value;
      if (!isJsonObject(input)) return;
      const pathOf = (key: string) =>
        [{ type: 'object', origin: 'value', input, key, value: input[key] }] as const;
      for (const [key, message] of findUnknown(input, names)) {
        addIssue({ expected: unknownField, message, path: [...pathOf(key)] });
      }
      for (const [key, { issue }] of findWrong(input, factsOf(config))) {
        addIssue({ input: input[key], ...issue, path: [...pathOf(key)] });
      }
    }),
  );
  const typed = schema as unknown as v.GenericSchema<v.InferInput<Read>, v.InferOutput<Read>>;
  return Object.assign(typed, { fields });
}

type OrNone<Entries extends v.ObjectEntries> = {
  readonly [Name in keyof Entries]: v.OptionalSchema<
    v.NullableSchema<Entries[Name], undefined>,
    undefined
  >;
};

/** Fields of a change that may also be null: then it is as if they had never been given. */
export function orNone<const Entries extends v.ObjectEntries>(entries: Entries): OrNone<Entries> {
  const fields = Object.entries(entries).map(([name, rule]) => [
    name,
    v.optional(v.nullable(rule)),
  ]);
  return Object.fromEntries(fields) as OrNone<Entries>;
}

/** Fields of inputs as a result has them: what was stored is not checked again. All are optional. */
export function asStored<const Entries extends v.ObjectEntries>(entries: Entries): Entries {
  const stored = Object.keys(entries).map((name) => [name, v.optional(v.unknown())]);
  return Object.fromEntries(stored) as Entries;
}

/** A field by its name on the wire, which is in snake_case. */
export function wireNameOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
