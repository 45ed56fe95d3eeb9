import { constraintError, KmsError } from './kms-error.ts';

/** The JSON object of a request. */
export type KmsInput = Readonly<Record<string, unknown>>;

function memberName(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function serializationError(name: string): KmsError {
  return new KmsError('SerializationException', `${memberName(name)} has the wrong type`);
}

export function readOptionalText(
  input: KmsInput,
  name: string,
  length: { readonly min?: number; readonly max: number },
): string | undefined {
  const value = input[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw serializationError(name);
  const min = length.min ?? 0;
  if (value.length < min) {
    throw constraintError(
      memberName(name),
      `Member must have length greater than or equal to ${min}`,
      value,
    );
  }
  if (value.length > length.max) {
    throw constraintError(
      memberName(name),
      `Member must have length less than or equal to ${length.max}`,
      value,
    );
  }
  return value;
}

export function readText(
  input: KmsInput,
  name: string,
  length: { readonly min?: number; readonly max: number },
): string {
  const value = readOptionalText(input, name, length);
  if (value === undefined) throw constraintError(memberName(name), 'Member must not be null');
  return value;
}

/** A member whose values are a closed set. */
export function readChoice<T extends string>(
  input: KmsInput,
  name: string,
  choices: ReadonlySet<T>,
  usual?: T,
): T {
  const value = readOptionalText(input, name, { max: 256 }) ?? usual;
  if (value === undefined) throw constraintError(memberName(name), 'Member must not be null');
  const found = [...choices].find((choice) => choice === value);
  if (found !== undefined) return found;
  throw constraintError(
    memberName(name),
    `Member must satisfy enum value set: [${[...choices].join(', ')}]`,
    value,
  );
}

export function readFlag(input: KmsInput, name: string): boolean {
  const value = input[name] ?? false;
  if (typeof value !== 'boolean') throw serializationError(name);
  return value;
}

export function readNumber(
  input: KmsInput,
  name: string,
  range: { readonly min: number; readonly max: number; readonly usual: number },
): number {
  const value = input[name] ?? range.usual;
  if (typeof value !== 'number' || !Number.isInteger(value)) throw serializationError(name);
  if (value < range.min) {
    throw constraintError(
      memberName(name),
      `Member must have value greater than or equal to ${range.min}`,
      String(value),
    );
  }
  if (value > range.max) {
    throw constraintError(
      memberName(name),
      `Member must have value less than or equal to ${range.max}`,
      String(value),
    );
  }
  return value;
}

/** A blob, in base64 on the wire. */
export function readBytes(
  input: KmsInput,
  name: string,
  length: { readonly min: number; readonly max: number },
): Buffer {
  const value = input[name] ?? undefined;
  if (value === undefined) throw constraintError(memberName(name), 'Member must not be null');
  if (typeof value !== 'string') throw serializationError(name);
  const bytes = Buffer.from(value, 'base64');
  if (bytes.length < length.min) {
    throw constraintError(
      memberName(name),
      `Member must have length greater than or equal to ${length.min}`,
    );
  }
  if (bytes.length > length.max) {
    throw constraintError(
      memberName(name),
      `Member must have length less than or equal to ${length.max}`,
    );
  }
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
