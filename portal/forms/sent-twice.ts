import { ConflictError } from '../../adapters/management.ts';

/**
 * Runs the change of a form that may have been sent twice at once. The call that lost against the
 * other runs again, once: it finds by its idempotency key what the other one made. A conflict with
 * another change stays a conflict.
 *
 * @param requestId the form's idempotency key; empty if it has none.
 */
export async function findIfSentTwice<Made>(
  requestId: string,
  make: () => Promise<Made>,
): Promise<Made> {
  try {
    return await make();
  } catch (error) {
    if (error instanceof ConflictError && requestId !== '') return make();
    throw error;
  }
}
