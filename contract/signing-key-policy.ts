import * as v from 'valibot';
import { jwksCacheTimes, secondsPerDay } from './bounds.ts';
import { configObject } from './config-values.ts';
import { saying } from './parse-problem.ts';
import { regionIds } from './regions.ts';

const seconds = v.pipe(
  v.number(),
  v.integer('a whole number of seconds'),
  v.minValue(0, 'a number of seconds of 0 or more'),
);

/**
 * How signing keys live. All values are seconds. The letters are those of the rotation
 * inequality, see {@link publicationLead} and {@link retention}.
 */
export const signingKeyPolicySchema = configObject({
  /** How long a key signs before the next takes over. */
  rotationPeriod: v.optional(seconds, 90 * secondsPerDay),
  /** A: `max-age` of the JWKS response. */
  jwksMaxAge: v.optional(seconds, 300),
  /** E: how long shared caches before the service may add. There is none by default. */
  edgeAge: v.optional(seconds, 0),
  /** C: longest time that a supported verifier keeps the JWKS. Entra-style verifiers keep 24 h. */
  verifierCache: v.optional(seconds, secondsPerDay),
  /** G: replication lag plus the functions' own refresh of the key list. */
  propagationLag: v.optional(seconds, 300),
  /** How often the functions read the key list again: a part of G, at most half of it. */
  keyListRefresh: v.optional(seconds, 60),
  /** L: clock difference that verifiers forgive, and the largest between any two hosts. */
  leeway: v.optional(seconds, 60),
  /** Z: how long an authorizer may cache a decision. API Gateway's default. */
  authorizerResultTtl: v.optional(seconds, 300),
  /** Time from `next` to `current`. The default is the shortest safe time. */
  publicationLead: v.optional(seconds),
  /** Time from `previous` to `withdrawn`. The default is the shortest safe time. */
  retention: v.optional(seconds),
  /**
   * The most keys that the JWKS of all regions may have. AWS load balancers refuse more than ten.
   */
  jwksMaxKeys: v.optional(
    v.pipe(v.number(), v.integer('a whole number'), v.minValue(0, 'a number of keys')),
    10,
  ),
  /** Time from disabled to the request to delete: enough to notice that a key was still needed. */
  deletionDelay: v.optional(seconds, 30 * secondsPerDay),
});

export type SigningKeyPolicyInput = v.InferInput<typeof signingKeyPolicySchema>;

/** A policy whose every time is known and whose inequalities hold. */
export type SigningKeyPolicy = Readonly<Required<v.InferOutput<typeof signingKeyPolicySchema>>> & {
  /** T: longest life of a token, in seconds. */
  readonly maxTokenLifetime: number;
};

/** A policy without the times that follow from others. */
type KnownTimes = Omit<SigningKeyPolicy, 'publicationLead' | 'retention'>;

/**
 * Seconds that a key must be published before it may sign: A + E + C + G + L. L is for the clocks
 * of the host that publishes it and of the host that lets it sign.
 */
function safePublicationLead(policy: KnownTimes): number {
  const { jwksMaxAge, edgeAge, verifierCache, propagationLag, leeway } = policy;
  return jwksMaxAge + edgeAge + verifierCache + propagationLag + leeway;
}

/**
 * Seconds that a key must stay published after it last signed: T + 2L + Z + G. The host that
 * retires the key may be L behind the host that signs, and a verifier L behind the host that
 * serves the JWKS.
 */
function safeRetention(policy: KnownTimes): number {
  return (
    policy.maxTokenLifetime + 2 * policy.leeway + policy.authorizerResultTtl + policy.propagationLag
  );
}

/**
 * Keys of one region in the JWKS at once: the one that signs, the next one, and one more. The third
 * is a `previous` key during a rotation, and during a change of algorithm first the key of the new
 * algorithm and then the `next` key of the former one, which is kept for an emergency.
 */
const keysOfRegion = 3;

/** Keys of every region, whether or not it is deployed yet: a region that joins finds room. */
const minJwksKeys = keysOfRegion * regionIds.length;

/** 30 keys of the largest algorithm are 110 KB: this project's canary reads 128 KB. */
const maxJwksKeys = 30;

/** How many keys a region may have in the JWKS. */
export function keysOfRegionInJwks({ jwksMaxKeys }: { readonly jwksMaxKeys: number }): number {
  return Math.floor(jwksMaxKeys / regionIds.length);
}

/** Seconds from `withdrawn` to disabled: until no cache can hold the key, A + E + C. */
export function withdrawalDelay(policy: SigningKeyPolicy): number {
  return policy.jwksMaxAge + policy.edgeAge + policy.verifierCache;
}

/**
 * Fills in the times that were left out.
 *
 * @param maxTokenLifetime T, in seconds.
 */
export function resolveSigningKeyPolicy(
  input: v.InferOutput<typeof signingKeyPolicySchema>,
  maxTokenLifetime: number,
): SigningKeyPolicy {
  const known = { ...input, maxTokenLifetime };
  return Object.freeze({
    ...known,
    publicationLead: input.publicationLead ?? safePublicationLead(known),
    retention: input.retention ?? safeRetention(known),
  });
}

/**
 * Seconds for which the token function may use its list of keys when it cannot read the table
 * again: half of G. The other half is for what comes before the list, the write (about 40 s with
 * every retry) and its replication, so that a retired key no longer signs when G is over.
 */
export function keyListMaxAge(policy: { readonly propagationLag: number }): number {
  return Math.floor(policy.propagationLag / 2);
}

/** The problems that make a policy unsafe, each with its inequality; empty if it is safe. */
export function findUnsafeTimes(policy: SigningKeyPolicy): readonly string[] {
  const lead = safePublicationLead(policy);
  const keep = safeRetention(policy);
  const cycle = policy.publicationLead + policy.retention;
  const { cooldown } = jwksCacheTimes;
  return saying(
    policy.publicationLead < lead &&
      `publicationLead must be at least jwksMaxAge + edgeAge + verifierCache + propagationLag + leeway: ${policy.publicationLead} < ${policy.jwksMaxAge} + ${policy.edgeAge} + ${policy.verifierCache} + ${policy.propagationLag} + ${policy.leeway} = ${lead} s`,
    policy.retention < keep &&
      `retention must be at least maxTokenLifetime + 2 * leeway + authorizerResultTtl + propagationLag: ${policy.retention} < ${policy.maxTokenLifetime} + 2 * ${policy.leeway} + ${policy.authorizerResultTtl} + ${policy.propagationLag} = ${keep} s`,
    policy.verifierCache < cooldown &&
      `verifierCache must be at least the cooldown of this project's verifier, which fetches a JWKS for an unknown kid once in ${cooldown} s: ${policy.verifierCache} < ${cooldown} s`,
    policy.keyListRefresh > keyListMaxAge(policy) &&
      `keyListRefresh must be at most half of propagationLag: ${policy.keyListRefresh} > ${policy.propagationLag} / 2 = ${keyListMaxAge(policy)} s`,
    (policy.jwksMaxKeys < minJwksKeys || policy.jwksMaxKeys > maxJwksKeys) &&
      `jwksMaxKeys must be at least ${keysOfRegion} keys for each of ${regionIds.length} regions, and at most ${maxJwksKeys}: received ${policy.jwksMaxKeys}; allowed: ${minJwksKeys} to ${maxJwksKeys}`,
    policy.rotationPeriod < cycle &&
      `rotationPeriod must be at least publicationLead + retention: ${policy.rotationPeriod} < ${policy.publicationLead} + ${policy.retention} = ${cycle} s`,
  );
}
