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
import { firstVersion } from '../record-version.ts';

export interface MintPorts {
  /** Reads must see every write that came before. */
  readonly clients: Pick<ClientStore, 'find' | 'create' | 'replace'>;
  /** Cryptographically random bytes. */
  readonly drawBytes: (length: number) => Uint8Array;
}

export interface SyntheticCredentials {
  readonly clientId: string;
  /** The only copy. It is neither stored nor logged. */
  readonly clientSecret: string;
}

/**
 * Secrets that stay next to a new one: those of concurrent runs. The schedule leaves one; an
 * operator who runs the check by hand leaves some more.
 */
const maxOlderSecrets = 9;

/** Two concurrent runs are rare, and of three attempts one succeeds. */
const maxAttempts = 3;

/** A secret that a check created and that has not expired. Any other secret does not belong here. */
function isLive({ expiresAt }: ClientSecret, now: number): boolean {
  return expiresAt !== undefined && expiresAt > now && expiresAt <= now + syntheticSecretLifetime;
}

/** The required state of the client, regardless of its present one. Old secrets are removed. */
function buildClient(
  regionId: RegionId,
  before: Pick<Client, 'secrets' | 'version' | 'createdAt'>,
  secret: ClientSecret,
  now: number,
): Client {
  const older = before.secrets.filter((one) => isLive(one, now));
  return {
    clientId: syntheticClientId(regionId),
    name: `Synthetic check of ${regionId}, kept by the service itself`,
    ...syntheticAuthority,
    enabled: true,
    secrets: [...older.slice(-maxOlderSecrets), secret],
    version: before.version + 1,
    createdAt: before.createdAt,
    updatedAt: now,
  };
}

async function writeClient(
  regionId: RegionId,
  secret: ClientSecret,
  { clients, drawBytes }: MintPorts,
  now: number,
): Promise<void> {
  const found = await clients.find(syntheticClientId(regionId));
  if (found === undefined) {
    const version = firstVersion(drawBytes) - 1;
    const nothing = { secrets: [], version, createdAt: now };
    await clients.create(buildClient(regionId, nothing, secret, now));
    return;
  }
  await clients.replace(buildClient(regionId, found, secret, now));
}

/**
 * Gives the region's synthetic client a new secret, and creates the client if it does not exist.
 *
 * @param now seconds since the epoch.
 * @throws {ConflictError} if another run was faster at each attempt.
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
