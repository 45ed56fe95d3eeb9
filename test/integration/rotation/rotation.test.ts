import { setTimeout as pause } from 'node:timers/promises';
import { decodeJwt, decodeProtectedHeader, type JSONWebKeySet } from 'jose';
import { expect, it } from 'vitest';
import { createInvokeFunction } from '../../../adapters/lambda/invoke-function.ts';
import { createLambdaClient } from '../../../adapters/lambda/lambda-client.ts';
import { createCallerProof } from '../../../adapters/sts/caller-proof.ts';
import type { RotationReport } from '../../../contract/function-events.ts';
import { functionName } from '../../../contract/function-names.ts';
import { requestDigest } from '../../../core/audit/request-digest.ts';
import { localRegion } from '../../../local/local-deployment.ts';
import { requestToken, useLocalService } from '../local/use-local-service.ts';
import { createVerifiers } from './aged-verifiers.ts';

/** A lead of 35 s and a retention of 10 s. */
const signingKeyPolicy = {
  rotationPeriod: 3600,
  jwksMaxAge: 1,
  edgeAge: 0,
  verifierCache: 30,
  propagationLag: 3,
  keyListRefresh: 1,
  leeway: 1,
  authorizerResultTtl: 0,
  deletionDelay: 3,
};
const maxTokenLifetime = 6;

const local = useLocalService({
  https: true,
  signingAlgorithms: ['RS256', 'ES256'],
  signingKeyPolicy,
  maxTokenLifetime,
  keyScheduleSeconds: 1,
});

/** Milliseconds. */
const deadline = 90_000;

interface LiveToken {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly exp: number;
}

function createRotation() {
  const { aws, environment } = local();
  const invoke = createInvokeFunction(createLambdaClient(aws));
  const prove = createCallerProof(aws, environment);
  const name = functionName('local', 'key-rotation');
  return async (event: object): Promise<RotationReport> => {
    const caller_proof = await prove(localRegion.awsRegion, requestDigest(name, event));
    return (await invoke(name, { ...event, caller_proof })) as RotationReport;
  };
}

/** What happened while tokens were issued. */
class Record {
  readonly failures: string[] = [];
  readonly signedBy: string[] = [];
  readonly algs: string[] = [];
  /** Algorithms that stood in one JWKS. */
  bothFamilies = false;
  issued = 0;
  verified = 0;

  noteToken(token: string): void {
    const { kid = '', alg = '' } = decodeProtectedHeader(token);
    this.issued += 1;
    if (this.signedBy.at(-1) !== kid) this.signedBy.push(kid);
    if (this.algs.at(-1) !== alg) this.algs.push(alg);
  }
}

/** Issues and verifies without a pause until it is told to stop. */
async function keepIssuing(record: Record, isOver: () => boolean): Promise<void> {
  const verifiers = createVerifiers(local(), signingKeyPolicy.verifierCache);
  let live: LiveToken[] = [];
  while (!isOver()) {
    const response = await requestToken(local());
    if (response.status === 200) {
      const { access_token: token } = (await response.json()) as { access_token: string };
      record.noteToken(token);
      live.push({ token, exp: (decodeJwt(token).exp ?? 0) * 1000 });
    } else {
      record.failures.push(`no token: ${response.status} ${await response.text()}`);
    }
    // Some room, so that no token ends while it is being verified.
    live = live.filter(({ exp }) => Date.now() < exp - 700);
    // The youngest, which a cache may not know, and the oldest, whose key may be gone.
    const tried = new Set([live.at(-1), live[0], live[Math.floor(live.length / 2)]]);
    for (const item of tried) {
      if (item === undefined) continue;
      await Promise.all(
        verifiers.map(async ({ name, verify }) => {
          record.verified += 1;
          await verify(item.token).catch((error: unknown) => {
            if (Date.now() >= item.exp) return;
            const { kid } = decodeProtectedHeader(item.token);
            record.failures.push(
              `${name}: ${String(error)} for ${kid} of ${record.signedBy.join(' ')}`,
            );
          });
        }),
      );
    }
    const jwks = (await (await fetch(local().jwksUri)).json()) as JSONWebKeySet;
    record.bothFamilies ||= new Set(jwks.keys.map(({ kty }) => kty)).size > 1;
    await pause(20);
  }
}

async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + deadline;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`${what} did not happen in ${deadline} ms`);
    await pause(100);
  }
}

it('rotates and changes the algorithm, and every token verifies everywhere', async () => {
  const rotate = createRotation();
  const record = new Record();
  let isOver = false;
  const issuing = keepIssuing(record, () => isOver);
  try {
    const rotateNow = () =>
      rotate({ action: 'rotate' }).then(
        () => true,
        () => false,
      );
    await until(rotateNow, 'the first rotation');
    await until(() => record.signedBy.length === 2, 'a token of the second key');
    await rotate({ action: 'rotate', algorithm: 'ES256' });
    await until(() => record.algs.includes('ES256'), 'a token of the other algorithm');
    const [first = ''] = record.signedBy;
    await until(async () => {
      const jwks = (await (await fetch(local().jwksUri)).json()) as JSONWebKeySet;
      return !jwks.keys.some(({ kid }) => kid === first);
    }, 'the withdrawal of the first key');
  } finally {
    isOver = true;
    await issuing;
  }
  console.info(
    `${record.issued} tokens, ${record.verified} verifications by 12 verifiers, keys ${record.signedBy.length}`,
  );
  expect(record.failures).toEqual([]);
  expect(record.signedBy.length).toBe(3);
  expect(record.algs).toEqual(['RS256', 'ES256']);
  expect(record.bothFamilies).toBe(true);
  expect(record.verified).toBeGreaterThan(1000);
});
