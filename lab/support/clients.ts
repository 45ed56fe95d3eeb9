import type { Client, ClientSecret } from '../../core/client/client.ts';
import {
  formatClientSecret,
  formatId,
  hashSecret,
} from '../../core/credential/credential-value.ts';

/** Ids and secrets that look real; `seed` makes them differ. */
export function clientIdOf(seed: number): string {
  return formatId('client', new Uint8Array(16).fill(seed));
}

export function secretValueOf(seed: number): string {
  return formatClientSecret(new Uint8Array(32).fill(seed));
}

export function makeSecret(value: string, overrides: Partial<ClientSecret> = {}): ClientSecret {
  return {
    secretId: formatId('secret', Buffer.from(hashSecret(value)).subarray(-16)),
    hash: hashSecret(value),
    createdAt: 1_000,
    ...overrides,
  };
}

export function makeClient(overrides: Partial<Client> = {}): Client {
  return {
    clientId: clientIdOf(1),
    name: 'Example client',
    serviceTrunkGroup: 'stg-1',
    audiences: [],
    tokenLifetime: 3600,
    scopes: ['messaging:view', 'messaging:manage'],
    secrets: [makeSecret(secretValueOf(1))],
    version: 1,
    createdAt: 1_000,
    updatedAt: 1_000,
    ...overrides,
  };
}
