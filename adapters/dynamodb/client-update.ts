import { isDeepStrictEqual } from 'node:util';
import type { ClientAttributes, SecretAttributes } from './client-item.ts';
import {
  createUpdateBuilder,
  type UpdateBuilder,
  type UpdateExpression,
} from './update-expression.ts';

/** What management may change in a secret: everything but what the token path writes. */
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
  'version',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof ClientAttributes)[];

function updateSecret(
  builder: UpdateBuilder,
  secretId: string,
  from: SecretAttributes | undefined,
  to: SecretAttributes | undefined,
): void {
  const path = ['secrets', secretId];
  if (to === undefined) return builder.remove(path);
  if (from === undefined) return builder.set(path, to);
  for (const field of secretFields) {
    if (from[field] !== to[field]) builder.set([...path, field], to[field]);
  }
}

/**
 * The update that makes one state of a client into another. It touches only what differs, and of
 * a secret that stays never `last_used_on`: so a use that the token path notes meanwhile is kept,
 * and since that note never adds a secret, a deleted one stays deleted.
 */
export function createClientUpdate(from: ClientAttributes, to: ClientAttributes): UpdateExpression {
  const builder = createUpdateBuilder();
  for (const name of fields) {
    if (!isDeepStrictEqual(from[name], to[name])) builder.set([name], to[name]);
  }
  for (const secretId of new Set([...Object.keys(from.secrets), ...Object.keys(to.secrets)])) {
    updateSecret(builder, secretId, from.secrets[secretId], to.secrets[secretId]);
  }
  return builder.build();
}

/** Whether two states of a client are the same but for what the token path writes. */
export function isSameClient(a: ClientAttributes, b: ClientAttributes): boolean {
  return createClientUpdate(a, b).UpdateExpression === '';
}
