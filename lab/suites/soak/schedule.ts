import type { FaultRuleInput } from '../../emulator/faults/fault-script.ts';

/** Something that breaks. */
interface Trouble {
  readonly name: string;
  readonly rules: readonly FaultRuleInput[];
}

/** A time in which something is broken, in milliseconds since the soak began. */
interface FaultPeriod extends Trouble {
  readonly from: number;
  readonly until: number;
}

export interface Schedule {
  /** Milliseconds: from then on the heap and the sockets are compared. */
  readonly warmUntil: number;
  readonly end: number;
  readonly periods: readonly FaultPeriod[];
}

const troubles: readonly Trouble[] = [
  {
    name: 'KMS throttles 30 %',
    rules: [{ service: 'kms', fault: 'error', code: 'ThrottlingException', share: 0.3 }],
  },
  { name: 'DynamoDB resets 20 %', rules: [{ service: 'dynamodb', fault: 'reset', share: 0.2 }] },
  {
    name: 'KMS takes 400 ms',
    rules: [{ service: 'kms', fault: 'latency', milliseconds: 400, jitter: 200 }],
  },
  {
    name: 'DynamoDB is down',
    rules: [{ service: 'dynamodb', fault: 'error', code: 'InternalServerError' }],
  },
  { name: 'KMS breaks off', rules: [{ service: 'kms', fault: 'partial_body', bytes: 20 }] },
];

/**
 * Share of the run in which everything breaks once already. What a path needs when it runs for the
 * first time, parsed and compiled code above all, is in memory for good and is no leak.
 */
const warmShare = 0.35;

/** One trouble after the other, each with its calm before it, and the last one a calm after it. */
function spread(from: number, until: number): readonly FaultPeriod[] {
  const part = (until - from) / (troubles.length * 2 + 1);
  return troubles.map((trouble, index) => ({
    ...trouble,
    from: from + (index * 2 + 1) * part,
    until: from + (index * 2 + 2) * part,
  }));
}

export function makeSchedule(seconds: number): Schedule {
  const end = seconds * 1000;
  const warmUntil = end * warmShare;
  return {
    warmUntil,
    end,
    periods: [...spread(0, warmUntil), ...spread(warmUntil, end)],
  };
}
