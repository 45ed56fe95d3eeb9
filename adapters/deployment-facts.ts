import { type DeploymentConfig, deployedRegions } from '../contract/deployment-config.ts';
import { functionName, liveAlias } from '../contract/function-names.ts';
import { reservationsOf } from '../contract/reservations.ts';
import { signingAlgorithms } from '../contract/signing-algorithms.ts';
import { apiKeyUseTableName, deployedTableName, tableKeys } from '../contract/tables.ts';
import type { Facts, RegionFacts, RegionQuotas, Seen } from '../core/deployment/doctor.ts';
import { InputError, UnavailableError } from '../core/errors.ts';
import { checkIssuer } from './https/service-requests.ts';
import {
  bodyOf,
  type CallService,
  jsonRequest,
  queryRequest,
  ServiceRefusal,
} from './signed-call.ts';
import { findAwsCallerError } from './sts/authenticate-caller.ts';

interface FactsOptions {
  readonly config: DeploymentConfig;
  readonly callService: CallService;
  /** Whether the account is one of AWS, with quotas. The local run has none. */
  readonly hasQuotas: boolean;
  /** A certificate to trust as well, PEM. */
  readonly ca?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

type DeploymentFacts = NonNullable<Facts['deployment']>;

/** AWS says that the caller may not do this. */
const denials = /^(?:AccessDenied|AccessDeniedException|AuthorizationError)$/;

/** AWS accepts the signature of no call, or there is nothing to sign with. */
const noCredentials =
  /^(?:UnrecognizedClientException|InvalidClientTokenId|InvalidSignatureException|SignatureDoesNotMatch|IncompleteSignature(?:Exception)?|ExpiredToken(?:Exception)?|CredentialsProviderError)$/;

/** Node's code of a failed connection, or AWS's of a refusal. */
function codeOf(error: Error): string {
  if (error instanceof ServiceRefusal) return error.code;
  return (error as NodeJS.ErrnoException).code ?? error.name;
}

/** @param action as a policy names it. */
async function look<T>(action: string, find: () => Promise<T>): Promise<Seen<T>> {
  try {
    return { seen: await find() };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const code = codeOf(error);
    const unseen = `${action} (${code})`;
    if (denials.test(code)) return { unseen, todo: `allow ${action}, or ask someone who may` };
    if (noCredentials.test(code)) return { unseen, todo: 'first repair the credentials' };
    if (error instanceof ServiceRefusal)
      return { unseen, todo: 'look in the documentation of AWS' };
    return { unseen, todo: 'run it again on a machine that reaches AWS' };
  }
}

/** Undefined if AWS says that there is none. */
async function unlessMissing<T>(find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof ServiceRefusal && /NotFound|NoSuchResource/.test(error.code)) {
      return undefined;
    }
    throw error;
  }
}

const arnElement = /<Arn>([^<]{1,700})<\/Arn>/;

/** Why AWS does not accept the credentials; undefined for any other error. */
function refusedCaller(error: unknown): { readonly refused: string } | undefined {
  if (!(error instanceof Error) || !noCredentials.test(codeOf(error))) return undefined;
  const known = findAwsCallerError(error)?.message;
  return { refused: known ?? `AWS does not accept them (${codeOf(error)})` };
}

/** The caller and the clock, by one call that needs no permission. */
async function seeCaller(
  { callService, clock }: FactsOptions,
  region: string,
): Promise<Pick<DeploymentFacts, 'caller' | 'clockAhead'>> {
  const action = 'sts:GetCallerIdentity';
  const input = { Action: 'GetCallerIdentity', Version: '2011-06-15' };
  let clockAhead: Seen<number> | undefined;
  const caller = await look(action, async () => {
    try {
      const response = await callService(queryRequest({ service: 'sts', region }, input));
      const time = Date.parse(response.headers.date ?? '');
      if (!Number.isNaN(time)) clockAhead = { seen: (clock() - time) / 1000 };
      return { arn: arnElement.exec(bodyOf(response))?.[1] ?? 'a caller without an ARN' };
    } catch (error) {
      const refused = refusedCaller(error);
      if (refused === undefined) throw error;
      return refused;
    }
  });
  const noAnswer = {
    unseen: 'no time from AWS',
    todo: 'run it again on a machine that reaches AWS',
  };
  return { caller, clockAhead: clockAhead ?? noAnswer };
}

