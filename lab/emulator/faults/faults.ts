import type { AwsCall } from './aws-call.ts';
import { throttlingCode } from './aws-error-codes.ts';
import { type FaultRule, type FaultScriptInput, parseFaultScript } from './fault-script.ts';
import { SeededRandom } from './seeded-random.ts';

/** Changes to the response. */
export type AnswerFault =
  | { readonly kind: 'reset' }
  | { readonly kind: 'partial'; readonly bytes: number }
  | { readonly kind: 'slow'; readonly milliseconds: number };

/** What happens to one call. */
interface Treatment {
  /** Milliseconds to wait first. */
  readonly delay: number;
  /** Instead of making the call: the code of an error, or the end of the connection. */
  readonly instead?: { readonly code: string } | 'reset' | undefined;
  readonly answer?: AnswerFault | undefined;
  /** Time from which on writes are not seen by eventually consistent reads, in milliseconds. */
  readonly horizon?: number | undefined;
  /** Whether writes and strongly consistent reads fail. */
  readonly isolated?: boolean | undefined;
}

type CallRule = Extract<FaultRule, { service: unknown }>;
type Draft = { -readonly [K in keyof Treatment]: Treatment[K] };

/** Applies a rule to a call's treatment. The first rule that ends a call decides. */
type Apply<K extends CallRule['fault']> = (
  draft: Draft,
  rule: Extract<CallRule, { fault: K }>,
  context: { readonly time: number; readonly random: SeededRandom; readonly start: number },
) => void;

const apply: { readonly [K in Exclude<CallRule['fault'], 'throttle'>]: Apply<K> } = {
  latency: (draft, rule, { random }) => {
    draft.delay += rule.milliseconds + rule.jitter * random.next();
  },
  error: (draft, rule) => {
    draft.instead ??= { code: rule.code };
  },
  reset: (draft, rule) => {
    if (rule.when === 'before') draft.instead ??= 'reset';
    else draft.answer ??= { kind: 'reset' };
  },
  partial_body: (draft, rule) => {
    draft.answer ??= { kind: 'partial', bytes: rule.bytes };
  },
  slow_body: (draft, rule) => {
    draft.answer ??= { kind: 'slow', milliseconds: rule.milliseconds };
  },
  stale_read: (draft, rule, { time }) => {
    draft.horizon = Math.min(draft.horizon ?? time, time - rule.seconds * 1000);
  },
  paused_replication: (draft, rule, { time, start }) => {
    draft.horizon = Math.min(draft.horizon ?? time, start + rule.from * 1000);
  },
  isolated_region: (draft, rule, { time, start }) => {
    draft.horizon = Math.min(draft.horizon ?? time, start + rule.from * 1000);
    draft.isolated = true;
  },
};

function concerns(rule: CallRule, call: AwsCall): boolean {
  return (
    rule.service === call.service &&
    (rule.operation === undefined || rule.operation === call.operation) &&
    (rule.table === undefined || (call.table?.endsWith(`-${rule.table}`) ?? false)) &&
    (rule.key === undefined || call.keys.includes(rule.key))
  );
}

/**
 * Decides by a script what happens to each call to DynamoDB and KMS, and what the functions' clock
 * shows. The same seed gives the same sequence of decisions.
 */
export class Faults {
  readonly #clock: () => number;
  #rules: readonly FaultRule[] = [];
  #random = new SeededRandom(1);
  #start: number;
  readonly #throttles = new Map<FaultRule, { tokens: number; at: number }>();
  #counts: Record<string, number> = {};
  #affected = 0;

  /** @param clock tells milliseconds since the epoch. */
  constructor(script: FaultScriptInput = { rules: [] }, clock: () => number = Date.now) {
    this.#clock = clock;
    this.#start = clock();
    this.play(script);
  }

  /**
   * Plays another script from its beginning.
   *
   * @throws {LocalRunError} if the script is invalid.
   */
  play(script: FaultScriptInput): void {
    const { rules, seed } = parseFaultScript(script);
    this.#rules = rules;
    this.#random = new SeededRandom(seed);
    this.#start = this.#clock();
    this.#throttles.clear();
  }

  /** Ends all faults. */
  stop(): void {
    this.play({ rules: [] });
  }

  /** Calls since the last time by name, e.g. `kms.Sign`, including failed calls. */
  takeCounts(): Readonly<Record<string, number>> {
    const counts = this.#counts;
    this.#counts = {};
    return counts;
  }

  /** Calls that a rule affected since the last time. */
  takeAffected(): number {
    const affected = this.#affected;
    this.#affected = 0;
    return affected;
  }

  treat(call: AwsCall): Treatment {
    const name = `${call.service}.${call.operation}`;
    this.#counts[name] = (this.#counts[name] ?? 0) + 1;
    const draft: Draft = { delay: 0 };
    let isAffected = false;
    for (const rule of this.#active()) {
      if (!('service' in rule) || !concerns(rule, call)) continue;
      // Drawn for every selected call, so one rule does not change another's draws.
      if (rule.share < 1 && this.#random.next() >= rule.share) continue;
      if (rule.fault !== 'throttle') this.#apply(rule, draft);
      else if (!this.#admits(rule)) draft.instead ??= { code: throttlingCode };
      else continue;
      isAffected = true;
    }
    if (isAffected) this.#affected += 1;
    return draft;
  }

  #apply(rule: Exclude<CallRule, { fault: 'throttle' }>, draft: Draft): void {
    const context = { time: this.#clock(), random: this.#random, start: this.#start };
    const act = apply[rule.fault] as (...given: readonly unknown[]) => void;
    act(draft, rule, context);
  }

  /** The functions' clock: milliseconds since the epoch. */
  clock(): number {
    return this.#active().reduce((time, rule) => {
      if (rule.fault === 'clock_skew') return time + rule.seconds * 1000;
      return rule.fault === 'clock_freeze' ? this.#start + rule.from * 1000 : time;
    }, this.#clock());
  }

  #active(): readonly FaultRule[] {
    const elapsed = (this.#clock() - this.#start) / 1000;
    return this.#rules.filter(
      ({ from, until = Number.POSITIVE_INFINITY }) => from <= elapsed && elapsed < until,
    );
  }

  /** A bucket of one second's calls, filled at the rule's rate. */
  #admits(rule: Extract<CallRule, { fault: 'throttle' }>): boolean {
    const time = this.#clock();
    const { callsPerSecond: rate } = rule;
    const bucket = this.#throttles.get(rule) ?? { tokens: Math.max(rate, 0), at: time };
    const tokens = Math.min(rate, bucket.tokens + ((time - bucket.at) / 1000) * rate);
    const admitted = tokens >= 1;
    this.#throttles.set(rule, { tokens: admitted ? tokens - 1 : tokens, at: time });
    return admitted;
  }
}
