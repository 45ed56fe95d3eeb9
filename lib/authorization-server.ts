import {
  Annotations,
  App,
  AspectPriority,
  Aspects,
  type IAspect,
  Stack,
  Stage,
  TagManager,
  Tags,
  Token,
} from 'aws-cdk-lib';
import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager';
import { CfnTopic } from 'aws-cdk-lib/aws-sns';
import type { Construct, IConstruct } from 'constructs';
import {
  type DeploymentConfig,
  DeploymentConfigError,
  deployedRegions,
} from '../contract/deployment-config.ts';
import { stackId, stackName } from '../contract/function-names.ts';
import type { RegionId } from '../contract/regions.ts';
import { tableKeys, tables } from '../contract/tables.ts';
import { describeEqualTags, findEqualTags, hasTag, ownTag } from '../contract/tags.ts';
import { addServiceTable, type Replication } from './data/service-tables.ts';
import { getBundles } from './functions/function-bundles.ts';
import { PortalStack } from './portal/portal-stack.ts';
import { RegionStack } from './region-stack.ts';

/** The account of {@link addAuthorizationServer}, and its bundles. */
export interface AuthorizationServerOptions {
  /**
   * Folder of the function bundles.
   *
   * @default the ones of this package
   */
  readonly bundles?: string;
  /**
   * Where the stacks are deployed. Their AWS regions are in the config.
   *
   * @default the account of the stage, or of the credentials that deploy
   */
  readonly env?: { readonly account?: string };
}

/** What {@link addAuthorizationServer} added. */
export interface AuthorizationServer {
  /** Every stack, in the order of their deployment. */
  readonly stacks: readonly Stack[];
  /** The stack of each platform region. */
  readonly regions: Readonly<Partial<Record<RegionId, RegionStack>>>;
  /** With several regions: the stack of the tables that they share. */
  readonly data: Stack | undefined;
  /** Only if the config has a portal. */
  readonly portal: PortalStack | undefined;
}

/** The app is made of another copy of aws-cdk-lib than the stacks. */
export class DuplicateLibraryError extends Error {
  override readonly name = 'DuplicateLibraryError';

  constructor() {
    super(
      'the app uses another copy of aws-cdk-lib than @authorization-server-aws/constructs, and CDK cannot join them: "npm ls aws-cdk-lib" names both; install one version in package.json, then run "npm dedupe"',
    );
  }
}

/** CDK knows the constructs of another copy as constructs, and fails later in many ways. */
function refuseOtherCopy(scope: Construct): void {
  const { root } = scope.node;
  const isOfOther = Stage.isStage(root) && !(root instanceof Stage);
  if (isOfOther || (App.isApp(root) && !(root instanceof App))) throw new DuplicateLibraryError();
}

/**
 * Adds the stacks of a deployment: one per region and, if there are several regions, first one for
 * the tables that they share; if the config has a portal, last one for it.
 *
 * @param scope an app, a `Stage` or any other construct. For several deployments in one app, each
 *   has a scope of its own, and its config another `name`.
 * @throws {DuplicateLibraryError} if the scope is made of another copy of aws-cdk-lib.
 *
 * @example
 * const { regions, portal } = addAuthorizationServer(app, parseDeploymentConfig(config));
 */
export function addAuthorizationServer(
  scope: Construct,
  config: DeploymentConfig,
  { bundles = getBundles(), env = {} }: AuthorizationServerOptions = {},
): AuthorizationServer {
  refuseOtherCopy(scope);
  const data = addDataStack(scope, config, env);
  const regions = deployedRegions(config).map(({ id, awsRegion }) => {
    const stack = new RegionStack(scope, stackId(id), {
      ...stackProps(config, id, `region ${id}`),
      regionId: id,
      awsRegion,
      bundles,
      env: { ...env, region: awsRegion },
    });
    // The stacks are connected only by names and order. An export would couple the stacks of three
    // AWS regions.
    if (data !== undefined) stack.addStackDependency(data);
    storeAsConfigured(stack, config, id);
    return [id, stack] as const;
  });
  const byRegion = Object.fromEntries(regions) as AuthorizationServer['regions'];
  const portal = addPortalStack(scope, config, byRegion, { bundles, env });
  const stacks = [data, ...regions.map(([, stack]) => stack), portal].filter(
    (stack) => stack !== undefined,
  );
  for (const stack of stacks) {
    addTags(stack, config);
    addPermissionsBoundary(stack, config);
  }
  return { stacks, regions: byRegion, data, portal };
}

function stackProps(config: DeploymentConfig, part: Parameters<typeof stackName>[1], of: string) {
  const { name, tags, terminationProtection, domain, alarmEmails } = config;
  return {
    config,
    stackName: stackName(name, part),
    description: `Authorization server ${name}, ${of}`,
    // Of the stack itself, which a service control policy can require for CreateStack.
    tags,
    // A destroyed region answers no one, and without a domain its issuer never comes back. A trial
    // can be destroyed, and deployed again if its first deployment failed, which deletes the stack.
    terminationProtection:
      terminationProtection ?? (domain !== undefined || alarmEmails.length > 0),
  };
}