const summaryEntry = /<key>(\w+)<\/key>\s*<value>(\d+)<\/value>/g;

function seeIam(
  { callService }: FactsOptions,
  region: string,
): Promise<NonNullable<DeploymentFacts['iam']>> {
  return look('iam:GetAccountSummary', async () => {
    const input = { Action: 'GetAccountSummary', Version: '2010-05-08' };
    const body = bodyOf(await callService(queryRequest({ service: 'iam', region }, input)));
    const entries = [...body.matchAll(summaryEntry)];
    return Object.fromEntries(entries.map(([, key = '', value]) => [key, Number(value)]));
  });
}

/** Calls of one AWS region, whose answers are JSON. */
function createRegionCalls({ callService }: FactsOptions, region: string) {
  return {
    json: async <T>(service: 'ssm' | 'servicequotas' | 'dynamodb', target: string, input: object) =>
      JSON.parse(bodyOf(await callService(jsonRequest({ service, region }, target, input)))) as T,
    lambda: async <T>(path: string) =>
      JSON.parse(bodyOf(await callService({ service: 'lambda', region, path }))) as T,
  };
}

type RegionCalls = ReturnType<typeof createRegionCalls>;

function seeBootstrap({ json }: RegionCalls): Promise<RegionQuotas['bootstrap']> {
  const input = { Name: '/cdk-bootstrap/hnb659fds/version' };
  return look('ssm:GetParameter', () =>
    unlessMissing(async () => {
      const found = await json<{ Parameter: { Value: string } }>(
        'ssm',
        'AmazonSSM.GetParameter',
        input,
      );
      return Number(found.Parameter.Value);
    }),
  );
}

function seeConcurrency(
  { lambda }: RegionCalls,
  functions: readonly string[],
): Promise<RegionQuotas['concurrency']> {
  const readHeld = async (name: string): Promise<number> => {
    const path = `/2019-09-30/functions/${name}/concurrency`;
    const found = await unlessMissing(() =>
      lambda<{ ReservedConcurrentExecutions?: number }>(path),
    );
    return found?.ReservedConcurrentExecutions ?? 0;
  };
  return look('lambda:GetAccountSettings, lambda:GetFunctionConcurrency', async () => {
    const { AccountLimit: limits } = await lambda<{
      AccountLimit: { ConcurrentExecutions: number; UnreservedConcurrentExecutions: number };
    }>('/2016-08-19/account-settings');
    const held = await Promise.all(functions.map(readHeld));
    return {
      limit: limits.ConcurrentExecutions,
      unreserved: limits.UnreservedConcurrentExecutions,
      held: held.reduce((sum, one) => sum + one, 0),
    };
  });
}

/** AWS's codes of the quotas of KMS requests with asymmetric keys. */
const signQuotaCodes = { RSA: 'L-2AC98190', EC: 'L-DC14942D', AKP: undefined } as const;

async function seeSignQuota(
  { json }: RegionCalls,
  { signingAlgorithms: [alg = 'RS256'] }: DeploymentConfig,
): Promise<RegionQuotas['signQuota']> {
  const QuotaCode = signQuotaCodes[signingAlgorithms[alg].kty];
  if (QuotaCode === undefined) {
    return { unseen: `no code of the quota is known for ${alg}`, todo: 'look in Service Quotas' };
  }
  const ask = (operation: string) =>
    json<{ Quota: { Value: number } }>('servicequotas', `ServiceQuotasV20190624.${operation}`, {
      ServiceCode: 'kms',
      QuotaCode,
    });
  return look('servicequotas:GetServiceQuota', async () => {
    const raised = await unlessMissing(() => ask('GetServiceQuota'));
    return (raised ?? (await ask('GetAWSDefaultServiceQuota'))).Quota.Value;
  });
}

