import { HttpError } from '../http-error.ts';

/** The fields of a form or a query. */
export class Fields {
  readonly #parameters: URLSearchParams;

  constructor(parameters: URLSearchParams | Readonly<Record<string, string>> = {}) {
    this.#parameters = new URLSearchParams(parameters);
  }

  /**
   * What was typed into a field; empty if the field is not there.
   *
   * @throws {HttpError} 400 if the field is there twice, which no page of the portal sends.
   */
  text(name: string): string {
    const [value = '', ...others] = this.#parameters.getAll(name);
    if (others.length > 0) throw new HttpError(400);
    return value;
  }

  /** What was typed; undefined if that is nothing. */
  optional(name: string): string | undefined {
    return this.text(name) || undefined;
  }

  /** Every value of a field that can have several. */
  all(name: string): readonly string[] {
    return this.#parameters.getAll(name);
  }

  /** Whether a checkbox is ticked. */
  isOn(name: string): boolean {
    return this.text(name) !== '';
  }

  /** Every field with each of its values, in the order of the form. */
  entries(): readonly (readonly [name: string, value: string])[] {
    return [...this.#parameters];
  }
}
