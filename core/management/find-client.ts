import type { Client } from '../client/client.ts';
import { collect } from '../collect.ts';
import { NotFoundError } from '../errors.ts';
import { byNameThen } from './by-name.ts';
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

/** Every client, by name. Reads the whole table: for changes that concern them all. */
export async function collectClients(context: ManagementContext): Promise<readonly Client[]> {
  const clients = await collect(context.clients.listClients());
  return clients.sort(byNameThen((client) => client.clientId));
}
