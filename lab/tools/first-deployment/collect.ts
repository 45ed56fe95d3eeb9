import { type DeploymentConfig, deployedRegions } from '../../../contract/deployment-config.ts';
import { functionName, liveAlias } from '../../../contract/function-names.ts';
import { bodyOf, type CallService, jsonRequest } from './signed-call.ts';

/** Functions whose starts are counted, by their short names. */
const functions = ['token', 'jwks', 'discovery', 'management', 'key-rotation', 'canary'] as const;

type Row = Readonly<Record<string, string>>;

interface CollectOptions {
  readonly config: DeploymentConfig;
  readonly callService: CallService;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly wait: (milliseconds: number) => Promise<unknown>;
}

/** Hours of logs that are read. */
const hours = 24;

const attempts = 60;

function count(value: string | undefined): number | undefined {
  const number = Number(value ?? '');
  return value === undefined || Number.isNaN(number) ? undefined : Math.round(number * 10) / 10;
}

function json(options: CollectOptions, region: string) {
  return async <T>(service: 'logs' | 'ce', target: string, input: object): Promise<T> =>
    JSON.parse(
      bodyOf(await options.callService(jsonRequest({ service, region }, target, input))),
    ) as T;
}

/** One query of CloudWatch Logs Insights. A log group that is not there yet has no rows. */
async function query(
  options: CollectOptions,
  region: string,
  logGroup: string,
  text: string,
): Promise<readonly Row[]> {
  const ask = json(options, region);
  const endTime = Math.floor(options.now / 1000);
  const { queryId } = await ask<{ queryId: string }>('logs', 'Logs_20140328.StartQuery', {
    logGroupName: logGroup,
    startTime: endTime - hours * 3600,
    endTime,
    queryString: text,
  });
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const { status, results } = await ask<{
      status: string;
      results: readonly (readonly { field: string; value: string }[])[];
    }>('logs', 'Logs_20140328.GetQueryResults', { queryId });
    if (status === 'Complete') {
      return results.map((row) =>
        Object.fromEntries(row.map(({ field, value }) => [field, value])),
      );
    }
    await options.wait(1000);
  }
  throw new Error('CloudWatch Logs did not finish a query in a minute');
}

const starts = `filter @type = "REPORT" | stats count(*) as invocations, count(@initDuration) as starts, pct(@initDuration, 50) as start_p50, pct(@initDuration, 95) as start_p95, max(@initDuration) as start_max, pct(@duration, 50) as duration_p50, pct(@duration, 95) as duration_p95`;
const lag = `filter ispresent(replication_lag) | stats count(*) as runs, max(replication_lag) as lag_max, pct(replication_lag, 50) as lag_p50`;

/** Only numbers: no text of a log or a response gets further. */
function numbers(row: Row | undefined): Readonly<Record<string, number | undefined>> {
  return Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [name, count(value)]));
}

async function collectRegion(options: CollectOptions, region: string) {
  const { config, callService } = options;
  const group = (name: (typeof functions)[number]) =>
    `/aws/lambda/${functionName(config.name, name)}`;
  const measured = await Promise.all(
    functions.map(async (name) => {
      const [row] = await query(options, region, group(name), starts);
      return [name, numbers(row)] as const;
    }),
  );
  const [lags] = await query(options, region, group('key-rotation'), lag);
  const path = `/2015-03-31/functions/${functionName(config.name, 'token')}/configuration?Qualifier=${liveAlias}`;
  const live = JSON.parse(bodyOf(await callService({ service: 'lambda', region, path }))) as {
    readonly Runtime?: string;
    readonly MemorySize?: number;
    readonly Architectures?: readonly string[];
  };
  return {
    aws_region: region,
    runtime: /^nodejs\d+\.x$/.exec(live.Runtime ?? '')?.[0],
    memory: live.MemorySize,
    architecture: /^(?:arm64|x86_64)$/.exec(live.Architectures?.[0] ?? '')?.[0],
    functions: Object.fromEntries(measured),
    replication_lag: numbers(lags),
  };
}

/** What the deployment did in the last day, in milliseconds and seconds. */
export async function collectRun(options: CollectOptions): Promise<object> {
  const regions = [];
  // One after another, because an account may run few queries at once.
  for (const { awsRegion } of deployedRegions(options.config)) {
    regions.push(await collectRegion(options, awsRegion));
  }
  return { collected_at: new Date(options.now).toISOString(), hours, regions };
}

/** A UTC day, `2026-11-23`. */
function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

/** Names of AWS's services, as a bill has them. */
const serviceName = /^[A-Za-z][A-Za-z ()&-]{1,60}$/;

/** Dollars of the whole account on the last whole day, by service. Cost Explorer bills a cent. */
export async function collectBill(options: CollectOptions): Promise<object> {
  const day = 86_400_000;
  const period = { Start: dayOf(options.now - day), End: dayOf(options.now) };
  const { ResultsByTime } = await json(options, 'us-east-1')<{
    ResultsByTime: readonly {
      readonly Groups: readonly {
        readonly Keys: readonly string[];
        readonly Metrics: { readonly UnblendedCost: { readonly Amount: string } };
      }[];
    }[];
  }>('ce', 'AWSInsightsIndexService.GetCostAndUsage', {
    TimePeriod: period,
    Granularity: 'DAILY',
    Metrics: ['UnblendedCost'],
    GroupBy: [{ Type: 'DIMENSION', Key: 'SERVICE' }],
  });
  const groups = ResultsByTime[0]?.Groups ?? [];
  const lines = groups.flatMap(({ Keys: [name = ''], Metrics }) =>
    serviceName.test(name) ? [[name, Number(Metrics.UnblendedCost.Amount)] as const] : [],
  );
  return { day: period.Start, dollars: Object.fromEntries(lines) };
}

const forbidden: Readonly<Record<string, RegExp>> = {
  'an account id': /(?<!\d)\d{12}(?!\d)/,
  'an ARN': /arn:aws/,
  'an access key': /\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{8,}/,
  'a credential of this service': /\b(?:cs|ak|client|secret|key)_[A-Za-z0-9]{12,}/,
  'a token': /\beyJ[\w-]{10,}/,
  'a host name': /\b[\w-]+\.(?:amazonaws\.com|example\.com)/,
};

/** @throws {Error} naming what the file must not have. */
export function assertShareable(text: string): void {
  for (const [name, pattern] of Object.entries(forbidden)) {
    if (pattern.test(text)) throw new Error(`the file would have ${name}: nothing was written`);
  }
}
