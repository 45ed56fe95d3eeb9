import { hash } from 'node:crypto';
import { encodeBase62, idBytes, isId, prefixes } from '../credential/credential-value.ts';

/**
 * The `client_id` of a client that was imported: derived from its id at the provider of before, so
 * one read finds it, and it cannot exist twice (docs/adr/0020). No id has a line feed.
 */
export function deriveImportedClientId(formerId: string): string {
  const digest = hash('sha256', `import\n${formerId}`, 'buffer');
  return prefixes.client + encodeBase62(digest.subarray(0, idBytes));
}

/** The id of the record that is meant by the `client_id` of a request. */
export function recordIdOf(clientId: string): string {
  return isId('client', clientId) ? clientId : deriveImportedClientId(clientId);
}
