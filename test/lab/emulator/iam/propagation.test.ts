import { describe, expect, it } from 'vitest';
import { Authorizer, type Principal } from '../../../../lab/emulator/iam/authorizer.ts';
import { Propagation } from '../../../../lab/emulator/iam/propagation.ts';

const longest = { policy: 120, tag: 300 };
let now = 0;
const clock = () => now * 1000;
const hosts = [0, 1];

/** The first second at which a host knows a change that was announced at second 0. */
function knownAt(seed: number, kind: 'policy' | 'tag', service = 'kms', host = 0): number {
  now = 0;
  const propagation = new Propagation({ seed, longest }, clock);
  propagation.announce('change');
  while (!propagation.counts('change', kind, service, host)) now += 1;
  return now;
}

const seeds = Array.from({ length: 100 }, (_, at) => at);

describe('a change of IAM', () => {
  it.each(['policy', 'tag'] as const)('counts up to the longest delay of a %s later', (kind) => {
    const times = seeds.map((seed) => knownAt(seed, kind));
    expect(Math.max(...times)).toBe(longest[kind]);
    expect(Math.min(...times)).toBe(0);
    expect(new Set(times).size).toBeGreaterThan(30);
  });

  it('counts at the same time if the seed is the same', () => {
    expect(seeds.map((seed) => knownAt(seed, 'tag'))).toEqual(
      seeds.map((seed) => knownAt(seed, 'tag')),
    );
  });

  it('counts at other times for other services and hosts', () => {
    const differs = (other: (seed: number) => number) =>
      seeds.filter((seed) => knownAt(seed, 'policy') !== other(seed)).length;
    expect(differs((seed) => knownAt(seed, 'policy', 'dynamodb'))).toBeGreaterThan(50);
    expect(differs((seed) => knownAt(seed, 'policy', 'kms', 1))).toBeGreaterThan(50);
  });

  it('that was not announced counts at once', () => {
    const propagation = new Propagation({ seed: 1, longest }, clock);
    expect(propagation.counts('change', 'policy', 'kms', 0)).toBe(true);
  });

  it('keeps its time when it is announced again', () => {
    const late = seeds.find((seed) => knownAt(seed, 'policy') === longest.policy) ?? 0;
    now = 0;
    const propagation = new Propagation({ seed: late, longest }, clock);
    propagation.announce('change');
    now = longest.policy;
    propagation.announce('change');
    expect(propagation.counts('change', 'policy', 'kms', 0)).toBe(true);
    propagation.restart({ seed: late, longest });
    propagation.announce('change');
    expect(propagation.counts('change', 'policy', 'kms', 0)).toBe(false);
  });

  it('meets both hosts with equal requests', () => {
    const propagation = new Propagation({ seed: 1, longest }, clock);
    const chosen = seeds.map(() => propagation.chooseHost('request'));
    expect(new Set(chosen)).toEqual(new Set(hosts));
  });
});

describe('a request while changes do not count yet', () => {
  const statement = (more: object) => ({ Effect: 'Allow', Action: '*', Resource: '*', ...more });
  const policyOf = (name: string, more: object = {}) => ({
    name,
    document: { Version: '2012-10-17', Statement: [statement(more)] },
  });
  const arn = 'arn:aws:sts::000000000000:assumed-role/r/f';
  const key = 'arn:aws:kms:us-west-2:000000000000:key/00000000-0000-4000-8000-000000000001';
  const tagged = { StringEquals: { 'aws:ResourceTag/owner': 'us' } };
  const keyPolicy = policyOf('key policy', {
    Principal: { AWS: 'arn:aws:iam::000000000000:root' },
  });

  async function firstAllowed(principal: Principal, names: readonly string[]): Promise<number> {
    now = 0;
    const propagation = new Propagation({ seed: 5, longest: { policy: 10, tag: 20 } }, clock);
    for (const name of names) propagation.announce(name);
    const authorizer = new Authorizer({ account: '000000000000', propagation });
    const call = {
      action: 'kms:Sign',
      resource: key,
      context: { 'aws:ResourceTag/owner': 'us' },
      resourcePolicy: keyPolicy,
    };
    while ((await authorizer.decide(principal, call)).result !== 'Allowed') now += 1;
    return now;
  }

  it('is denied until its policy counts', async () => {
    const policies = [policyOf('late')];
    expect(await firstAllowed({ arn, policies, context: {} }, [])).toBe(0);
    expect(await firstAllowed({ arn, policies, context: {} }, ['late'])).toBeGreaterThan(0);
  });

  it('is denied until the tag counts that its policy selects', async () => {
    const policies = [policyOf('by tag', { Condition: tagged })];
    expect(await firstAllowed({ arn, policies, context: {} }, [])).toBeGreaterThan(0);
  });

  it('is denied until the key policy counts', async () => {
    const policies = [policyOf('own')];
    expect(await firstAllowed({ arn, policies, context: {} }, ['key policy'])).toBeGreaterThan(0);
  });

  it('is not limited by a boundary that does not count', async () => {
    const boundary = policyOf('boundary', { Action: 'dynamodb:*' });
    const policies = [policyOf('own')];
    expect(await firstAllowed({ arn, policies, boundary, context: {} }, ['boundary'])).toBe(0);
  });
});
