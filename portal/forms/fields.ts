import { HttpError } from '../http-error.ts';

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
