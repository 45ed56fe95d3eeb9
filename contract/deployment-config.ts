import * as v from 'valibot';
import { defaultDeploymentName } from './function-names.ts';
import {
  defaultTokenLifetime,
  maxAudienceLength,
  maxDomainNameLength,
  maxTokenLifetime,
  minTokenLifetime,
} from './limits.ts';
import { operationsEntries } from './operations-config.ts';
import { describeIssues } from './parse-problem.ts';
import { type RegionId, regionIds, strongConsistencySets } from './regions.ts';
import { scopeName, scopePartPattern } from './scopes.ts';
import { algs, defaultAlg } from './signing-algorithms.ts';
import {
  findUnsafeTimes,
  resolveSigningKeyPolicy,
  type SigningKeyPolicy,
  signingKeyPolicySchema,
} from './signing-key-policy.ts';

/** A deployment config that cannot be used. Its message has a line for each problem. */
export class DeploymentConfigError extends Error {
  override readonly name = 'DeploymentConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`the deployment config cannot be used:\n${problems.map((p) => `  ${p}`).join('\n')}`);
    this.problems = problems;
  }
}

const deploymentName = v.pipe(
  v.string(),
  v.regex(
    /^[a-z][a-z0-9-]{1,30}[a-z0-9]$/,
    'allowed: 3 to 32 characters of a-z, 0-9 and "-", a letter first',
  ),
);

const domainName = v.pipe(
  v.string(),
  v.maxLength(maxDomainNameLength, `allowed: at most ${maxDomainNameLength} characters`),
  v.regex(
    /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
    'allowed: a lower-case DNS name without a trailing dot, e.g. "auth.example.com"',
  ),
);

const domain = v.strictObject({
  /** Host of the issuer. Each region is served under `{region}.{name}` besides. */
  name: domainName,
  /** Route 53 public hosted zone that holds the name. */
  hostedZoneId: v.pipe(
    v.string(),
    v.regex(/^Z[A-Z0-9]{5,31}$/, 'allowed: a Route 53 hosted zone id, e.g. "Z0123456789ABC"'),
  ),
  /** Name of the hosted zone, e.g. `example.com`. */
  hostedZoneName: domainName,
});

const awsRegion = v.pipe(
  v.string(),
  v.regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'allowed: an AWS region, e.g. "us-west-2"'),
);

const region = v.strictObject({ awsRegion });

const regionSchema = v.pipe(
  v.strictObject(
    Object.fromEntries(regionIds.map((id) => [id, v.optional(region)])) as Record<
      RegionId,
      v.OptionalSchema<typeof region, undefined>
    >,
  ),
  v.check(
    (regions) => Object.values(regions).some((value) => value !== undefined),
    `allowed: at least one of ${regionIds.join(', ')}`,
  ),
);

const scopePart = v.pipe(
  v.string(),
  v.regex(
    scopePartPattern,
    'allowed: a lower-case letter, then up to 31 of a-z, 0-9, "_", "." and "-"',
  ),
);

const scope = v.strictObject({
  service: scopePart,
  permission: scopePart,
  description: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
});

const lifetime = v.pipe(
  v.number(),
  v.integer('allowed: whole seconds'),
  v.minValue(1, 'allowed: 1 second or more'),
  v.maxValue(maxTokenLifetime, `allowed: at most ${maxTokenLifetime} seconds (24 hours)`),
);

const tokenReuse = v.strictObject({
  /**
   * Share of its life that a token must have left to be given again. A low one saves more
   * signatures and hands out tokens that soon end.
   */
  minimumRemainingShare: v.pipe(
    v.number(),
    v.minValue(0.05, 'allowed: 0.05 or more'),
    v.maxValue(0.95, 'allowed: at most 0.95, as more reuses next to nothing'),
  ),
});

const httpUri = v.pipe(
  v.string(),
  v.maxLength(maxAudienceLength),
  v.check((value) => URL.canParse(value) && !value.includes('#'), 'allowed: an absolute URI'),
);

