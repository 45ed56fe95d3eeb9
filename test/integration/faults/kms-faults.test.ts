import { describe, expect, it, vi } from 'vitest';
import type * as CallProfile from '../../../adapters/call-profile.ts';
import { figure } from '../../support/figure.ts';
import {
  type Answer,
  askToken,
  countStatus,
  countUnverifiable,
  expectUnavailable,
  expectVerificationUntouched,
  load,
  percentile,
  readJwks,
} from './load.ts';
import { useFaultyService } from './use-faulty-service.ts';

const { faults, service } = useFaultyService();

/** Retries may add so much to the calls of a service in trouble, and no more. */
const maxCallsPerRequest = 1.2;

async function unverifiable(answers: readonly Answer[]): Promise<number> {
  return countUnverifiable(answers, await readJwks(service()));
}

describe('KMS that throttles one Sign in ten', () => {
  it('is tried again: nearly every token is issued', async () => {
    await load(50, 5, () => askToken(service()));
    faults.takeCounts();
    faults.play({
      seed: 11,
      rules: [
        {
          service: 'kms',
          operation: 'Sign',
          fault: 'error',
          code: 'ThrottlingException',
          share: 0.1,
        },
      ],
    });
    const requests = 200;
    const answers = await load(requests, 5, () => askToken(service()));
    const calls = faults.takeCounts()['kms.Sign'] ?? 0;
    const issued = answers.filter(({ status }) => status === 200);
    figure('KMS throttles 10 % of Sign', {
      requests,
      issued: issued.length,
      'Sign calls per request': (calls / requests).toFixed(3),
      unverifiable: await unverifiable(issued),
      'p99 ms': percentile(answers, 0.99).toFixed(0),
    });
    expect(issued.length / requests).toBeGreaterThanOrEqual(0.98);
    expect(countStatus(answers, 200) + countStatus(answers, 503)).toBe(requests);
    expect(calls).toBeGreaterThan(requests);
    expect(calls / requests).toBeLessThanOrEqual(maxCallsPerRequest);
    expect(await unverifiable(issued)).toBe(0);
  });
});

describe('KMS that throttles every Sign', () => {
  it('gets no retry storm, and verification goes on', async () => {
    const [before] = await load(60, 5, () => askToken(service()));
    faults.takeCounts();
    faults.play({
      rules: [{ service: 'kms', operation: 'Sign', fault: 'error', code: 'ThrottlingException' }],
    });
    const requests = 100;
    const answers = await load(requests, 5, () => askToken(service()));
    const calls = faults.takeCounts()['kms.Sign'] ?? 0;
    const slowest = await expectVerificationUntouched(
      service(),
      String(before?.body['access_token']),
    );
    figure('KMS throttles 100 % of Sign', {
      requests,
      'Sign calls per request': (calls / requests).toFixed(3),
      'p99 ms': percentile(answers, 0.99).toFixed(0),
      'slowest document ms': slowest.toFixed(0),
    });
    for (const answer of answers) expectUnavailable(answer);
    expect(calls / requests).toBeLessThanOrEqual(maxCallsPerRequest);
  });
});

describe('KMS that answers late', () => {
  it('is waited for while there is time', async () => {
    faults.play({
      rules: [{ service: 'kms', operation: 'Sign', fault: 'latency', milliseconds: 1000 }],
    });
    const answers = await load(10, 10, () => askToken(service()));
    figure('KMS takes 1 s', { issued: countStatus(answers, 200), of: answers.length });
    expect(countStatus(answers, 200)).toBe(answers.length);
    // The tests wait longer than production does, which waits long enough for this.
    const { callProfiles } = await vi.importActual<typeof CallProfile>(
      '../../../adapters/call-profile.ts',
    );
    expect(callProfiles.request.requestTimeout).toBeGreaterThan(1000);
  });
});

describe('KMS that answers slowly', () => {
  it('does not answer the wrong client', async () => {
    faults.play({
      rules: [{ service: 'kms', operation: 'Sign', fault: 'slow_body', milliseconds: 300 }],
    });
    const answers = await load(20, 20, () => askToken(service()));
    expect(new Set(answers.map(({ body }) => body['access_token'])).size).toBe(20);
    expect(await unverifiable(answers)).toBe(0);
  });
});
