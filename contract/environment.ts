import * as v from 'valibot';
import { describeIssues } from './parse-problem.ts';
import { regionIds } from './regions.ts';
import { algs } from './signing-algorithms.ts';
import { resolvedSigningKeyPolicySchema } from './signing-key-policy.ts';

/** A function's environment that cannot be used. Its message names each variable. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
}

/** Empty means missing. */
const text = v.pipe(v.string(), v.minLength(1, 'allowed: not empty'));
const regionId = v.picklist(regionIds);
const wholeNumber = v.pipe(
  text,
  v.regex(/^\d+$/, 'allowed: a whole number'),
  v.transform(Number),
  v.number(),
);
const list = <T extends v.GenericSchema<string, unknown>>(item: T) =>
  v.pipe(
    text,
    v.transform((value) => value.split(' ')),
    v.array(item),
  );

/** A JSON value that the reader checks further. */
const json = v.pipe(
  text,
  v.rawTransform(({ dataset, addIssue, NEVER }): unknown => {
    try {
      return JSON.parse(dataset.value);
    } catch {
      addIssue({ message: 'allowed: JSON' });
      return NEVER;
    }
  }),
);

/**
 * The environment variables of each function, by name: the stack writes them, the function reads
 * them, both through these schemas. Lists are separated by a space. Times are seconds.
 */
export const environments = {
  token: v.object({
    AUTH_ISSUER: text,
    AUTH_REGION_ID: regionId,
    AUTH_DEFAULT_AUDIENCE: text,
    AUTH_MAX_TOKEN_LIFETIME: wholeNumber,
    AUTH_CLIENTS_TABLE: text,
    AUTH_SIGNING_KEYS_TABLE: text,
    AUTH_KEY_LIST_REFRESH: wholeNumber,
    /** How long a `next` key must have been published before it may be the fallback key. */
    AUTH_PUBLICATION_LEAD: wholeNumber,
    /**
     * By how much clocks may differ. A `previous` key signs only tokens that expire at least this
     * long before it leaves the JWKS.
     */
    AUTH_LEEWAY: wholeNumber,
    /** The maximum age of the key list when the table does not answer. */
    AUTH_KEY_LIST_MAX_AGE: wholeNumber,
    /**
     * Share of its lifetime that a token must have left to be returned again. Without a value,
     * tokens are never reused.
     */
    AUTH_TOKEN_REUSE_SHARE: v.optional(
      v.pipe(text, v.regex(/^(0\.\d+|1)$/, 'allowed: a share up to 1'), v.transform(Number)),
    ),
    /** Whether each client has metrics of its own. */
    AUTH_CLIENT_METRICS: v.optional(v.literal('1', 'allowed: 1, or nothing')),
  }),
  discovery: v.object({
    AUTH_ISSUER: text,
    /** JSON object: region id → token endpoint. */
    AUTH_REGIONAL_TOKEN_ENDPOINTS: v.pipe(json, v.record(regionId, text)),
    AUTH_SIGNING_ALGORITHMS: list(v.picklist(algs)),
    /** Absent if the catalogue is too long for an environment (4 KB for all variables). */
    AUTH_SCOPES_SUPPORTED: v.optional(list(text)),
    AUTH_DOCUMENT_MAX_AGE: wholeNumber,
  }),
  jwks: v.object({
    AUTH_SIGNING_KEYS_TABLE: text,
    AUTH_KEY_LIST_REFRESH: wholeNumber,
    AUTH_JWKS_MAX_AGE: wholeNumber,
  }),
  'key-rotation': v.object({
    AUTH_ISSUER: text,
    AUTH_REGION_ID: regionId,
    AUTH_SIGNING_KEYS_TABLE: text,
    AUTH_SIGNING_ALGORITHMS: list(v.picklist(algs)),
    /** JSON: the resolved signing key policy. */
    AUTH_SIGNING_KEY_POLICY: v.pipe(json, resolvedSigningKeyPolicySchema),
    /** Constant tag value by which roles select the keys of this deployment. */
    AUTH_DEPLOYMENT_NAME: text,
    /** JSON: the key policy that CreateKey sends. */
    AUTH_KMS_KEY_POLICY: json,
    /** Function whose self-test ends the deployment's trigger. */
    AUTH_TOKEN_FUNCTION: text,
    /** Function that proves a key before it may sign. */
    AUTH_CANARY_FUNCTION: text,
    AUTH_AUDIT_TABLE: text,
  }),
  authorizer: v.object({
    AUTH_ISSUER: text,
    /** The values of `aud` that the protected API accepts. */
    AUTH_AUDIENCES: list(text),
    AUTH_DEFAULT_AUDIENCE: text,
    AUTH_CLIENTS_TABLE: text,
    AUTH_API_KEYS_TABLE: text,
    AUTH_IDENTITY_PROVIDERS_TABLE: text,
    /** JSON object: `GET /messages` → scopes, separated by a space. */
    AUTH_REQUIRED_SCOPES: v.pipe(json, v.record(text, v.string())),
    /** Seconds for which the gateway caches a decision; 0 if it does not. */
    AUTH_RESULT_CACHE_TTL: wholeNumber,
    /** Providers on loopback: only in the local run. No stack sets it. */
    AUTH_ALLOW_LOOPBACK_PROVIDERS: v.optional(v.literal('1', 'allowed: 1, or nothing')),
  }),
  canary: v.object({
    AUTH_REGION_ID: regionId,
    AUTH_SIGNING_KEYS_TABLE: text,
    /** JSON object: region id → address of the JWKS as that region serves it. */
    AUTH_REGIONAL_JWKS_URIS: v.pipe(json, v.record(regionId, text)),
    /** Tag value that a key must have to be published. */
    AUTH_DEPLOYMENT_NAME: text,
    /** JSON: the policy that a key must have to be published. */
    AUTH_KMS_KEY_POLICY: json,
    AUTH_LEEWAY: wholeNumber,
  }),
  'deployment-check': v.object({
    AUTH_SIGNING_KEYS_TABLE: text,
    /** JSON: the resolved signing key policy. */
    AUTH_SIGNING_KEY_POLICY: v.pipe(json, resolvedSigningKeyPolicySchema),
  }),
  'synthetic-check': v.object({
    AUTH_ISSUER: text,
    AUTH_REGION_ID: regionId,
    AUTH_CLIENTS_TABLE: text,
    /** Addresses that reach only this region. */
    AUTH_TOKEN_ENDPOINT: text,
    AUTH_JWKS_URI: text,
  }),
} as const;

export type FunctionName = keyof typeof environments;

/** What a function reads: parsed and frozen. */
export type Environment<F extends FunctionName> = Readonly<v.InferOutput<(typeof environments)[F]>>;

/** What the stack writes: strings by variable name. */
export type EnvironmentVariables<F extends FunctionName> = v.InferInput<(typeof environments)[F]>;

/**
 * Reads a function's environment once, at INIT.
 *
 * @throws {EnvironmentError} naming each variable that is missing or not as allowed.
 */
export function readEnvironment<F extends FunctionName>(
  name: F,
  source: Readonly<Record<string, string | undefined>>,
): Environment<F> {
  const present = Object.fromEntries(
    Object.entries(source).filter(([, value]) => value !== undefined && value !== ''),
  );
  const result = v.safeParse(environments[name], present);
  if (!result.success) {
    throw new EnvironmentError(
      `the environment of the ${name} function cannot be used:\n${describeIssues(result.issues).join('\n')}`,
    );
  }
  return Object.freeze(result.output);
}