/** Each key is described in docs/configuration.md. */
export const deploymentConfigSchema = v.strictObject({
  /** Prefix of stacks, tables and functions. */
  name: v.optional(deploymentName, defaultDeploymentName),
  /** Given with a domain, or derived from it; without a domain each deployment derives its own. */
  issuer: v.optional(v.string()),
  domain: v.optional(domain),
  regions: regionSchema,
  /** AWS region that keeps the log of a strongly consistent table of two regions. */
  witnessAwsRegion: v.optional(awsRegion),
  /** `aud` of tokens of clients that have no audience of their own (RFC 9068 §3). */
  defaultAudience: httpUri,
  /** The first signs new keys; the others may still sign while a deployment moves. */
  signingAlgorithms: v.optional(
    v.pipe(v.array(v.picklist(algs)), v.minLength(1, 'allowed: one algorithm or more')),
    [defaultAlg],
  ),
  tokenLifetime: v.optional(
    v.strictObject({
      default: v.optional(lifetime, defaultTokenLifetime),
      minimum: v.optional(lifetime, minTokenLifetime),
      maximum: v.optional(lifetime, maxTokenLifetime),
    }),
    {},
  ),
  /** Gives the same client the same token again. Off where left out: each token is its own. */
  tokenReuse: v.optional(tokenReuse),
  scopes: v.pipe(v.array(scope), v.minLength(1, 'allowed: one scope or more')),
  signingKeyPolicy: v.optional(signingKeyPolicySchema, {}),
  ...operationsEntries,
});

type Parsed = v.InferOutput<typeof deploymentConfigSchema>;

/** What a person writes: every key but `regions`, `defaultAudience` and `scopes` has a default. */
export type DeploymentConfigInput = v.InferInput<typeof deploymentConfigSchema>;

/** One deployment: all regions of one issuer. Lifetimes and times are seconds. */
export type DeploymentConfig = Readonly<Omit<Parsed, 'signingKeyPolicy'>> & {
  readonly signingKeyPolicy: SigningKeyPolicy;
};

export interface ParseOptions {
  /** Whether `issuer` may be http on loopback, as the local run's is. Never set by the stacks. */
  readonly allowLoopbackIssuer?: boolean;
}

function findIssuerProblems(config: Parsed, options: ParseOptions): readonly string[] {
  const { issuer } = config;
  if (issuer === undefined) return [];
  if (!URL.canParse(issuer)) return [`issuer: received "${issuer}"; allowed: an https URL`];
  const url = new URL(issuer);
  const loopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (loopback && options.allowLoopbackIssuer === true && url.protocol.startsWith('http')) {
    return url.origin === issuer ? [] : [`issuer: received "${issuer}"; allowed: ${url.origin}`];
  }
  const allowed = config.domain === undefined ? undefined : `https://${config.domain.name}`;
  if (url.protocol !== 'https:') {
    return [`issuer: received "${issuer}"; allowed: an https URL without query and fragment`];
  }
  if (allowed === undefined) {
    return [
      `issuer: received "${issuer}"; allowed: nothing, as there is no domain: the issuer is then the address of the API`,
    ];
  }
  return issuer === allowed
    ? []
    : [`issuer: received "${issuer}"; allowed: "${allowed}", which is the domain's`];
}

function findDomainProblems({ domain: found }: Parsed): readonly string[] {
  if (found === undefined) return [];
  const { name, hostedZoneName } = found;
  return name === hostedZoneName || name.endsWith(`.${hostedZoneName}`)
    ? []
    : [`domain.name: received "${name}"; allowed: a name in the zone "${hostedZoneName}"`];
}

function findDuplicates(values: readonly string[]): readonly string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
}

