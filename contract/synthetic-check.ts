import { type RegionId, regionIds } from './regions.ts';

/**
 * The client that a region's synthetic check keeps for itself. It has the form of a generated id,
 * so that `authctl` can show it, but no generated id begins with a letter: 128 bits in 22 base62
 * digits have a first digit of at most 7.
 */
export function syntheticClientId(regionId: RegionId): string {
  return `client_SyntheticCheck${regionId.padStart('00000slc'.length, '0')}`;
}

const syntheticClientIds: ReadonlySet<string> = new Set(regionIds.map(syntheticClientId));

export function isSyntheticClientId(clientId: string): boolean {
  return syntheticClientIds.has(clientId);
}

/**
 * All that a synthetic client ever gets. Its record cannot change this: the check writes that
 * record itself. No catalogue can contain the scope, and no platform API accepts the audience.
 */
export const syntheticAuthority = {
  scopes: ['synthetic-check'],
  audiences: ['urn:authorization-server:synthetic-check'],
  serviceTrunkGroup: 'synthetic-check',
  /** Seconds. The check verifies the token within seconds and then discards it. */
  tokenLifetime: 60,
} as const;

/**
 * Seconds. Two schedules: long enough for a slow run, and expired before an attacker could use it.
 */
export const syntheticSecretLifetime = 600;

/** Minutes between two runs: each costs a write, a signature and a few reads. */
export const syntheticCheckMinutes = 5;

/** Metrics of the check, in the namespace of `alarms.ts`. */
export const syntheticMetrics = {
  /** 1 for each run whose token verified, 0 for others. */
  passed: 'SyntheticCheckPassed',
  /**
   * 1 for each run that found the keys of the issuer by its own name, 0 for others. Nothing if the
   * region has the same name.
   */
  issuerPassed: 'IssuerCheckPassed',
} as const;
