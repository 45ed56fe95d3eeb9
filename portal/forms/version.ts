import { HttpError } from '../http-error.ts';
import type { Fields } from './fields.ts';

/**
 * The version that a form was made from. Every form that changes something has one.
 *
 * @throws {HttpError} 400 if it is missing.
 */
export function readVersion(form: Fields): number {
  const text = form.text('ifVersion');
  if (!/^\d{1,15}$/.test(text)) throw new HttpError(400);
  return Number(text);
}
