import type { Client } from '../client/client.ts';
import type { ClientsQuery } from '../client/client-store.ts';
import { viewClient } from './client-view.ts';
import { checkDeclared } from './declared-clients.ts';
import { requireNoOtherGrant } from './grants/require-grant.ts';
import { manageOwned } from './owned-records.ts';
import { onlyStopsClient } from './trunk-group-limits/only-stops.ts';

/** What clients have in common with API keys. */
export const ownedClients = manageOwned<Client, ClientsQuery>({
  noun: 'client',
  idKind: 'client',
  audited: 'client',
  idOf: ({ clientId }) => clientId,
  storeOf: ({ clients }) => clients,
  view: (client, { config }) => viewClient(client, config),
  // A name gives nothing.
  checkChange: async (context, before, next) => {
    checkDeclared(context, before, next);
    if (next === undefined || onlyStopsClient({ ...before, name: next.name }, next)) return;
    await requireNoOtherGrant(context, next);
  },
});

export const { find: findClient, write: writeClient, remove: removeClient } = ownedClients;
