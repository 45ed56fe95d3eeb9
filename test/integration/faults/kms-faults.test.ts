import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { requestDeadline } from '../../../contract/limits.ts';
import { figure } from '../../support/figure.ts';
import {
  type Answer,
  askToken,
  countStatus,
  countUnverifiable,
  load,
  percentile,
  timed,
  unavailableAnswer,
} from './load.ts';
import { useFaultyService } from './use-faulty-service.ts';

const { faults, service } = useFaultyService();

/** Retries may add so much to the calls of a service in trouble, and no more. */
const maxCallsPerRequest = 1.2;

function expectUnavailable(answer: Answer): void {
  expect(answer).toMatchObject(unavailableAnswer);
  expect(answer.headers.get('retry-after')).toBe('5');
  expect(answer.headers.get('cache-control')).toBe('no-store');
}

async function readJwks(): Promise<JSONWebKeySet> {
  return (await (await fetch(service().jwksUri)).json()) as JSONWebKeySet;
}

async function unverifiable(answers: readonly Answer[]): Promise<number> {
  return countUnverifiable(answers, await readJwks());
}

/** What verifiers need of the service. */
async function expectVerificationUntouched(token: string): Promise<number> {
  const documents = await Promise.all([
    timed(() => fetch(service().jwksUri)),
    timed(() => fetch(`${service().issuer}/.well-known/openid-configuration`)),
  ]);
  expect(documents.map(({ status }) => status)).toEqual([200, 200]);
  await jwtVerify(token, createLocalJWKSet(await readJwks()));
  return Math.max(...documents.map(({ milliseconds }) => milliseconds));
}

describe('KMS that throttles one Sign in ten', () => {
  it('is tried again: nearly every token is issued, in time', async () => {
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
    expect(percentile(answers, 0.99)).toBeLessThan(requestDeadline / 2);
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
    const slowest = await expectVerificationUntouched(String(before?.body['access_token']));
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
  });

  it.each([2100, 60_000])('by %i ms is given up at the deadline', async (milliseconds) => {
    const [before] = await load(1, 1, () => askToken(service()));
    faults.play({ rules: [{ service: 'kms', operation: 'Sign', fault: 'latency', milliseconds }] });
    const pending = load(40, 40, () => askToken(service()));
    const slowest = await expectVerificationUntouched(String(before?.body['access_token']));
    const answers = await pending;
    const longest = percentile(answers, 1);
    figure(`KMS takes ${milliseconds} ms`, {
      requests: answers.length,
      'longest ms': longest.toFixed(0),
      'slowest document meanwhile ms': slowest.toFixed(0),
    });
    for (const answer of answers) expectUnavailable(answer);
    // A fifth for a busy machine. API Gateway would give up after 29 s.
    expect(longest).toBeLessThan(requestDeadline * 1.2);
  });
});

describe('KMS that breaks off', () => {
  it.each([
    ['before it signs', { fault: 'reset', when: 'before' }],
    ['after it signed', { fault: 'reset', when: 'after' }],
    ['in the middle of its answer', { fault: 'partial_body', bytes: 20 }],
    ['with an internal error', { fault: 'error', code: 'KMSInternalException' }],
    ['with a dependency that timed out', { fault: 'error', code: 'DependencyTimeoutException' }],
  ] as const)('%s, each time: 503', async (_, fault) => {
    faults.play({ rules: [{ service: 'kms', operation: 'Sign', ...fault }] });
    const answers = await load(10, 2, () => askToken(service()));
    for (const answer of answers) expectUnavailable(answer);
  });

  it('once in five times: what is issued verifies', async () => {
    faults.play({
      seed: 3,
      rules: [{ service: 'kms', operation: 'Sign', fault: 'reset', when: 'after', share: 0.2 }],
    });
    const answers = await load(100, 5, () => askToken(service()));
    const issued = answers.filter(({ status }) => status === 200);
    expect(countStatus(answers, 200) + countStatus(answers, 503)).toBe(answers.length);
    expect(issued.length).toBeGreaterThan(80);
    expect(await unverifiable(issued)).toBe(0);
  });

  it('does not answer the wrong client', async () => {
    faults.play({
      rules: [{ service: 'kms', operation: 'Sign', fault: 'slow_body', milliseconds: 300 }],
    });
    const answers = await load(20, 20, () => askToken(service()));
    expect(new Set(answers.map(({ body }) => body['access_token'])).size).toBe(20);
    expect(await unverifiable(answers)).toBe(0);
  });
});

describe('KMS that denies access', () => {
  it('is a key that cannot be used, and no other is known to verifiers yet', async () => {
    faults.play({
      rules: [{ service: 'kms', operation: 'Sign', fault: 'error', code: 'AccessDeniedException' }],
    });
    expectUnavailable(await askToken(service()));
  });
});
