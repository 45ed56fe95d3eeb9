import type { Client } from '../client/client.ts';
import { collect } from '../collect.ts';
import { NotFoundError } from '../errors.ts';
import { byNameThen } from './by-name.ts';
import { parseId } from './input-fields.ts';
import type { ManagementContext } from './management-context.ts';

/**
 * @throws {InputError} where the id has not the form of one.
 * @throws {NotFoundError} where there is no such client.
 */
export async function findClient(context: ManagementContext, clientId: string): Promise<Client> {
  const found = await context.clients.findClient(parseId('client', clientId, 'client_id'));
  if (found === undefined) throw new NotFoundError('client', clientId);
  return found;
}

/** Every client, by name. */
export async function listClients(context: ManagementContext): Promise<readonly Client[]> {
  const clients = await collect(context.clients.listClients());
  return clients.sort(byNameThen((client) => client.clientId));
}
