import {
  AwsCallerError,
  ConflictError,
  FetchError,
  IdempotencyKeyReusedError,
  InputError,
  NotFoundError,
  RefusedError,
  VersionConflictError,
} from '../../adapters/management.ts';
import { HttpError } from '../http-error.ts';

/** A field of text that belongs to one of several choices. */
interface ChoiceField {
  /** The name of the group, for its problem. */
  readonly field: string;
  /** The label of the choice that the text belongs to. */
  readonly label: string;
  readonly isChosen: boolean;
  readonly text: string;
  /** What the text is, e.g. `the day`. */
  readonly what?: string | undefined;
}

/**
 * Text that was typed for a choice counts only with that choice. It is refused without it, because
 * a form that ignores the text changes something else than its user believes.
 *
 * @throws {FormError} if there is text and another choice.
 */
export function requireChoice({ field, label, isChosen, text, what }: ChoiceField): void {
  const typed = text.trim();
  if (isChosen || typed === '') return;
  const received = `${what === undefined ? '' : `${what} `}“${typed.slice(0, 40)}”`;
  const message = `Received ${received} without the choice “${label}”. This choice is selected now: send the form again, or clear the text and select another choice.`;
  throw new FormError([{ field, message }]);
}

/** The fields of a form or a query. */
export class Fields {
  readonly #parameters: URLSearchParams;

  constructor(parameters: URLSearchParams | Readonly<Record<string, string>> = {}) {
    this.#parameters = new URLSearchParams(parameters);
  }

  /**
   * The content of a field; empty if the field is missing.
   *
   * @throws {HttpError} 400 if the field occurs twice, which no page of the portal sends.
   */
  text(name: string): string {
    const [value = '', ...others] = this.#parameters.getAll(name);
    if (others.length > 0) throw new HttpError(400);
    return value;
  }

  /** The content of a field; undefined if it is empty. */
  optional(name: string): string | undefined {
    return this.text(name) || undefined;
  }

  /** Every value of a field that can have several. */
  all(name: string): readonly string[] {
    return this.#parameters.getAll(name);
  }

  /** Whether a checkbox is checked. */
  isOn(name: string): boolean {
    return this.text(name) !== '';
  }

  /** Every field with each of its values, in the order of the form. */
  entries(): readonly (readonly [name: string, value: string])[] {
    return [...this.#parameters];
  }
}

export interface FieldProblem {
  /** The name of the field in the form. */
  readonly field: string;
  readonly message: string;
}

/** Why a form was not accepted. The form keeps its content. */
export interface Problems {
  readonly status: number;
  readonly fields: readonly FieldProblem[];
  /** A problem of the whole form. */
  readonly general?: string | undefined;
  /** Whether the form was sent before with other values. Its next request needs another id. */
  readonly wasSentBefore?: boolean | undefined;
}

export const noProblems: Problems = { status: 200, fields: [] };

/** One or several fields that the portal itself cannot read. */
export class FormError extends Error {
  override readonly name = 'FormError';
  readonly fields: readonly FieldProblem[];

  constructor(fields: readonly FieldProblem[]) {
    super(fields.map(({ message }) => message).join('; '));
    this.fields = fields;
  }
}

export function asSentence(text: string): string {
  // An address or an id stays as it is.
  const isName = /^(https?:|[a-z]+_)/.test(text);
  const sentence = `${isName ? text.charAt(0) : text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return sentence.endsWith('?') ? sentence : `${sentence}.`;
}

/** The problems that an error means; undefined if a change to the form cannot solve it. */
export function problemsOf(error: unknown): Problems | undefined {
  if (error instanceof FormError) return { status: 422, fields: error.fields };
  if (error instanceof InputError) {
    // A problem is shown next to its field, which has a label of its own.
    const fields = error.problems.flatMap(({ field, problem }) =>
      field === undefined ? [] : [{ field, message: asSentence(problem) }],
    );
    const general = error.problems
      .filter(({ field }) => field === undefined)
      .map(({ label, problem }) =>
        label === undefined
          ? asSentence(problem)
          : `${label}: ${problem}${problem.endsWith('?') ? '' : '.'}`,
      );
    return { status: 422, fields, general: general.length === 0 ? undefined : general.join(' ') };
  }
  const whole = (status: number, general: string): Problems => ({ status, fields: [], general });
  if (error instanceof VersionConflictError) {
    return whole(
      409,
      'This was changed since you opened the form. Nothing was overwritten. Compare the stored values with yours, then send the form again.',
    );
  }
  if (error instanceof ConflictError) return whole(409, asSentence(error.message));
  if (error instanceof NotFoundError) return undefined;
  if (error instanceof IdempotencyKeyReusedError) {
    const general =
      'This form was sent before, with other values, and created something then. Nothing was created now. Send it again to create another one.';
    return { ...whole(409, general), wasSentBefore: true };
  }
  if (error instanceof RefusedError || error instanceof FetchError) {
    return whole(422, asSentence(error.message));
  }
  return error instanceof AwsCallerError ? whole(403, asSentence(error.message)) : undefined;
}

/** Whether AWS refused a read that a page does not need. */
export function isDenied(error: unknown): boolean {
  return error instanceof AwsCallerError && error.problem === 'access_denied';
}

/** What was read; undefined if AWS refused a read that a page does not need. */
export async function unlessDenied<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isDenied(error)) return undefined;
    throw error;
  }
}

/** A field with what was typed into it, and its problem. */
export function typedField<Name extends string>(
  values: Fields | Readonly<Record<Name, string>>,
  name: Name,
  problems: Problems,
) {
  const value = values instanceof Fields ? values.text(name) : values[name];
  return { name, value, error: problemAt(problems, name) };
}

/** The problem of a field, if there is one. That of a value inside of it counts. */
export function problemAt({ fields }: Problems, field: string): string | undefined {
  const isOf = (other: string) => other === field || other.startsWith(`${field}[`);
  return fields.find((problem) => isOf(problem.field))?.message;
}
