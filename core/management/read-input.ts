import { isJsonObject } from '../../contract/json-object.ts';
import { InputError } from '../errors.ts';
import { editDistance } from './nearest-names.ts';

/** Longer values are cut: a message is read by a person. */
const maxShown = 80;

/** A value as a message shows it. What JSON cannot say has the name of its type. */
function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = jsonOf(value) ?? `a ${typeof value}`;
  return text.length > maxShown ? `${text.slice(0, maxShown - 3)}...` : text;
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Fields whose plural holds one value each time they are given. */
const labels: ReadonlyMap<string, string> = new Map([
  ['scopes', 'scope'],
  ['audiences', 'audience'],
]);

/** The name of a field on the wire: `tokenLifetime` is `token_lifetime` there. */
function labelOf(field: string): string {
  return labels.get(field) ?? field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * @param field the field as a program names it, e.g. `tokenLifetime`.
 * @param label what the message calls it; the name on the wire if left out.
 * @throws {InputError} always, with the value received and what is allowed.
 */
export function refuseInput(
  field: string,
  value: unknown,
  allowed: string,
  label: string = labelOf(field),
): never {
  throw new InputError(`received ${show(value)}; allowed: ${allowed}`, { field, label });
}

/** A value of any type as text, or a refusal that names the field. */
export function readText(field: string, value: unknown, allowed: string, label?: string): string {
  if (typeof value !== 'string') return refuseInput(field, value, allowed, label);
  return value;
}

export function readBoolean(field: string, value: unknown): boolean {
  if (typeof value !== 'boolean') return refuseInput(field, value, 'true or false');
  return value;
}

export function readInteger(
  field: string,
  value: unknown,
  minimum: number,
  maximum: number,
): number {
  if (!Number.isSafeInteger(value) || Number(value) < minimum || Number(value) > maximum) {
    refuseInput(field, value, `a whole number from ${minimum} to ${maximum}`);
  }
  return Number(value);
}

export function readList(field: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) return refuseInput(field, value, 'a list');
  return value;
}

/** What may be missing. Null is a value, and stays one. */
export function optional<T>(value: unknown, read: (value: unknown) => T): T | undefined {
  return value === undefined ? undefined : read(value);
}

/** A slip of the finger in every third letter; more is another word. */
function isSlip(received: string, name: string): boolean {
  return editDistance(received.slice(0, maxShown), name) <= Math.ceil(name.length / 3);
}

function suggest(received: string, known: readonly string[]): string {
  const nearest = known.find((name) => isSlip(received, name));
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}

/**
 * Reads an object of known fields. A misspelt field is refused, as leaving it out would silently
 * mean something else: `expireAt` would make a secret that never expires.
 *
 * @param what the argument, for the message, e.g. `client`.
 * @throws {InputError} if the value is not an object, or has a field that is not known.
 */
export function readFields<const Field extends string>(
  what: string,
  value: unknown,
  known: readonly Field[],
): Readonly<Record<Field, unknown>> {
  if (!isJsonObject(value)) {
    return refuseInput(what, value, `an object with ${known.join(', ')}`);
  }
  for (const name of Object.keys(value)) {
    if ((known as readonly string[]).includes(name)) continue;
    const allowed = `${known.join(', ')}${suggest(name, known)}`;
    throw new InputError(`unknown field; allowed: ${allowed}`, { field: name, label: name });
  }
  return value;
}

/** Names the outer field of what is refused inside of it: `subnets[1]` and `netmask`. */
export function within<T>(outer: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const field = error.field === undefined ? outer : `${outer}.${error.field}`;
    const label = error.label === undefined ? outer : `${outer}: ${error.label}`;
    throw new InputError(error.problem, { field, label });
  }
}
