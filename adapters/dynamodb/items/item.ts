import * as v from 'valibot';
import { MalformedRecordError } from '../../../core/errors.ts';

/** An item of a table as a plain object. */
export type Item = Readonly<Record<string, unknown>>;

/**
 * Every item has the version of its schema. Schemas are strict: a new attribute needs a new
 * version, and readers that know it are released before writers (docs/upgrade.md).
 */
export const schemaVersion = v.literal(1);

/** A text that is not empty. */
export function textUpTo(maxLength: number) {
  return v.pipe(v.string(), v.minLength(1), v.maxLength(maxLength));
}

/** A whole number, both bounds included. */
export function wholeNumber(least: number, most: number) {
  return v.pipe(v.number(), v.safeInteger(), v.minValue(least), v.maxValue(most));
}

/** Maximum length of identifiers and names that have no tighter bound. */
export const text = textUpTo(256);
/** Maximum length of URLs that browsers and servers commonly accept. */
export const urlText = textUpTo(2048);
/** A stored hash: its format's name and up to 512 bits. */
export const hashText = textUpTo(128);
export const version = wholeNumber(1, Number.POSITIVE_INFINITY);
/** Seconds since the epoch, up to the year 9999. */
export const epochSeconds = wholeNumber(0, 253_402_300_799);

/** Whether a value is a DynamoDB map: neither a list, a set nor bytes. */
export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && value.constructor === Object;
}

/** A DynamoDB map with any keys. Lists and sets, which look similar, are refused. */
export function mapOf<const T extends v.GenericSchema>(value: T, maxEntries: number) {
  return v.pipe(
    v.custom<Record<string, unknown>>(isMap, 'a map'),
    v.record(text, value),
    v.maxEntries(maxEntries),
  );
}

type CamelCase<Name> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;
type SnakeCase<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

/** Renames the members of objects. Schemas have few names, and each is computed once. */
function renaming(rename: (name: string) => string) {
  const names = new Map<string, string>();
  return (from: object): object => {
    const to: Record<string, unknown> = {};
    for (const name in from) {
      const renamed = names.get(name) ?? rename(name);
      names.set(name, renamed);
      to[renamed] = from[name as keyof typeof from];
    }
    return to;
  };
}

/** A record of the program with the attributes of an item. */
type RecordOf<T> = { [Name in keyof T as CamelCase<Name>]: T[Name] };

/** Attributes of an item as a record of the program: `created_at` as `createdAt`. Values stay. */
export const toRecord = renaming((name) =>
  name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
) as <T extends object>(attributes: T) => RecordOf<T>;

/** The reverse of {@link toRecord}. */
export const toAttributes = /* @__PURE__ */ renaming((name) =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
) as <T extends object>(record: T) => { [Name in keyof T as SnakeCase<Name>]: T[Name] };

/** An item as DynamoDB stores it: without undefined attributes, at any depth. */
export function toItem(attributes: Item): Item {
  return JSON.parse(JSON.stringify(attributes)) as Item;
}

/** An item that `parse` can read again. It throws if not, and the item is not written. */
export function toReadableItem(parse: (item: Item) => unknown, attributes: Item): Item {
  const item = toItem(attributes);
  parse(item);
  return item;
}

/** Reads a DynamoDB number, which can have 38 digits. `NaN` if JavaScript cannot represent it. */
export function readNumber(text: string): number {
  const value = Number(text);
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : Number.NaN;
}

/** The place in the item and what was expected there, but never the value: it may be a hash. */
function describeIssue(issue: v.BaseIssue<unknown>): string {
  const path = issue.path?.map((part) => String(part.key)).join('.') ?? '';
  const where = path === '' ? 'the item' : path.slice(0, 80);
  if (issue.expected === 'never') return `${where}: expected no such attribute`;
  // These checks have our own messages. Messages of the library contain the value.
  const isOurs = issue.type === 'check' || issue.type === 'custom';
  return `${where}: expected ${isOurs ? issue.message : (issue.expected ?? issue.type)}`;
}

/**
 * Reads an item.
 *
 * @param kind what the item describes, for the error: `client`.
 * @param idAttribute the attribute that identifies the item.
 * @throws {MalformedRecordError} that shows no value of the item but its id.
 */
export function parseItem<const T extends v.GenericSchema>(
  schema: T,
  item: Item,
  kind: string,
  idAttribute: string,
): v.InferOutput<T> {
  const result = v.safeParse(schema, item, { abortEarly: true });
  if (result.success) return result.output;
  const issue = describeIssue(result.issues[0]);
  throw new MalformedRecordError(
    `the item of ${kind} "${String(item[idAttribute])}" cannot be read: ${issue}`,
  );
}

/** A kind of items in a table that is partitioned by the kind of record. */
interface PartitionKind<Id extends string, IdSchema, Entries> {
  readonly recordType: string;
  /** What the record calls its sort key. */
  readonly idName: Id;
  /** A short text if left out. */
  readonly id?: IdSchema;
  /** For errors: `key intent`. */
  readonly noun: string;
  readonly entries: Entries;
  /** Whether an item of valid attributes is one, and what it must be. */
  readonly check?: readonly [holds: (item: Item) => boolean, expected: string];
}

/** The records of items: of each attribute by its name in the program, and of the sort key. */
type Stored<
  Id extends string,
  IdSchema extends v.GenericSchema,
  Entries extends v.ObjectEntries,
> = RecordOf<v.InferOutput<v.StrictObjectSchema<Entries, undefined>>> &
  Readonly<Record<Id, v.InferOutput<IdSchema>>>;

/** The records of the items of a partition. What only reads bundles nothing that writes. */
export function partitionReader<
  const Id extends string,
  const Entries extends v.ObjectEntries,
  const IdSchema extends v.GenericSchema = typeof text,
>(kind: PartitionKind<Id, IdSchema, Entries>) {
  const { recordType, idName, id = text, noun, entries } = kind;
  const [holds = () => true, expected = ''] = kind.check ?? [];
  const attributesSchema: v.GenericSchema<unknown, Item> = v.strictObject({
    record_type: v.literal(recordType),
    record_id: id,
    schema_version: schemaVersion,
    ...entries,
  });
  const schema = v.pipe(attributesSchema, v.check(holds, expected));
  const parse = (item: Item): Stored<Id, IdSchema, Entries> => {
    const {
      record_type: _type,
      schema_version: _version,
      record_id: recordId,
      ...attributes
    } = parseItem(schema, item, noun, 'record_id');
    return { [idName]: recordId, ...toRecord(attributes) } as Stored<Id, IdSchema, Entries>;
  };
  return { recordType, schema, parse };
}

/** The same, and the items of records. */
export function partitionItem<
  const Id extends string,
  const Entries extends v.ObjectEntries,
  const IdSchema extends v.GenericSchema = typeof text,
>(kind: PartitionKind<Id, IdSchema, Entries>) {
  const reader = partitionReader(kind);
  const toItem = (record: object): Item => {
    const { [kind.idName]: record_id, ...attributes } = record as Item;
    const head = { record_type: kind.recordType, record_id, schema_version: 1 };
    return toReadableItem(reader.parse, { ...head, ...toAttributes(attributes) });
  };
  return { ...reader, toItem };
}
