import type { Client } from '../client/client.ts';
import { NotFoundError } from '../errors.ts';
import { formatDay } from '../rfc3339.ts';
import type { ManagementContext } from './management-context.ts';

/** A client as it is read: with what is in another record. */
export interface ClientWithUse extends Client {
  /**
   * UTC day on which the client last got a token for an assertion of its provider, e.g.
   * `2026-11-20`. Only clients under a provider have it; a secret has its own.
   */
  readonly lastUsedOn?: string | undefined;
}

/** Nothing is read for clients that cannot have it, and without `federatedClients`. */
export async function withWorkloadUses(
  { config, workloadUses }: ManagementContext,
  clients: readonly Client[],
): Promise<readonly ClientWithUse[]> {
  const ids = clients.flatMap(({ provider, clientId }) => (provider ? [clientId] : []));
  if (config.federatedClients === undefined || ids.length === 0) return clients;
  const days = await workloadUses.findWorkloadUses(ids);
  return clients.map((client) => {
    const day = days.get(client.clientId);
    // An earlier client of this id has left the record. Its days are not this client's.
    const isOwn = day !== undefined && day >= formatDay(client.createdAt);
    return isOwn ? { ...client, lastUsedOn: day } : client;
  });
}

/** @throws {NotFoundError} if there is no such client. */
export async function readStoredClient(
  context: ManagementContext,
  clientId: string,
): Promise<Client> {
  const found = await context.clients.findClient(clientId);
  if (found === undefined) throw new NotFoundError('client', clientId);
  return found;
}

/** @throws {NotFoundError} if there is no such client. */
export async function findClient(
  context: ManagementContext,
  clientId: string,
): Promise<ClientWithUse> {
  const client = await readStoredClient(context, clientId);
  const [found = client] = await withWorkloadUses(context, [client]);
  return found;
}
