import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { describeIssues } from '../../../contract/parse-problem.ts';
import { tables } from '../../../contract/tables.ts';
import { operations as kmsOperations } from '../kms/operations.ts';
import { LocalRunError } from '../loopback-server.ts';
import { awsErrorStatus, type FaultyService, faultyServices } from './aws-error-codes.ts';

/** Operations that this project calls. A rule with any other would match no call. */
const faultyOperations: Readonly<Record<FaultyService, readonly string[]>> = {
  dynamodb: [
    'CreateTable',
    'DeleteItem',
    'DescribeTable',
    'GetItem',
    'PutItem',
    'Query',
    'Scan',
    'UpdateItem',
  ],
  kms: [...kmsOperations.keys()],
};

/** Tables in rules, without the deployment's name. */
const faultyTables: readonly string[] = Object.values(tables).map(({ suffix }) => suffix);

/** Faults of tables: KMS has no replicas. */
const tableFaults: readonly string[] = ['stale_read', 'paused_replication', 'isolated_region'];

const nonNegative = v.pipe(v.number(), v.finite(), v.minValue(0, 'allowed: 0 or more'));
const wholeNumber = v.pipe(v.number(), v.safeInteger('allowed: a whole number'), v.minValue(0));
const share = v.pipe(
  v.number(),
  v.minValue(0, 'allowed: a share from 0 to 1'),
  v.maxValue(1, 'allowed: a share from 0 to 1'),
);

/** When a rule applies, in seconds since the start. The default is always. */
const window = { from: v.optional(nonNegative, 0), until: v.optional(nonNegative) };

/** The calls that a rule applies to. */
const call = {
  ...window,
  service: v.picklist(faultyServices),
  /** `GetItem`, `Sign`. The default is every operation. */
  operation: v.optional(v.string()),
  /** A table by the last part of its name: `clients`. */
  table: v.optional(v.string()),
  /** A key's value in DynamoDB, a key's id or ARN in KMS. */
  key: v.optional(v.string()),
  /** Share of these calls that it affects. */
  share: v.optional(share, 1),
};

const code = v.picklist([
  ...new Set(faultyServices.flatMap((service) => Object.keys(awsErrorStatus[service]))),
]);

const ruleSchema = v.variant('fault', [
  /** Waits before the call is made: `milliseconds`, and up to `jitter` more. */
  v.strictObject({
    ...call,
    fault: v.literal('latency'),
    milliseconds: nonNegative,
    jitter: v.optional(nonNegative, 0),
  }),
  v.strictObject({ ...call, fault: v.literal('error'), code }),
  /** Refuses what exceeds so many calls a second. */
  v.strictObject({ ...call, fault: v.literal('throttle'), callsPerSecond: nonNegative }),
  /** Closes the connection: before the call, or during its response. */
  v.strictObject({
    ...call,
    fault: v.literal('reset'),
    when: v.optional(v.picklist(['before', 'after']), 'before'),
  }),
  /** Sends so many bytes of the response, then closes the connection. */
  v.strictObject({ ...call, fault: v.literal('partial_body'), bytes: wholeNumber }),
  /** Sends the answer's bytes spread over this time. */
  v.strictObject({ ...call, fault: v.literal('slow_body'), milliseconds: nonNegative }),
  /** Eventually consistent reads see the state of so long ago. */
  v.strictObject({ ...call, fault: v.literal('stale_read'), seconds: nonNegative }),
  /** Eventually consistent reads see no write of other regions since the rule began. */
  v.strictObject({ ...call, fault: v.literal('paused_replication') }),
  /**
   * The region is disconnected: as for `paused_replication`, and its writes and strongly consistent
   * reads fail.
   */
  v.strictObject({ ...call, fault: v.literal('isolated_region') }),
  /** The functions' clock is ahead by this time, or behind if negative. */
  v.strictObject({
    ...window,
    fault: v.literal('clock_skew'),
    seconds: v.pipe(v.number(), v.finite()),
  }),
  /** The functions' clock stops. */
  v.strictObject({ ...window, fault: v.literal('clock_freeze') }),
]);

const scriptSchema = v.strictObject({
  /** The same seed selects the same calls again. */
  seed: v.optional(wholeNumber, 1),
  rules: v.array(ruleSchema),
});

export type FaultRule = Readonly<v.InferOutput<typeof ruleSchema>>;
export type FaultRuleInput = Readonly<v.InferInput<typeof ruleSchema>>;
export type FaultScript = Readonly<v.InferOutput<typeof scriptSchema>>;
export type FaultScriptInput = Readonly<v.InferInput<typeof scriptSchema>>;

type CallRule = Extract<FaultRule, { readonly service: unknown }>;

/** A value of a rule that no call has. */
function refuse(key: string, value: unknown, allowed: string): string {
  return `${key}: received ${JSON.stringify(value)}; allowed${allowed}`;
}

/** Mistakes for which a rule would match no call. */
function findMistakes(rule: CallRule): readonly string[] {
  const { service, operation, table, fault } = rule;
  const of = ` for ${service}: `;
  const codes = Object.keys(awsErrorStatus[service]);
  const operations = faultyOperations[service];
  return [
    operation !== undefined &&
      !operations.includes(operation) &&
      refuse('operation', operation, of + operations.join(', ')),
    table !== undefined && service !== 'dynamodb' && refuse('table', table, ' only for dynamodb'),
    table !== undefined &&
      service === 'dynamodb' &&
      !faultyTables.includes(table) &&
      refuse('table', table, `: ${faultyTables.join(', ')}`),
    service !== 'dynamodb' &&
      tableFaults.includes(fault) &&
      refuse('fault', fault, ' only for dynamodb'),
    rule.fault === 'error' &&
      !codes.includes(rule.code) &&
      refuse('code', rule.code, of + codes.join(', ')),
  ].filter((mistake) => mistake !== false);
}

function findRuleMistakes({ rules }: FaultScript): readonly string[] {
  return rules.flatMap((rule, index) => {
    const isEmpty = rule.until !== undefined && rule.until <= rule.from;
    const window = isEmpty ? [refuse('until', rule.until, `: more than from, ${rule.from}`)] : [];
    const mistakes = 'service' in rule ? findMistakes(rule) : [];
    return [...window, ...mistakes].map((mistake) => `rules.${index}.${mistake}`);
  });
}

/** @throws {LocalRunError} with a line for each problem: the key, the value, what is allowed. */
export function parseFaultScript(input: unknown, name = 'the fault script'): FaultScript {
  const result = v.safeParse(scriptSchema, input);
  const problems = result.success ? findRuleMistakes(result.output) : describeIssues(result.issues);
  if (result.success && problems.length === 0) return result.output;
  throw new LocalRunError(`${name} cannot be used:\n  ${problems.join('\n  ')}`);
}

/** @throws {LocalRunError} if the file does not exist or is not a fault script. */
export function readFaultScript(path: string): FaultScript {
  try {
    return parseFaultScript(JSON.parse(readFileSync(path, 'utf8')), path);
  } catch (error) {
    if (error instanceof LocalRunError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new LocalRunError(`the fault script ${path} cannot be read: ${reason}`, { cause: error });
  }
}
