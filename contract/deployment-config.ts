import * as v from 'valibot';
import { maxTokenLifetime } from './bounds.ts';
import { findCombinationProblems } from './deployment-config-combinations.ts';
import {
  deploymentConfigSchema,
  localConfigSchema,
  type ParsedKeys,
} from './deployment-config-schema.ts';
import { describeIssues } from './parse-problem.ts';
import { type RegionId, regionIds } from './regions.ts';
import {
  findUnsafeTimes,
  resolveSigningKeyPolicy,
  type SigningKeyPolicy,
} from './signing-key-policy.ts';

/** Whether a problem is about a key that resembles none, and that another release may have. */
function isUnknownKey(problem: string): boolean {
  return problem.includes(': unknown key; allowed: ') && !problem.startsWith('regions.');
}

const otherRelease =
  'a key that is unknown here may be of another release: install the release that the config was written for, or remove the key (docs/upgrade.md)';

/** A deployment config that cannot be used. Its message is one sentence, or a line for each problem. */
export class DeploymentConfigError extends Error {
  override readonly name = 'DeploymentConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    const lines = problems.some(isUnknownKey) ? [...problems, otherRelease] : problems;
    const text = lines.length === 1 ? ` ${lines[0]}` : lines.map((line) => `\n  ${line}`).join('');
    super(`the deployment config cannot be used:${text}`);
    this.problems = problems;
  }
}

/** What a person writes: every key but `regions`, `defaultAudience` and `scopes` has a default. */
export type DeploymentConfigInput = v.InferInput<typeof deploymentConfigSchema>;

interface ParseOptions {
  /** Whether the config may have an `issuer` on loopback, as the local run's has. Never set by the stacks. */
  readonly allowLoopbackIssuer?: boolean;
}

/** One deployment: all regions of one issuer. Lifetimes and times are seconds. */
export type DeploymentConfig = Readonly<Omit<ParsedKeys, 'signingKeyPolicy'>> & {
  readonly signingKeyPolicy: SigningKeyPolicy;
};

/**
 * Parses a deployment config strictly: an unknown key, a missing one or an unsafe combination is
 * refused, all problems at once.
 *
 * @throws {DeploymentConfigError} with a line per problem: the key, the value, what is allowed.
 *
 * @example
 * const parsed = parseDeploymentConfig({
 *   regions: { slc: { awsRegion: 'us-west-2' } },
 *   defaultAudience: 'https://api.example.com',
 *   scopes: [{ service: 'messaging', permission: 'view', description: 'Read messages' }],
 * });
 */
export function parseDeploymentConfig(
  input: unknown,
  { allowLoopbackIssuer = false }: ParseOptions = {},
): DeploymentConfig {
  const schema = allowLoopbackIssuer ? localConfigSchema : deploymentConfigSchema;
  const result = v.safeParse(schema, input);
  if (!result.success) {
    throw new DeploymentConfigError(describeIssues(result.issues));
  }
  const parsed: ParsedKeys = result.output;
  const { signingKeyPolicy: times, tokenLifetime } = parsed;
  // Tokens of a higher maximum, which the config had before, need their key as long.
  const { retention } = resolveSigningKeyPolicy(times, maxTokenLifetime);
  const signingKeyPolicy = resolveSigningKeyPolicy({ ...times, retention }, tokenLifetime.maximum);
  const problems = [
    ...findCombinationProblems(parsed),
    ...findUnsafeTimes(signingKeyPolicy).map((problem) => `signingKeyPolicy: ${problem}`),
  ];
  if (problems.length > 0) throw new DeploymentConfigError(problems);
  const issuer =
    parsed.issuer ?? (parsed.domain === undefined ? undefined : `https://${parsed.domain.name}`);
  return Object.freeze({ ...parsed, issuer, signingKeyPolicy });
}

/**
 * The regions of a deployment, in the platform's order.
 *
 * @example
 * const awsRegions = deployedRegions(parsed).map(({ awsRegion }) => awsRegion);
 */
export function deployedRegions(
  config: Pick<DeploymentConfig, 'regions'>,
): readonly { readonly id: RegionId; readonly awsRegion: string }[] {
  return regionIds.flatMap((id) => {
    const found = config.regions[id];
    return found === undefined ? [] : [{ id, awsRegion: found.awsRegion }];
  });
}
