import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import * as v from 'valibot';
import { secondsPerDay } from '../../contract/bounds.ts';
import type { CanaryFinding } from '../../contract/function-events.ts';
import type { RegionId } from '../../contract/regions.ts';
import { SigningKeyUnusableError, UnavailableError } from '../errors.ts';
import { servedJwksSchema } from '../jwks/jwks.ts';
import { type Sign, signJws } from '../signing-key/sign-jws.ts';
import type { SigningKey } from '../signing-key/signing-key.ts';
import type { Heartbeat } from './rotation-ports.ts';

interface ServiceCheck {
  /** The region of this run. */
  readonly own: RegionId;
  /** The regions in this region's copy of the config. */
  readonly configured: readonly RegionId[];
  readonly heartbeats: readonly Heartbeat[];
  /** Seconds since its last run after which a region outside the config is out of service. */
  readonly silence: number;
}

/**
 * The regions whose verifiers a key must reach: those of the config that have run, and any other
 * that still runs. Regions are deployed one after the other, so this copy of the config may not
 * contain a region that has just joined. When a region is removed from the config, it is asked
 * until it has stopped. A region of the config that has not run yet has no verifiers.
 *
 * The present time is that of the latest heartbeat, which this region has just written. No other
 * clock is needed.
 */
export function regionsInService({
  own,
  configured,
  heartbeats,
  silence,
}: ServiceCheck): readonly RegionId[] {
  const now = Math.max(...heartbeats.map(({ at }) => at));
  const others = heartbeats
    .filter(({ regionId, at }) => configured.includes(regionId) || at + silence > now)
    .map(({ regionId }) => regionId);
  return [...new Set([own, ...others])];
}

/**
 * Type, issuer and audience of a canary token. No access token has any of them (RFC 9068 §2.1), so
 * a verifier that checks one of them refuses it.
 */
export const canaryTokenType = 'signing-key-canary+jwt';
export const canaryIssuer = 'urn:authorization-server:signing-key-canary';
export const canaryAudience = canaryIssuer;

/**
 * Seconds. A canary token has already expired when it is created, so even a verifier that checks
 * only the signature and the time refuses it.
 */
const expiredFor = secondsPerDay;

export interface CanaryPorts {
  readonly sign: Sign;
  /** @throws {UnavailableError} if the region does not answer. */
  readonly fetchJwks: (regionId: RegionId) => Promise<unknown>;
  /**
   * The region's discovery document.
   *
   * @throws {UnavailableError} if the region does not answer.
   */
  readonly fetchMetadata: (regionId: RegionId) => Promise<unknown>;
}

interface CanaryValues {
  /** Seconds since the epoch. */
  readonly now: number;
  /** Unguessable, so no response can be prepared in advance. */
  readonly jti: string;
}

/**
 * Whether a canary token of a key verifies with the JWKS of each region, and whether each region's
 * discovery document lists its algorithm: some verifiers accept no other.
 */
export async function checkKey(
  key: SigningKey,
  regionIds: readonly RegionId[],
  ports: CanaryPorts,
  values: CanaryValues,
): Promise<readonly CanaryFinding[]> {
  const signed = await signCanary(key, ports.sign, values);
  return Promise.all(
    regionIds.map(async (region) => ({
      kid: key.kid,
      region,
      ...(typeof signed === 'string' ? await checkRegion(signed, key, region, ports) : signed),
    })),
  );
}

type Finding = Pick<CanaryFinding, 'ok' | 'problem' | 'reason'>;

async function signCanary(
  key: SigningKey,
  sign: Sign,
  { now, jti }: CanaryValues,
): Promise<string | Finding> {
  const payload = {
    iss: canaryIssuer,
    sub: key.kid,
    aud: canaryAudience,
    jti,
    iat: now - 2 * expiredFor,
    exp: now - expiredFor,
  };
  try {
    const { jws } = await signJws({ typ: canaryTokenType, payload }, [key], sign);
    return jws;
  } catch (error) {
    const isKnown = error instanceof UnavailableError || error instanceof SigningKeyUnusableError;
    if (!isKnown) throw error;
    return { ok: false, problem: 'not_signed', reason: error.message };
  }
}

async function checkRegion(
  jws: string,
  key: SigningKey,
  region: RegionId,
  { fetchJwks, fetchMetadata }: CanaryPorts,
): Promise<Finding> {
  try {
    const found = await checkJwks(jws, key, await fetchJwks(region));
    return found.ok ? checkMetadata(key, await fetchMetadata(region)) : found;
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    return { ok: false, problem: 'unreachable', reason: error.message };
  }
}

async function checkJwks(jws: string, key: SigningKey, served: unknown): Promise<Finding> {
  try {
    const jwks = v.parse(servedJwksSchema, served) as JSONWebKeySet;
    const isServed = jwks.keys.some(({ kid }) => kid === key.kid);
    if (!isServed) return { ok: false, problem: 'absent', reason: 'its JWKS lacks the key' };
    await compactVerify(jws, createLocalJWKSet(jwks), { algorithms: [key.alg] });
    return { ok: true };
  } catch (error) {
    const reason = `its JWKS does not verify the token: ${error instanceof Error ? error.name : 'unknown'}`;
    return { ok: false, problem: 'not_verified', reason };
  }
}

const metadataSchema = v.looseObject({
  id_token_signing_alg_values_supported: v.array(v.string()),
});

function checkMetadata(key: SigningKey, served: unknown): Finding {
  const metadata = v.safeParse(metadataSchema, served);
  const listed = metadata.success ? metadata.output.id_token_signing_alg_values_supported : [];
  if (listed.includes(key.alg)) return { ok: true };
  const reason = `its discovery document lists ${listed.join(', ') || 'no algorithm'}, not ${key.alg}`;
  return { ok: false, problem: 'not_listed', reason };
}
