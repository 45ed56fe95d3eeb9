import {
  type DeploymentConfigInput,
  parseDeploymentConfig,
} from '../../contract/deployment-config.ts';
import { reservationsOf } from '../../contract/reservations.ts';
import { assertReservable } from '../../core/deployment/account-quotas.ts';
import { costOfMonth } from '../bench/cost/months.ts';
import { costModel } from '../bench/cost/parts.ts';
import { takeInventory } from '../bench/cost/standing-cost.ts';
import type { Services } from '../support/aws-services.ts';
import { configOf, type Request, regionId } from './deployment.ts';
import { proofs } from './proofs.ts';

/** @throws {Error} for an IAM user, who may not delete a signing key. */
export async function findCaller({ sts, iam }: Services) {
  const { Arn = '', Account: account = '' } = await sts.getCallerIdentity({});
  if (Arn.endsWith(':root')) return { account, breakGlassRoleArn: undefined };
  const RoleName = /:assumed-role\/([^/]+)\//.exec(Arn)?.[1];
  if (RoleName === undefined) {
    throw new Error(
      `credentials: received those of ${Arn}; allowed: those of a role or of the root user, because no user may delete a signing key`,
    );
  }
  // The ARN of a session has no path.
  return { account, breakGlassRoleArn: (await iam.getRole({ RoleName })).Role?.Arn };
}

/** Of what a run calls, what a role for trials may lack. */
const actions = `cloudformation:CreateChangeSet cloudformation:DeleteStack dynamodb:DeleteTable
  dynamodb:RestoreTableToPointInTime iam:CreateRole iam:DeletePolicy kms:CreateKey kms:DisableKey
  kms:ScheduleKeyDeletion kms:UntagResource lambda:InvokeFunction logs:DeleteLogGroup
  s3:DeleteObjectVersion sqs:ReceiveMessage sts:AssumeRole wafv2:CreateWebACL`;

async function simulate({ iam }: Services, roleArn: string | undefined): Promise<string> {
  if (roleArn === undefined) return 'all: the root user';
  const request = { PolicySourceArn: roleArn, ActionNames: actions.split(/\s+/) };
  try {
    const { EvaluationResults = [] } = await iam.simulatePrincipalPolicy(request);
    const denied = EvaluationResults.filter(({ EvalDecision }) => EvalDecision !== 'allowed');
    return denied.map(({ EvalActionName }) => `not ${EvalActionName}`).join(', ') || 'all, by IAM';
  } catch (error) {
    return `IAM did not tell: ${String(error)}`;
  }
}

async function findClockDifference(awsRegion: string): Promise<string> {
  const url = `https://sts.${awsRegion}.amazonaws.com`;
  const response = await fetch(url, { redirect: 'manual' }).catch(() => undefined);
  const date = Date.parse(response?.headers.get('date') ?? '');
  const seconds = Math.round((Date.now() - date) / 1000);
  return Number.isNaN(seconds) ? 'not measured' : `${seconds} s ahead of AWS`;
}

/** Of the account, and of runs before this one. */
async function findStacks({ cloudformation }: Services) {
  const { Stacks = [] } = await cloudformation.describeStacks({});
  const names = Stacks.map(({ StackName = '' }) => StackName);
  return {
    'stacks of other runs': names.filter((one) => one.startsWith('prove-')).join(', ') || 'none',
    'bootstrap of the account': names.includes('CDKToolkit') ? 'there, and not used' : 'none',
  };
}

/**
 * Looks at the account before anything is made.
 *
 * @returns what it found, and the request without reservations if Lambda's quota allows none.
 */
export async function look(services: Services, wanted: Request) {
  const { AccountLimit: quota = {} } = await services.lambda.getAccountSettings({});
  const { ConcurrentExecutions: limit = 0, UnreservedConcurrentExecutions: unreserved = 0 } = quota;
  const reservations = reservationsOf(parseDeploymentConfig(configOf(wanted)), regionId);
  const facts = {
    'clock of this host': await findClockDifference(wanted.awsRegions[0]),
    'executions of Lambda at once': String(limit),
    'permissions of the caller': await simulate(services, wanted.breakGlassRoleArn),
    ...(await findStacks(services)),
  };
  try {
    assertReservable({ account: { limit, unreserved }, reservations, held: 0 });
    return { facts, request: wanted };
  } catch (error) {
    const lines = { ...wanted.lines, reservedConcurrency: { management: 'none' as const } };
    return { facts: { ...facts, 'not reserved': String(error) }, request: { ...wanted, lines } };
  }
}

/** Requests for tokens of all checks, at most. */
const tokensOfRun = 20_000;
/** Minutes of a region's deployment, update and deletion. */
const deploymentMinutes = 45;
const minutesOfMonth = 30 * 24 * 60;

/** What will be made, what it costs by the model of docs/cost.md, and how long it takes. */
export function describePlan(config: DeploymentConfigInput, bundles: string) {
  const { name } = parseDeploymentConfig(config);
  const inventory = takeInventory(config, bundles);
  const { regions: has } = inventory;
  const asked = proofs.filter(({ check, regions = 1 }) => check !== undefined && regions <= has);
  const proving = asked.reduce((sum, one) => sum + (one.minutes ?? 0.5), 0);
  const minutes = Math.round(proving + has * deploymentMinutes);
  const costOf = (tokens: number) => costOfMonth({ name, inventory }, costModel, tokens);
  const aToken = (costOf(1e6) - costOf(0)) / 1e6;
  const dollars = (costOf(0) * minutes) / minutesOfMonth + aToken * tokensOfRun;
  const price = `$${(Math.ceil(dollars * 100) / 100).toFixed(2)}`;
  const stacks = has > 1 ? `${name}-data, -slc and -dfw` : `${name}-slc`;
  const text = `It makes, in your AWS account:
  ${name}-toolkit: a bootstrap of its own for the CDK, with roles and a bucket, in each region;
  ${stacks}: ${inventory.resources} resources, of which ${inventory.functions} functions and ${inventory.tables} tables;
  ${name}-probe: an HTTP API, a queue and a client, which use it; and signing keys in KMS.
It takes up to ${minutes} minutes and costs about ${price} by the model of docs/cost.md.
Then it deletes all that costs money. docs/first-deployment.md names what stays, without a price.
`;
  return { text, facts: { 'price by the model': price, 'minutes at most': String(minutes) } };
}
