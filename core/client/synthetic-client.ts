import { isSyntheticClientId, syntheticAuthority } from '../../contract/synthetic-check.ts';
import type { Client } from './client.ts';

/**
 * A client as the token path uses it. The synthetic check can write the records of its own clients,
 * so the token path ignores everything in them that would give a token a meaning.
 */
export function withoutSyntheticAuthority(client: Client): Client {
  return isSyntheticClientId(client.clientId) ? { ...client, ...syntheticAuthority } : client;
}
