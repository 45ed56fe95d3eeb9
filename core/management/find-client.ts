import type { Client } from '../client/client.ts';
import { NotFoundError } from '../errors.ts';
import { parseId } from './input-fields.ts';
import type { ManagementContext } from './management-context.ts';

/**
 * @throws {InputError} if the id does not have the form of one.
 * @throws {NotFoundError} if there is no such client.
 */
export async function findClient(context: ManagementContext, clientId: string): Promise<Client> {
  const found = await context.clients.findClient(parseId('client', clientId, 'clientId'));
  if (found === undefined) throw new NotFoundError('client', clientId);
  return found;
}
