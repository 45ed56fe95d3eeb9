import { createHash } from 'node:crypto';
import { formatId, type IdKind, idBytes } from '../credential/credential-value.ts';
import { refuseInput } from './input-fields.ts';
import { type ManagementContext, newId } from './management-context.ts';

const keyPattern = /^[\x21-\x7E]{8,128}$/;

/**
 * The id of what is about to be created. With an idempotency key it is derived from it, so that
 * creating twice meets the same item and the second fails its condition; else it is random.
 *
 * @param parent id of what the new item belongs to, within which keys must differ.
 */
export function idForCreation(
  context: Pick<ManagementContext, 'drawBytes'>,
  kind: IdKind,
  idempotencyKey: string | undefined,
  parent = '',
): string {
  if (idempotencyKey === undefined) return newId(context, kind);
  if (!keyPattern.test(idempotencyKey)) {
    refuseInput(
      'idempotency_key',
      idempotencyKey,
      '8 to 128 printable ASCII characters without space, e.g. a UUID',
    );
  }
  const text = ['idempotency', kind, parent, idempotencyKey].join('\n');
  const digest = createHash('sha256').update(text, 'utf8').digest();
  return formatId(kind, digest.subarray(0, idBytes));
}
