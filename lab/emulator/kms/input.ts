import { AwsError } from '../aws-server/aws-error.ts';
import { constraintError } from './kms-error.ts';

/** The JSON object of a request. */
export type KmsInput = Readonly<Record<string, unknown>>;

function memberName(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function serializationError(name: string): AwsError {
  return new AwsError('SerializationException', `${memberName(name)} has the wrong type`);
}

interface Limits {
  readonly min?: number;
  readonly max: number;
}

/** @param value as the message quotes it, if it does. */
function checkLimits(
  [name, what]: readonly [name: string, what: 'length' | 'value'],
  size: number,
  { min = 0, max }: Limits,
  value?: string,
): void {
  if (size >= min && size <= max) return;
  const bound = size < min ? `greater than or equal to ${min}` : `less than or equal to ${max}`;
  throw constraintError(memberName(name), `Member must have ${what} ${bound}`, value);
}

/** @throws {AwsError} if the member is missing. */
function required<T>(name: string, value: T | undefined): T {
  if (value !== undefined) return value;
  throw constraintError(memberName(name), 'Member must not be null');
}

export function readOptionalText(
  input: KmsInput,
  name: string,
  length: Limits,
): string | undefined {
  const value = input[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw serializationError(name);
  checkLimits([name, 'length'], value.length, length, value);
  return value;
}

export function readText(input: KmsInput, name: string, length: Limits): string {
  return required(name, readOptionalText(input, name, length));
}

/** A member whose values are a closed set. */
export function readChoice<T extends string>(
  input: KmsInput,
  name: string,
  choices: ReadonlySet<T>,
  usual?: T,
): T {
  const value = required(name, readOptionalText(input, name, { max: 256 }) ?? usual);
  const found = [...choices].find((choice) => choice === value);
  if (found !== undefined) return found;
  const allowed = `Member must satisfy enum value set: [${[...choices].join(', ')}]`;
  throw constraintError(memberName(name), allowed, value);
}

export function readFlag(input: KmsInput, name: string): boolean {
  const value = input[name] ?? false;
  if (typeof value !== 'boolean') throw serializationError(name);
  return value;
}

export function readNumber(
  input: KmsInput,
  name: string,
  range: Limits & { readonly usual: number },
): number {
  const value = input[name] ?? range.usual;
  if (typeof value !== 'number' || !Number.isInteger(value)) throw serializationError(name);
  checkLimits([name, 'value'], value, range, String(value));
  return value;
}

/** A blob, in base64 on the wire. */
export function readBytes(input: KmsInput, name: string, length: Limits): Buffer {
  const value = required(name, input[name] ?? undefined);
  if (typeof value !== 'string') throw serializationError(name);
  const bytes = Buffer.from(value, 'base64');
  checkLimits([name, 'length'], bytes.length, length);
  return bytes;
}

export function readObjects(input: KmsInput, name: string): readonly KmsInput[] {
  const value = input[name] ?? [];
  if (!Array.isArray(value)) throw serializationError(name);
  return value.map((item: unknown) => {
    if (typeof item !== 'object' || item === null) throw serializationError(name);
    return item as KmsInput;
  });
}
