import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import * as v from 'valibot';
import { MalformedRecordError } from '../../core/errors.ts';

/** An item as DynamoDB's API carries it. */
export type Item = Record<string, AttributeValue>;

/**
 * Every item says by which schema it was written. Schemas are strict: a new attribute takes a new
 * version, and readers that know it go out before writers.
 */
export const schemaVersion = v.literal(1);

/** Identifiers and names that the limits do not bound more tightly. */
export const text = v.pipe(v.string(), v.minLength(1), v.maxLength(256));
/** URLs: what browsers and servers commonly accept. */
export const urlText = v.pipe(v.string(), v.minLength(1), v.maxLength(2048));
/** A stored hash: its format's name and up to 512 bits. */
export const hashText = v.pipe(v.string(), v.minLength(1), v.maxLength(128));
export const version = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
/** Seconds since the epoch, up to the year 9999. */
export const epochSeconds = v.pipe(
  v.number(),
  v.safeInteger(),
  v.minValue(0),
  v.maxValue(253_402_300_799),
);

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && value.constructor === Object;
}

/** A DynamoDB map by keys that are not known before: no list and no set, which look alike. */
export function mapOf<const T extends v.GenericSchema>(value: T, maxEntries: number) {
  return v.pipe(
    v.custom<Record<string, unknown>>(isMap, 'a map'),
    v.record(text, value),
    v.maxEntries(maxEntries),
  );
}

/** Writes an item. An attribute that is undefined is left out, at any depth. */
export function toItem(attributes: Readonly<Record<string, unknown>>): Item {
  return marshall(attributes, { removeUndefinedValues: true });
}

function malformed(what: string, detail: string, cause?: unknown): MalformedRecordError {
  return new MalformedRecordError(`the item of ${what} cannot be read: ${detail}`, { cause });
}

/**
 * No item has binary values. They look like text where they come as JSON, so they are refused by
 * their type.
 */
function hasBinary(
  values: Readonly<Record<string, AttributeValue>> | readonly AttributeValue[],
): boolean {
  return Object.values(values).some((value: AttributeValue): boolean => {
    if (value.M !== undefined) return hasBinary(value.M);
    if (value.L !== undefined) return hasBinary(value.L);
    return value.B !== undefined || value.BS !== undefined;
  });
}

function unmarshallItem(item: Item, what: string): Record<string, unknown> {
  try {
    return unmarshall(item);
  } catch {
    // A number that JavaScript cannot hold. Its error shows the value, so it is not the cause.
    throw malformed(what, 'a value has no JavaScript counterpart');
  }
}

/** Where in the item and what was expected there, never the value: it may be a hash. */
function describeIssue(issue: v.BaseIssue<unknown>): string {
  const path = issue.path?.map((part) => String(part.key)).join('.') ?? '';
  const where = path === '' ? 'the item' : path.slice(0, 80);
  if (issue.expected === 'never') return `${where}: expected no such attribute`;
  // The messages of these are ours. Messages of the library show the value.
  const isOurs = issue.type === 'check' || issue.type === 'custom';
  return `${where}: expected ${isOurs ? issue.message : (issue.expected ?? issue.type)}`;
}

/**
 * Reads an item.
 *
 * @param what whose item, for the error: `client "client_x"`.
 * @throws {MalformedRecordError} that shows no value of the item.
 */
export function parseItem<const T extends v.GenericSchema>(
  schema: T,
  item: Item,
  what: string,
): v.InferOutput<T> {
  if (hasBinary(item)) throw malformed(what, 'a value is binary');
  const result = v.safeParse(schema, unmarshallItem(item, what), { abortEarly: true });
  if (result.success) return result.output;
  throw malformed(what, describeIssue(result.issues[0]));
}
