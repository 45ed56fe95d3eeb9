import { expect, it, vi } from 'vitest';
import { figure } from '../../support/figure.ts';
import {
  askToken,
  expectUnavailable,
  expectVerificationUntouched,
  load,
  percentile,
} from './load.ts';
import { useFaultyService } from './use-faulty-service.ts';

// The deadlines of production are what is tested here. Every answer is 503 on a machine of any
// speed; test/lambda/token/deadline.test.ts shows to the millisecond when it comes.
vi.unmock('../../../contract/bounds.ts');
vi.unmock('../../../adapters/call-profile.ts');

const { faults, service } = useFaultyService();

/** Longer than any test: KMS never answers. */
const never = 3_600_000;

it.each([
  ['2100 ms', 2100],
  ['an hour', never],
])('KMS that answers late by %s is given up at the deadline', async (late, milliseconds) => {
  const token = await getToken();
  faults.play({ rules: [{ service: 'kms', operation: 'Sign', fault: 'latency', milliseconds }] });
  const pending = load(40, 40, () => askToken(service()));
  const slowest = await expectVerificationUntouched(service(), token);
  const answers = await pending;
  figure(`KMS takes ${late}`, {
    requests: answers.length,
    'longest ms': percentile(answers, 1).toFixed(0),
    'slowest document meanwhile ms': slowest.toFixed(0),
  });
  for (const answer of answers) expectUnavailable(answer);
});

/** A machine that is too slow for the deadline is asked again. */
async function getToken(): Promise<string> {
  let token: unknown;
  await expect
    .poll(async () => {
      const { status, body } = await askToken(service());
      token = body['access_token'];
      return status;
    })
    .toBe(200);
  return String(token);
}
