import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSynthesisedDeployment } from '../../../lab/local/from-synth/synthesised-deployment.ts';
import { figure } from '../../support/figure.ts';
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts';
import { synthesiseService } from '../lab/local/synthesise-service.ts';
import { type DeploymentResult, FirstDeployments } from './first-deployment.ts';

/** Each seed is a first deployment. `SEED=7` runs only that one, `SEEDS=1000` the first thousand. */
const { SEED, SEEDS = '210' } = process.env;
const seeds =
  SEED === undefined ? Array.from({ length: Number(SEEDS) }, (_, at) => at + 1) : [Number(SEED)];

/** Seconds until a policy counts, at most. */
const policy = 120;
/** Seconds until a tag counts, at most. AWS documents five minutes for tags of KMS keys. */
const tags = [120, 300, 0] as const;

const folder = makeTemporaryDirectory();
const results: DeploymentResult[] = [];
const failures: string[] = [];

beforeAll(async () => {
  const fromSynth = synthesiseService(folder.path, { signingAlgorithms: ['ES256'] });
  const deployment = readSynthesisedDeployment(fromSynth, 'http://localhost:8080');
  const deployments = new FirstDeployments(deployment);
  for (const seed of seeds) {
    const tag = tags[seed % tags.length] ?? policy;
    try {
      results.push(await deployments.deploy({ seed, longest: { policy, tag } }));
    } catch (error) {
      failures.push(`SEED=${seed}: ${(error as Error).message}`);
    }
  }
});
afterAll(() => folder.remove());

function longest(phase: keyof DeploymentResult['times']): number {
  return Math.max(...results.map(({ times }) => times[phase]));
}

describe('a first deployment in which policies and tags begin to count late', () => {
  it('succeeds by itself, and then issues tokens', () => {
    figure('first deployments while IAM is not consistent', {
      deployments: results.length,
      failed: failures.length,
      'denied requests': results.reduce((sum, { denied }) => sum + denied, 0),
      'longest check, s': longest('check'),
      'longest wait for the first key, s': longest('firstKey'),
      'longest wait for the first token, s': longest('firstToken'),
    });
    expect(failures).toEqual([]);
    const reasons = new Set(results.map(({ firstKeyReason }) => firstKeyReason));
    expect([...reasons]).toEqual(['the token function signs']);
  });

  it('creates one key that signs and one that follows, and no other', () => {
    expect(results.map(({ keys }) => keys)).toEqual(results.map(() => 2));
  });

  it('takes little longer than the delays', () => {
    // The longest delay, and pauses of ten seconds after each of the waits.
    expect(longest('check')).toBeLessThan(policy + 10);
    expect(longest('firstKey')).toBeLessThan(policy + Math.max(...tags) + 60);
    expect(longest('firstToken')).toBeLessThan(Math.max(...tags));
  });

  it('was really denied calls', () => {
    expect(results.filter(({ denied }) => denied === 0)).toEqual([]);
  });
});