function seeLive({ lambda }: RegionCalls, name: string): Promise<RegionFacts['live']> {
  const path = `/2015-03-31/functions/${name}/configuration?Qualifier=${liveAlias}`;
  return look('lambda:GetFunctionConfiguration', () =>
    unlessMissing(async () => {
      const found = await lambda<{ Environment?: { Variables?: Record<string, string> } }>(path);
      return found.Environment?.Variables ?? {};
    }),
  );
}

function seeTables(
  { json }: RegionCalls,
  names: readonly string[],
): Promise<RegionFacts['tables']> {
  const describe = async (TableName: string) => {
    const found = await unlessMissing(() =>
      json<{ Table: { TableStatus: string } }>('dynamodb', 'DynamoDB_20120810.DescribeTable', {
        TableName,
      }),
    );
    return [TableName, found?.Table.TableStatus] as const;
  };
  return look('dynamodb:DescribeTable', async () =>
    Object.fromEntries(await Promise.all(names.map(describe))),
  );
}

/** What is wrong with an issuer; undefined if nothing is. */
async function seeIssuer(issuer: string, ca?: string): Promise<Seen<string | undefined>> {
  try {
    await checkIssuer({ issuer, ca });
    return { seen: undefined };
  } catch (error) {
    if (error instanceof InputError) return { seen: error.message };
    if (!(error instanceof UnavailableError)) throw error;
    const todo =
      'look at the domain and the gateway, or run it on a machine that reaches the issuer';
    return { unseen: error.message, todo };
  }
}

async function seeRegion(
  options: FactsOptions,
  { id, awsRegion }: Pick<RegionFacts, 'id' | 'awsRegion'>,
): Promise<RegionFacts> {
  const { config, hasQuotas, ca } = options;
  const calls = createRegionCalls(options, awsRegion);
  const tables = [
    ...tableKeys.map((key) => deployedTableName(config, key)),
    apiKeyUseTableName(config.name),
  ];
  const functions = reservationsOf(config, id).map(({ name }) => functionName(config.name, name));
  const seeQuotas = async (): Promise<RegionQuotas> => {
    const [bootstrap, concurrency, signQuota] = await Promise.all([
      seeBootstrap(calls),
      seeConcurrency(calls, functions),
      seeSignQuota(calls, config),
    ]);
    return { bootstrap, concurrency, signQuota };
  };
  const [live, foundTables, quotas] = await Promise.all([
    seeLive(calls, functionName(config.name, 'token')),
    seeTables(calls, tables),
    hasQuotas ? seeQuotas() : undefined,
  ]);
  const issuer = 'seen' in live ? live.seen?.['AUTH_ISSUER'] : undefined;
  return {
    id,
    awsRegion,
    live,
    tables: foundTables,
    ...(quotas !== undefined && { quotas }),
    ...(issuer !== undefined && { issuer: await seeIssuer(issuer, ca) }),
  };
}

/** Everything about the account and the deployment that can be seen from here. It changes nothing. */
export async function readDeploymentFacts(options: FactsOptions): Promise<DeploymentFacts> {
  const { config, hasQuotas } = options;
  const regions = deployedRegions(config);
  const home = regions[0]?.awsRegion ?? '';
  const [ofCaller, iam, ofRegions] = await Promise.all([
    seeCaller(options, home),
    hasQuotas ? seeIam(options, home) : undefined,
    Promise.all(regions.map((region) => seeRegion(options, region))),
  ]);
  return { config, ...ofCaller, ...(iam !== undefined && { iam }), regions: ofRegions };
}
