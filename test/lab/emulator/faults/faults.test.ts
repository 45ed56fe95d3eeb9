import { describe, expect, it } from 'vitest';
import { readAwsCall } from '../../../../lab/emulator/faults/aws-call.ts';
import type { FaultRuleInput } from '../../../../lab/emulator/faults/fault-script.ts';
import { Faults } from '../../../../lab/emulator/faults/faults.ts';

function call(service: 'dynamodb' | 'kms', operation: string, input: object = {}) {
  const target = { 'x-amz-target': `Service.${operation}` };
  return readAwsCall(service, target, Buffer.from(JSON.stringify(input)));
}

const sign = call('kms', 'Sign', { KeyId: 'arn:aws:kms:us-west-2:000000000000:key/abc' });
const getClient = call('dynamodb', 'GetItem', {
  TableName: 'local-clients',
  Key: { client_id: { S: 'client_a' } },
});

function faultsAt(clock: { now: number }, rules: FaultRuleInput[], seed = 1): Faults {
  return new Faults({ seed, rules }, () => clock.now);
}

describe('faults', () => {
  it('leave every call alone if there are none', () => {
    expect(new Faults().treat(sign)).toEqual({ delay: 0 });
  });

  it.each([
    ['another service', { service: 'dynamodb', fault: 'reset' }, false],
    ['another operation', { service: 'kms', operation: 'GetPublicKey', fault: 'reset' }, false],
    ['another key', { service: 'kms', key: 'xyz', fault: 'reset' }, false],
    ['the operation', { service: 'kms', operation: 'Sign', fault: 'reset' }, true],
    ['the key by its id', { service: 'kms', key: 'abc', fault: 'reset' }, true],
  ] as const)('of %s strike a call, or not', (_, rule, strikes) => {
    const { instead } = new Faults({ rules: [rule] }).treat(sign);
    expect(instead).toBe(strikes ? 'reset' : undefined);
  });

  it.each([
    ['the table', { table: 'clients' }, true],
    ['another table', { table: 'audit' }, false],
    ['the item', { key: 'client_a' }, true],
    ['another item', { key: 'client_b' }, false],
  ])('of %s strike a read, or not', (_, about, strikes) => {
    const faults = new Faults({ rules: [{ service: 'dynamodb', fault: 'reset', ...about }] });
    expect(faults.treat(getClient).instead).toBe(strikes ? 'reset' : undefined);
  });

  it('add up delays, and give the first error', () => {
    const treatment = new Faults({
      rules: [
        { service: 'kms', fault: 'latency', milliseconds: 100 },
        { service: 'kms', fault: 'latency', milliseconds: 50 },
        { service: 'kms', fault: 'error', code: 'ThrottlingException' },
        { service: 'kms', fault: 'reset' },
      ],
    }).treat(sign);
    expect(treatment).toEqual({ delay: 150, instead: { code: 'ThrottlingException' } });
  });

  it('strike the same calls again with the same seed, and a share of them', () => {
    const rules = [{ service: 'kms', fault: 'reset', share: 0.1 } as const];
    const affected = (seed: number) => {
      const faults = new Faults({ seed, rules });
      return Array.from({ length: 10_000 }, () => faults.treat(sign).instead === 'reset');
    };
    expect(affected(7)).toEqual(affected(7));
    expect(affected(7)).not.toEqual(affected(8));
    const count = affected(7).filter(Boolean).length;
    expect(count).toBeGreaterThan(900);
    expect(count).toBeLessThan(1100);
  });

  it('hold for a time', () => {
    const clock = { now: 0 };
    const faults = faultsAt(clock, [{ service: 'kms', fault: 'reset', from: 10, until: 20 }]);
    const at = (seconds: number) => {
      clock.now = seconds * 1000;
      return faults.treat(sign).instead;
    };
    expect([at(9.9), at(10), at(19.9), at(20)]).toEqual([undefined, 'reset', 'reset', undefined]);
  });

  it('throttle what exceeds a rate', () => {
    const clock = { now: 0 };
    const faults = faultsAt(clock, [{ service: 'kms', fault: 'throttle', callsPerSecond: 5 }]);
    let admitted = 0;
    for (; clock.now < 10_000; clock.now += 10) {
      if (faults.treat(sign).instead === undefined) admitted += 1;
    }
    expect(admitted).toBeGreaterThanOrEqual(50);
    expect(admitted).toBeLessThanOrEqual(55);
  });

  it('set the clock ahead, back, or stop it', () => {
    const clock = { now: 1_000_000 };
    const faults = faultsAt(clock, [{ fault: 'clock_skew', seconds: -600 }]);
    expect(faults.clock()).toBe(400_000);
    faults.play({ rules: [{ fault: 'clock_freeze' }] });
    clock.now += 5000;
    expect(faults.clock()).toBe(1_000_000);
    faults.stop();
    expect(faults.clock()).toBe(1_005_000);
  });

  it('look back in time', () => {
    const clock = { now: 100_000 };
    const faults = faultsAt(clock, [{ service: 'dynamodb', fault: 'stale_read', seconds: 60 }]);
    expect(faults.treat(getClient).horizon).toBe(40_000);
    faults.play({ rules: [{ service: 'dynamodb', fault: 'isolated_region' }] });
    clock.now += 5000;
    expect(faults.treat(getClient)).toEqual({ delay: 0, horizon: 100_000, isolated: true });
  });

  it('count what arrives', () => {
    const faults = new Faults();
    faults.treat(sign);
    faults.treat(sign);
    faults.treat(getClient);
    expect(faults.takeCounts()).toEqual({ 'kms.Sign': 2, 'dynamodb.GetItem': 1 });
    expect(faults.takeCounts()).toEqual({});
  });
});
