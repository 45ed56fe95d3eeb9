import { isDeepStrictEqual } from 'node:util';
import type { ClientAttributes, SecretAttributes } from './client-item.ts';
import {
  type AttributeChange,
  toUpdateExpression,
  type UpdateExpression,
} from './update-expression.ts';

/**
 * The fields of a secret that management may change: all except those that the token path writes.
 */
const secretFields = [
  'hash',
  'name',
  'created_at',
  'expires_at',
] as const satisfies readonly (keyof SecretAttributes)[];

/** Attributes of the item that are compared whole. */
const fields = [
  'name',
  'service_trunk_group',
  'audiences',
  'token_lifetime',
  'scopes',
  'enabled',
  'provider',
  'tokens_not_before',
  'version',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof ClientAttributes)[];

function secretChanges(
  secretId: string,
  from: SecretAttributes | undefined,
  to: SecretAttributes | undefined,
): readonly AttributeChange[] {
  const path = ['secrets', secretId];
  if (from === undefined || to === undefined) return [[path, to]];
  return secretFields
    .filter((field) => from[field] !== to[field])
    .map((field) => [[...path, field], to[field]]);
}

/**
 * The update that changes one state of a client into another. It writes only differences, and never
 * `last_used_on` of an existing secret. A use that the token path records at the same time is
 * therefore kept. Recording a use never adds a secret, so a deleted secret stays deleted.
 */
export function createClientUpdate(from: ClientAttributes, to: ClientAttributes): UpdateExpression {
  const changed = fields.filter((name) => !isDeepStrictEqual(from[name], to[name]));
  const secretIds = new Set([...Object.keys(from.secrets), ...Object.keys(to.secrets)]);
  return toUpdateExpression([
    ...changed.map((name): AttributeChange => [[name], to[name]]),
    ...[...secretIds].flatMap((id) => secretChanges(id, from.secrets[id], to.secrets[id])),
  ]);
}

/** Whether two states of a client are equal except for what the token path writes. */
export function isSameClient(a: ClientAttributes, b: ClientAttributes): boolean {
  return createClientUpdate(a, b).UpdateExpression === '';
}
