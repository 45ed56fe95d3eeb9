import { createHash } from 'node:crypto';
import { formatId, type IdKind, idBytes } from '../credential/credential-value.ts';
import { ConflictError } from '../errors.ts';
import { type ManagementContext, newId } from './management-context.ts';

/**
 * Within what the idempotency keys of clients and API keys must differ: in the trunk group, for a
 * caller who is restricted to some, so that customers do not meet each other's keys.
 */
export function keysWithin(
  { trunkGroups }: Pick<ManagementContext, 'trunkGroups'>,
  serviceTrunkGroup: string,
): string {
  return trunkGroups === undefined ? '' : serviceTrunkGroup;
}

/**
 * The id of what is about to be created. With an idempotency key it is derived from it, so a second
 * creation finds the same item and fails its condition. Otherwise it is random.
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
  const text = ['idempotency', kind, parent, idempotencyKey].join('\n');
  const digest = createHash('sha256').update(text, 'utf8').digest();
  return formatId(kind, digest.subarray(0, idBytes));
}

/**
 * Of two calls with one idempotency key at once, one loses, e.g. of a double click. It runs again,
 * once, and finds what the other one made. A conflict with another change stays a conflict.
 */
export function findIfOvertaken<
  Input extends { readonly idempotencyKey?: string | undefined },
  Made,
>(make: (context: ManagementContext, id: string, input: Input) => Promise<Made>): typeof make {
  return async (context, id, input) => {
    try {
      return await make(context, id, input);
    } catch (error) {
      const isOvertaken = error instanceof ConflictError && input.idempotencyKey !== undefined;
      if (!isOvertaken) throw error;
      return make(context, id, input);
    }
  };
}

/**
 * Creates something unless an earlier call with the same idempotency key has, or one at the same
 * moment: between the look-up and the write.
 */
export async function createOnce<Made>(
  findEarlier: () => Promise<Made | undefined>,
  create: () => Promise<Made>,
): Promise<Made> {
  const earlier = await findEarlier();
  if (earlier !== undefined) return earlier;
  try {
    return await create();
  } catch (error) {
    const raced = error instanceof ConflictError ? await findEarlier() : undefined;
    if (raced === undefined) throw error;
    return raced;
  }
}