/**
 * The tag with the deployment's name, on what has no tag of that name. It sees also the tags that
 * the company's app adds.
 */
function ownTagAspect(value: string): IAspect {
  let hasProblem = false;
  const visit = (node: IConstruct): void => {
    const tags = TagManager.of(node);
    // CloudFormation gives a stack's tags to its resources, also to those with the company's.
    if (tags === undefined || Stack.isStack(node)) return;
    const names = Object.keys(tags.tagValues());
    if (!hasTag(names, ownTag)) tags.setTag(ownTag, value);
    const [equal] = findEqualTags(names);
    if (equal === undefined || hasProblem) return;
    hasProblem = true;
    Annotations.of(Stack.of(node)).addError(describeEqualTags(equal));
  };
  return { visit };
}

/**
 * Calls `apply` with all that a stack has until now, which is of this deployment. What the
 * company's app adds to the stack later has the company's settings.
 */
function forOwn(stack: Stack, apply: (part: IConstruct) => void): void {
  for (const part of stack.node.children) apply(part);
}

function addTags(stack: Stack, config: DeploymentConfig): void {
  const ownTags = ownTagAspect(config.name);
  forOwn(stack, (part) => {
    for (const [name, value] of Object.entries(config.tags)) Tags.of(part).add(name, value);
    // After the aspects that add tags, with any feature flags of the app.
    Aspects.of(part).add(ownTags, { priority: AspectPriority.DEFAULT + 1 });
  });
}

function addPermissionsBoundary(
  stack: Stack,
  { permissionsBoundaryArn: arn }: DeploymentConfig,
): void {
  if (arn === undefined) return;
  const boundary = ManagedPolicy.fromManagedPolicyArn(stack, 'PermissionsBoundary', arn);
  forOwn(stack, (part) => PermissionsBoundary.of(part).apply(boundary));
}

/**
 * The tables that all regions share. A global table is one resource with all its replicas, so one
 * stack owns it, and the regions' stacks refer to it by name.
 */
function addDataStack(
  scope: Construct,
  config: DeploymentConfig,
  env: NonNullable<AuthorizationServerOptions['env']>,
): Stack | undefined {
  const [home, ...others] = deployedRegions(config);
  if (home === undefined || others.length === 0) return undefined;
  const stack = new Stack(scope, stackId('data'), {
    ...stackProps(config, 'data', 'tables of all regions'),
    env: { ...env, region: home.awsRegion },
  });
  const replication: Replication = {
    awsRegions: others.map(({ awsRegion }) => awsRegion),
    witnessAwsRegion: config.witnessAwsRegion,
  };
  for (const table of tableKeys.filter((key) => tables[key].scope === 'global')) {
    addServiceTable(stack, { config, table, replication });
  }
  return stack;
}

/** Secrets Manager would refuse the portal's first login. The account is known if the app names it. */
function refuseSecretOfOtherAccount({ account }: Stack, secretArn: string): void {
  const owner = secretArn.split(':')[4];
  if (Token.isUnresolved(account) || owner === account) return;
  throw new DeploymentConfigError([
    `portal.login.clientSecretArn: received a secret of the account ${owner}; allowed: one of ${account}, the account of the stack`,
  ]);
}

function addPortalStack(
  scope: Construct,
  config: DeploymentConfig,
  regions: AuthorizationServer['regions'],
  { bundles, env }: Required<AuthorizationServerOptions>,
): PortalStack | undefined {
  const { portal } = config;
  const region = portal && regions[portal.region];
  if (portal === undefined || region === undefined) return undefined;
  const stack = new PortalStack(scope, stackId('portal'), {
    ...stackProps(config, 'portal', 'portal for customers'),
    portal,
    bundles,
    env: { ...env, region: config.regions[portal.region]?.awsRegion },
  });
  refuseSecretOfOtherAccount(stack, portal.login.clientSecretArn);
  storeAsConfigured(stack, config, portal.region);
  // The management function, and the topic of the alarms.
  stack.addStackDependency(region);
  return stack;
}

/** How long a company keeps logs, and the key that encrypts what a stack stores outside of tables. */
function storeAsConfigured(
  stack: Stack,
  { logRetentionDays, regions }: DeploymentConfig,
  regionId: RegionId,
): void {
  const key = regions[regionId]?.encryptionKeyArn;
  const visit = (node: IConstruct): void => {
    if (node instanceof CfnLogGroup) node.retentionInDays = logRetentionDays;
    if (key === undefined) return;
    if (node instanceof CfnLogGroup || node instanceof CfnSecret) node.kmsKeyId = key;
    if (node instanceof CfnTopic) node.kmsMasterKeyId = key;
  };
  forOwn(stack, (part) => Aspects.of(part).add({ visit }));
}
