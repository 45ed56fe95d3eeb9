import type * as v from 'valibot';
import { isJsonObject } from '../../contract/json-object.ts';
import { unknownField, type Wrong } from '../../contract/management/fields.ts';
import { suggestName } from '../../contract/nearest-names.ts';
import { InputError, type InputProblem } from '../errors.ts';

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

/** Fields that a message calls by another name than theirs on the wire. */
const labels: ReadonlyMap<string, string> = new Map([
  // Their values are named one by one.
  ['scopes', 'scope'],
  ['addScopes', 'scope'],
  ['removeScopes', 'scope'],
  ['audiences', 'audience'],
  ['providers', 'provider'],
  ['overlap', 'expire_old_in'],
]);

/** The name of a field on the wire: `tokenLifetime` is `token_lifetime` there. */
function labelOf(field: string): string {
  return labels.get(field) ?? field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `['subnets', 1, 'netmask']` → `subnets[1].netmask`. */
function fieldOf(path: readonly unknown[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

/** `['subnets', 1, 'netmask']` → `subnets[1]: netmask`. */
function labelOfPath(path: readonly unknown[]): string {
  const last = path.findLastIndex((key) => typeof key === 'string');
  const outer = fieldOf(path.slice(0, last));
  const label = fieldOf([labelOf(String(path[last])), ...path.slice(last + 1)]);
  return outer === '' ? label : `${outer}: ${label}`;
}

/** The path of a problem in the argument, as the library names fields. */
function pathOf(issue: v.BaseIssue<unknown>): readonly unknown[] {
  const [argument, ...inner] = (issue.path ?? []).map(({ key }) => key);
  const path = inner.some((key) => typeof key === 'string') ? inner : [argument, ...inner];
  // The value of a list of texts is in the message, and says more than its place.
  const isOfList = typeof path.at(-1) === 'number' && issue.type !== 'custom';
  return isOfList ? path.slice(0, -1) : path;
}

function toProblem(issue: v.BaseIssue<unknown>): InputProblem {
  const path = pathOf(issue);
  const [field, label] = [fieldOf(path), labelOfPath(path)];
  const { message: allowed, expected, input } = issue;
  if (expected === unknownField) {
    return { field, label: field, problem: `unknown field; allowed: ${allowed}` };
  }
  const isWhole = allowed.startsWith('received ');
  return { field, label, problem: isWhole ? allowed : describeRefusal(input, allowed) };
}

/** Everything that is wrong with an input. */
export function problemsOf(issues: readonly v.BaseIssue<unknown>[]): readonly InputProblem[] {
  return issues.map(toProblem);
}

/** @throws {InputError} if there are problems, with all of them. */
export function refuseProblems(problems: readonly InputProblem[]): void {
  const [first, ...more] = problems;
  if (first !== undefined) throw new InputError([first, ...more]);
}

function describeRefusal(value: unknown, allowed: string): string {
  return `received ${show(value)}; allowed: ${allowed}`;
}

/** A refusal of a value for a reason that depends on what is stored. */
export function toInputProblem(field: string, { issue }: Wrong): InputProblem {
  return {
    field,
    label: labelOf(field),
    problem: describeRefusal(issue.input, issue.message ?? ''),
  };
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
  throw new InputError(describeRefusal(value, allowed), { field, label });
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
    const allowed = `${known.join(', ')}${suggestName(name, known)}`;
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
