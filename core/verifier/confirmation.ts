import { isJsonObject, type JsonObject } from '../../contract/json-object.ts';
import { refuseFor } from './bearer-refusal.ts';

/**
 * Reads `cnf` (RFC 7800 §3.1): the key that a token is bound to. A confirmation of another kind, such
 * as a certificate's, cannot be checked here, and a token with one is no bearer token.
 *
 * @returns `boundTo`, the RFC 7638 thumbprint of the key; nothing if the token is a bearer token.
 * @throws {BearerRefusal}
 */
export function readConfirmation({ cnf }: JsonObject): { readonly boundTo?: string } {
  if (cnf === undefined) return {};
  const { jkt, ...others } = isJsonObject(cnf) ? cnf : {};
  if (typeof jkt === 'string' && Object.keys(others).length === 0) return { boundTo: jkt };
  const expected = 'jkt and nothing else, or no cnf';
  throw refuseFor('token_confirmation_unknown', 'cnf', cnf, expected);
}
