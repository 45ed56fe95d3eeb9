import * as v from 'valibot';
import { accessTokenTypes, defaultAccessTokenType } from './access-token-type.ts';
import {
  defaultTokenLifetime,
  maxAudienceLength,
  maxScopeBytes,
  maxTokenLifetime,
  minTokenLifetime,
} from './bounds.ts';
import { configObject, count, domainSchema, matching, secondsBetween } from './config-values.ts';
import { defaultDeploymentName } from './function-names.ts';
import { operationsEntries } from './operations-config.ts';
import { findRegionProblem } from './partitions.ts';
import { portalSchema } from './portal-config.ts';
import { clientKeyAlgs, proofAlgs, proofModes } from './proof-algorithms.ts';
import { type RegionId, regionIds } from './regions.ts';
import { isResourceUri } from './resource-metadata.ts';
import { isScopeToken, scopePartPattern } from './scopes.ts';
import { algs, defaultAlg } from './signing-algorithms.ts';
import { signingKeyPolicySchema } from './signing-key-policy.ts';

const deploymentName = matching(
  /^[a-z][a-z0-9-]{1,30}[a-z0-9]$/,
  'allowed: 3 to 32 characters of a-z, 0-9 and "-", a letter first',
);

const awsRegion = v.pipe(
  v.string(),
  v.check(
    (name) => findRegionProblem(name) === undefined,
    ({ input }) => `allowed: ${findRegionProblem(input)}`,
  ),
);

const regionExample = { awsRegion: 'us-west-2' };

const region = configObject(
  {
    awsRegion,
    /** KMS key of this AWS region that encrypts logs, the topic of the alarms and the portal's secret. */
    encryptionKeyArn: v.optional(
      matching(
        /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/(mrk-[0-9a-f]{32}|[0-9a-f-]{36})$/,
        'allowed: the ARN of a KMS key, not of an alias',
      ),
    ),
  },
  { example: regionExample },
);

const regionSchema = v.pipe(
  configObject(
    Object.fromEntries(regionIds.map((id) => [id, v.optional(region)])) as Record<
      RegionId,
      v.OptionalSchema<typeof region, undefined>
    >,
    { example: { slc: regionExample } },
  ),
  v.check(
    (regions) => Object.values(regions).some((value) => value !== undefined),
    `allowed: at least one of ${regionIds.join(', ')}`,
  ),
);

const scopePart = matching(
  scopePartPattern,
  'allowed: a lower-case letter, then up to 31 of a-z, 0-9, "_", "." and "-"',
);

const scopeToken = v.pipe(
  v.string(),
  v.check(
    isScopeToken,
    `allowed: a scope token of RFC 6749 §3.3, at most ${maxScopeBytes} characters`,
  ),
);

const scopeExample = { service: 'messaging', permission: 'view', description: 'Read messages' };

const scope = configObject(
  {
    service: scopePart,
    permission: scopePart,
    description: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
    /** Its name in requests, tokens and APIs, if that is not `service:permission`. */
    value: v.optional(scopeToken),
  },
  { example: scopeExample },
);

const lifetime = secondsBetween(1, maxTokenLifetime, ' (24 hours)');

/** Seconds after its `iat` for which an assertion is accepted, if the config says nothing. */
const defaultAssertionAge = 3600;

const federatedClients = configObject({
  /** One more value that `aud` of a `client_assertion` may have, next to the issuer. */
  audience: v.optional(
    v.pipe(
      v.string(),
      v.regex(
        /^[\x21-\x7e]+$/,
        'allowed: visible ASCII characters, as the platform writes its `aud`',
      ),
      v.maxLength(maxAudienceLength, `allowed: at most ${maxAudienceLength} characters`),
    ),
  ),
  /** Seconds after its `iat` for which an assertion is accepted. */
  maxAge: v.optional(secondsBetween(60, maxTokenLifetime, ' (24 hours)'), defaultAssertionAge),
  /** Whether providers that trunk groups registered for themselves take part. */
  ownProviders: v.optional(v.boolean(), false),
});

/** A choice of algorithms. */
function someOf<const Names extends readonly string[]>(names: Names) {
  return v.pipe(
    v.array(v.picklist(names)),
    v.minLength(1, 'allowed: one algorithm or more'),
    v.check((all) => new Set(all).size === all.length, 'allowed: each algorithm once'),
  );
}

const clientKeys = configObject({
  /** What keys may sign with. FAPI 2.0 allows PS256, ES256 and Ed25519. */
  algorithms: v.optional(someOf(clientKeyAlgs), [...clientKeyAlgs]),
  /** Whether no secret authenticates a client any more. */
  only: v.optional(v.boolean(), false),
  /** Seconds after its `iat` for which an assertion is accepted. Until then, it can be sent again. */
  maxAge: v.optional(secondsBetween(30, 600), 120),
  /** Whether `aud` may also be a token endpoint, as some libraries write it (CVE-2025-27370). */
  tokenEndpointAudience: v.optional(v.boolean(), false),
});

const clientImport = configObject({
  /** Days for which an imported secret works, at most. */
  maxLifetimeDays: v.optional(v.pipe(count, v.maxValue(180, 'allowed: at most 180')), 180),
});

/** They are in the environment of the token function, which Lambda limits to 4,096 bytes. */
const maxIgnoredScopes = 10;

const issuerUrl = v.pipe(
  v.string(),
  v.check(
    (value) => URL.canParse(value) && new URL(value).protocol === 'https:',
    'allowed: an https URL',
  ),
);