function findRegionProblems(config: Parsed): readonly string[] {
  const members = Object.values(config.regions)
    .filter((value) => value !== undefined)
    .map((value) => value.awsRegion);
  const problems = findDuplicates(members).map(
    (name) =>
      `regions: two platform regions are on ${name}; allowed: one platform region to an AWS region`,
  );
  if (members.length === 1) {
    return config.witnessAwsRegion === undefined
      ? problems
      : [...problems, 'witnessAwsRegion: allowed only with two regions'];
  }
  if (config.domain === undefined) {
    problems.push('domain: received nothing; several regions share one issuer, so they need one');
  }
  if (members.length === 2 && config.witnessAwsRegion === undefined) {
    problems.push(
      'witnessAwsRegion: received nothing; a strongly consistent table of two regions needs a third AWS region as witness',
    );
  }
  if (members.length === 3 && config.witnessAwsRegion !== undefined) {
    problems.push('witnessAwsRegion: allowed only with two regions');
  }
  const all = [...members, ...(config.witnessAwsRegion ? [config.witnessAwsRegion] : [])];
  const set = strongConsistencySets.find((names) => names.includes(all[0] ?? ''));
  if (set === undefined || !all.every((name) => set.includes(name)) || new Set(all).size < 3) {
    problems.push(
      `regions: received ${all.join(', ')}; strongly consistent tables need three different AWS regions of one set: ${strongConsistencySets.map((names) => names.join(', ')).join(' | ')}`,
    );
  }
  return problems;
}

/** Lambda takes the kept instances from the reserved ones. */
function findConcurrencyProblems(config: Parsed): readonly string[] {
  const kept = config.tokenFunction.provisionedConcurrency ?? 0;
  const reserved = config.reservedConcurrency.token ?? Number.POSITIVE_INFINITY;
  return kept <= reserved
    ? []
    : [
        `tokenFunction.provisionedConcurrency: received ${kept}; allowed: at most reservedConcurrency.token, which is ${reserved}`,
      ];
}

/** Without reuse each token is a Sign: a throttle above the quota only moves refusals into KMS. */
function findThrottleProblems(config: Parsed): readonly string[] {
  const rate = config.throttles.token?.rateLimit ?? 0;
  return rate <= config.kmsSignQuota || config.tokenReuse !== undefined
    ? []
    : [
        `throttles.token.rateLimit: received ${rate}; allowed: at most kmsSignQuota, which is ${config.kmsSignQuota}, unless tokenReuse is on`,
      ];
}

function findLifetimeProblems(config: Parsed): readonly string[] {
  const { default: usual, minimum, maximum } = config.tokenLifetime;
  return minimum <= usual && usual <= maximum
    ? []
    : [
        `tokenLifetime: received minimum ${minimum}, default ${usual}, maximum ${maximum}; allowed: minimum <= default <= maximum`,
      ];
}

/**
 * Parses a deployment config strictly: an unknown key, a missing one or an unsafe combination is
 * refused, all problems at once.
 *
 * @throws {DeploymentConfigError} with a line per problem: the key, the value, what is allowed.
 */
export function parseDeploymentConfig(
  input: unknown,
  options: ParseOptions = {},
): DeploymentConfig {
  const result = v.safeParse(deploymentConfigSchema, input);
  if (!result.success) throw new DeploymentConfigError(describeIssues(result.issues));
  const parsed = result.output;
  const signingKeyPolicy = resolveSigningKeyPolicy(
    parsed.signingKeyPolicy,
    parsed.tokenLifetime.maximum,
  );
  const problems = [
    ...findIssuerProblems(parsed, options),
    ...findDomainProblems(parsed),
    ...findRegionProblems(parsed),
    ...findLifetimeProblems(parsed),
    ...findConcurrencyProblems(parsed),
    ...findThrottleProblems(parsed),
    ...findDuplicates(parsed.scopes.map(scopeName)).map((name) => `scopes: ${name} stands twice`),
    ...findUnsafeTimes(signingKeyPolicy).map((problem) => `signingKeyPolicy: ${problem}`),
  ];
  if (problems.length > 0) throw new DeploymentConfigError(problems);
  const issuer =
    parsed.issuer ?? (parsed.domain === undefined ? undefined : `https://${parsed.domain.name}`);
  return Object.freeze({ ...parsed, issuer, signingKeyPolicy });
}

/** The regions of a deployment, in the platform's order. */
export function deployedRegions(
  config: DeploymentConfig,
): readonly { readonly id: RegionId; readonly awsRegion: string }[] {
  return regionIds.flatMap((id) => {
    const found = config.regions[id];
    return found === undefined ? [] : [{ id, awsRegion: found.awsRegion }];
  });
}
