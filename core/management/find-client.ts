import type { Client } from '../client/client.ts';
import { NotFoundError } from '../errors.ts';
import type { ManagementContext } from './management-context.ts';

/** @throws {NotFoundError} if there is no such client. */
export async function findClient(context: ManagementContext, clientId: string): Promise<Client> {
  const found = await context.clients.findClient(clientId);
  if (found === undefined) throw new NotFoundError('client', clientId);
  return found;
}
