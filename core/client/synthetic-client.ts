import { isSyntheticClientId, syntheticAuthority } from '../../contract/synthetic-check.ts';
import type { Client } from './client.ts';

/**
 * A client as the token path takes it. The synthetic check may write the records of its own
 * clients, so that nothing in them counts that would give a token a meaning.
 */
export function withoutSyntheticAuthority(client: Client): Client {
  return isSyntheticClientId(client.clientId) ? { ...client, ...syntheticAuthority } : client;
}