/** An audience that clients can also request with `resource` (RFC 8707 §2). */
const audience = v.pipe(
  v.string(),
  v.check(
    (value) => URL.canParse(value) && isResourceUri(value),
    `allowed: an absolute URI in ASCII without fragment, at most ${maxAudienceLength} characters`,
  ),
);

const dpop = v.pipe(
  configObject({
    audiences: v.optional(v.record(audience, v.picklist(proofModes)), {}),
    /** Of audiences without an entry. Without it their tokens are bearer tokens. */
    default: v.optional(v.picklist(proofModes)),
    /** What proofs may be signed with. FAPI 2.0 allows PS256, ES256 and Ed25519. */
    algorithms: v.optional(someOf(proofAlgs), [...proofAlgs]),
  }),
  v.check(
    (all) => all.default !== undefined || Object.keys(all.audiences).length > 0,
    'allowed: one audience or more, or a default',
  ),
);

/** Each key is described in docs/configuration.md. */
export const deploymentConfigSchema = configObject({
  /** Prefix of stacks, tables and functions. */
  name: v.optional(deploymentName, defaultDeploymentName),
  /**
   * Prefix of the tables that regions share, if it is not `name`: a move to other regions, or
   * a restore of everything, takes a second set of them.
   */
  tablesName: v.optional(deploymentName),
  /**
   * Prefix of the tables that the functions used before, while an update moves them to others: the
   * roles change before the functions do.
   */
  formerTablesName: v.optional(deploymentName),
  /** The issuer that this config replaces on purpose; the deployment check refuses any other. */
  formerIssuer: v.optional(issuerUrl),
  domain: v.optional(domainSchema),
  regions: regionSchema,
  /** AWS region that keeps the log of a strongly consistent table of two regions. */
  witnessAwsRegion: v.optional(awsRegion),
  /** `aud` of tokens of clients that have no audience of their own (RFC 9068 §3). */
  defaultAudience: audience,
  /** `audience` of a token request, which Auth0's clients send instead of `resource`. */
  audienceParameter: v.optional(v.picklist(['ignore', 'refuse', 'resource']), 'ignore'),
  /** The default audience that this config replaces on purpose. */
  formerDefaultAudience: v.optional(audience),
  /**
   * The first is used for new keys. Keys of the others may still sign during a change of algorithm.
   */
  signingAlgorithms: v.optional(someOf(algs), [defaultAlg]),
  /** `typ` of access tokens. `JWT` only for platforms that refuse `at+jwt`. */
  accessTokenType: v.optional(v.picklist(accessTokenTypes), defaultAccessTokenType),
  /**
   * Publishes an authorization endpoint that refuses every request, for clients that accept no
   * discovery document without one.
   */
  authorizationEndpoint: v.optional(v.boolean(), false),
  tokenLifetime: v.optional(
    configObject({
      default: v.optional(lifetime, defaultTokenLifetime),
      minimum: v.optional(lifetime, minTokenLifetime),
      maximum: v.optional(lifetime, maxTokenLifetime),
    }),
    {},
  ),
  /** Issues tokens to clients under registered providers, for an assertion. Off by default. */
  federatedClients: v.optional(federatedClients),
  /** Whether the staff may register providers with a file of keys, which are never fetched. */
  providerKeyFiles: v.optional(v.boolean(), false),
  /** Clients authenticate with keys of their own (`private_key_jwt`). Off by default. */
  clientKeys: v.optional(clientKeys),
  /** Clients move here with the ids and secrets of another provider. Off by default. */
  clientImport: v.optional(clientImport),
  /** Whether the body of a token request may hold the secret (RFC 6749 §2.3.1). Off by default. */
  clientSecretPost: v.optional(v.boolean(), false),
  /** Binds tokens to keys of clients that prove them (RFC 9449). Off by default. */
  dpop: v.optional(dpop),
  scopes: v.pipe(
    v.array(scope, `expected a list, e.g. ${JSON.stringify([scopeExample])}`),
    v.minLength(1, 'allowed: one scope or more'),
  ),
  /**
   * Scopes of a request that are treated as if they were not there, e.g. `openid`, which some
   * clients always add. None by default: a scope that the client does not have is refused.
   */
  ignoredScopes: v.optional(
    v.pipe(
      v.array(scopeToken),
      v.minLength(1, 'allowed: one scope or more'),
      v.maxLength(maxIgnoredScopes, `allowed: at most ${maxIgnoredScopes} scopes`),
      v.check((all) => new Set(all).size === all.length, 'allowed: each scope once'),
    ),
  ),
  signingKeyPolicy: v.optional(signingKeyPolicySchema, {}),
  /** The portal for customers, a stack of its own. */
  portal: v.optional(portalSchema),
  ...operationsEntries,
});

function isLoopbackOrigin(text: string): boolean {
  const { origin, hostname, protocol } = URL.parse(text) ?? {};
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname ?? '');
  return isLocal && protocol?.startsWith('http') === true && origin === text;
}

/** The config of the local run, which has no domain to derive the issuer from. */
export const localConfigSchema = configObject({
  ...deploymentConfigSchema.entries,
  issuer: v.optional(
    v.pipe(v.string(), v.check(isLoopbackOrigin, 'allowed: an http origin on loopback')),
  ),
});

/** A config in which each key is valid by itself. Combinations are not checked yet. */
export type ParsedKeys = v.InferOutput<typeof localConfigSchema>;
