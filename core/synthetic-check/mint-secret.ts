import type { RegionId } from '../../contract/regions.ts';
import {
  syntheticAuthority,
  syntheticClientId,
  syntheticSecretLifetime,
} from '../../contract/synthetic-check.ts';
import type { Client, ClientSecret } from '../client/client.ts';
import type { ClientStore } from '../client/client-store.ts';
import {
  formatClientSecret,
  formatId,
  idBytes,
  secretBytes,
} from '../credential/credential-value.ts';
import { hashSecret } from '../credential/secret-hash.ts';
import { ConflictError } from '../errors.ts';

export interface MintPorts {
  /** Reads must see every write that came before. */
  readonly clients: Pick<ClientStore, 'findClient' | 'createClient' | 'replaceClient'>;
  /** Cryptographically random bytes. */
  readonly drawBytes: (length: number) => Uint8Array;
}

export interface SyntheticCredentials {
  readonly clientId: string;
  /** The only copy: it is neither stored nor logged. */
  readonly clientSecret: string;
}

/**
 * Secrets that stay beside a new one: those of runs that are still under way. The schedule leaves
 * one; a person who runs the check by hand a few times leaves some more.
 */
const maxOlderSecrets = 9;

/** Two runs at once are rare, and of three one always gets its turn. */
const maxAttempts = 3;

/** A secret that a check made and that has not ended: any other one does not belong here. */
function isLive({ expiresAt }: ClientSecret, now: number): boolean {
  return expiresAt !== undefined && expiresAt > now && expiresAt <= now + syntheticSecretLifetime;
}

/** What the client must be, whatever it was: it repairs itself and sheds its old secrets. */
function buildClient(
  regionId: RegionId,
  found: Client | undefined,
  secret: ClientSecret,
  now: number,
): Client {
  const older = found?.secrets.filter((one) => isLive(one, now)) ?? [];
  return {
    clientId: syntheticClientId(regionId),
    name: `Synthetic check of ${regionId}, kept by the service itself`,
    ...syntheticAuthority,
    enabled: true,
    secrets: [...older.slice(-maxOlderSecrets), secret],
    version: (found?.version ?? 0) + 1,
    createdAt: found?.createdAt ?? now,
    updatedAt: now,
  };
}

async function writeClient(
  regionId: RegionId,
  secret: ClientSecret,
  { clients }: MintPorts,
  now: number,
): Promise<void> {
  const found = await clients.findClient(syntheticClientId(regionId));
  const wanted = buildClient(regionId, found, secret, now);
  await (found === undefined ? clients.createClient(wanted) : clients.replaceClient(wanted));
}

/**
 * Gives the region's synthetic client a new secret, and makes the client where there is none.
 *
 * @param now seconds since the epoch.
 * @throws {ConflictError} where other runs were faster each time.
 */
export async function mintSecret(
  regionId: RegionId,
  ports: MintPorts,
  now: number,
): Promise<SyntheticCredentials> {
  const clientSecret = formatClientSecret(ports.drawBytes(secretBytes));
  const secret: ClientSecret = {
    secretId: formatId('secret', ports.drawBytes(idBytes)),
    hash: hashSecret(clientSecret),
    name: 'synthetic check',
    createdAt: now,
    expiresAt: now + syntheticSecretLifetime,
  };
  for (let attempt = 1; ; attempt += 1) {
    try {
      await writeClient(regionId, secret, ports, now);
      return { clientId: syntheticClientId(regionId), clientSecret };
    } catch (error) {
      if (!(error instanceof ConflictError) || attempt === maxAttempts) throw error;
    }
  }
}
