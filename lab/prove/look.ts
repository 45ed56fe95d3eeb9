import {
  type DeploymentConfigInput,
  parseDeploymentConfig,
} from '../../contract/deployment-config.ts';
import { costOfMonth } from '../bench/cost/months.ts';
import { costModel } from '../bench/cost/parts.ts';
import { takeInventory } from '../bench/cost/standing-cost.ts';
import type { Aws } from './aws.ts';
import { proofs } from './proofs.ts';

/** Who asks. Without a role, it is the root user of the account. */
interface Caller {
  readonly account: string;
  readonly roleArn?: string | undefined;
}

/** @throws {Error} for an IAM user, who may not delete a signing key. */
export async function findCaller(aws: Aws): Promise<Caller> {
  const { Arn = '', Account: account = '' } = await aws().sts.getCallerIdentity({});
  if (Arn.endsWith(':root')) return { account };
  const RoleName = /:assumed-role\/([^/]+)\//.exec(Arn)?.[1];
  if (RoleName === undefined) {
    throw new Error(
      `credentials: received those of ${Arn}; allowed: those of a role or of the root user, because no user may delete a signing key`,
    );
  }
  // The ARN of a session has no path.
  return { account, roleArn: (await aws().iam.getRole({ RoleName })).Role?.Arn };
}

/** Of what a run calls, what a role for trials may lack. */
const actions = `cloudformation:CreateChangeSet cloudformation:DeleteStack dynamodb:DeleteTable
  dynamodb:RestoreTableToPointInTime iam:CreateRole iam:DeletePolicy kms:CreateKey
  kms:ScheduleKeyDeletion lambda:InvokeFunction logs:DeleteLogGroup s3:DeleteObjectVersion`;

async function simulate(aws: Aws, { roleArn }: Caller): Promise<string> {
  if (roleArn === undefined) return 'all: the root user';
  const request = { PolicySourceArn: roleArn, ActionNames: actions.split(/\s+/) };
  try {
    const { EvaluationResults = [] } = await aws().iam.simulatePrincipalPolicy(request);
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
  return Number.isNaN(seconds) ? 'AWS did not tell' : `${seconds} s ahead of AWS`;
}

/** Looks at the account before anything is made. @throws {Error} if the name is in use. */
export async function look(aws: Aws, caller: Caller, name: string, awsRegion: string) {
  const { Stacks = [] } = await aws().stacks.describeStacks({});
  const taken = Stacks.find(({ StackName = '' }) => StackName.startsWith(name));
  if (taken !== undefined) {
    throw new Error(`name: received "${name}"; allowed: another one, as ${taken.StackName} exists`);
  }
  const { AccountLimit } = await aws().lambda.getAccountSettings({});
  return {
    'clock of this host': await findClockDifference(awsRegion),
    'executions of Lambda at once': String(AccountLimit?.ConcurrentExecutions),
    'permissions of the caller': await simulate(aws, caller),
  };
}

/** Requests for tokens of all checks, at most. */
const tokensOfRun = 5000;
/** Minutes of a region's deployment, update and deletion. */
const deploymentMinutes = 45;
const minutesOfMonth = 30 * 24 * 60;

/** What will be made, what it costs by the model of docs/cost.md, and how long it takes. */
export function describePlan(config: DeploymentConfigInput, bundles: string) {
  const { name } = parseDeploymentConfig(config);
  const inventory = takeInventory(config, bundles);
  const asked = proofs.filter(
    ({ check, regions = 1 }) => check !== undefined && regions <= inventory.regions,
  );
  const minutes = asked.reduce(
    (sum, one) => sum + (one.minutes ?? 0.5),
    inventory.regions * deploymentMinutes,
  );
  const [atRest, busy] = [0, 1e6].map((tokens) =>
    costOfMonth({ name, inventory }, costModel, tokens),
  ) as [number, number];
  const dollars = (atRest * minutes) / minutesOfMonth + ((busy - atRest) * tokensOfRun) / 1e6;
  const price = `$${(Math.ceil(dollars * 100) / 100).toFixed(2)}`;
  const text = `It makes, in your AWS account:
  ${name}-toolkit: a bootstrap of its own for the CDK, with roles and a bucket, in each region;
  ${name}: ${inventory.resources} resources, of which ${inventory.functions} functions and ${inventory.tables} tables;
  ${name}-probe: an HTTP API, a queue and a client; and signing keys in KMS.
It takes up to ${Math.round(minutes)} minutes and costs about ${price} by the model of docs/cost.md.
Then it deletes all of it. Keys wait 30 days for their deletion, and are not billed.
`;
  return {
    text,
    facts: { 'price by the model': price, 'minutes expected': String(Math.round(minutes)) },
  };
}
