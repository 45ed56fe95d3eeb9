import { setTimeout } from 'node:timers/promises';
import { decodeJwt, decodeProtectedHeader, type JSONWebKeySet } from 'jose';
import { afterAll, expect, it, vi } from 'vitest';
import { createInvokeFunction } from '../../../adapters/lambda/invoke-function.ts';
import { createLambdaClient } from '../../../adapters/lambda/lambda-client.ts';
import { createCallerProof } from '../../../adapters/sts/caller-proof.ts';
import type { RotationReport } from '../../../contract/function-events.ts';
import { functionName } from '../../../contract/function-names.ts';
import { requestDigest } from '../../../core/audit/request-digest.ts';
import { localRegion } from '../../../lab/emulator/local-region.ts';
import { hangLimit } from '../../../lab/support/hang-limit.ts';
import { requestToken, useLocalService } from '../lab/local/use-local-service.ts';
import { createVerifiers } from './aged-verifiers.ts';

/** Functions that run from templates are processes, each with the machine's own clock. */
const hasOwnClocks = process.env['LOCAL_RUN'] === 'from-synth';

// Otherwise the service, its DynamoDB and KMS and the verifiers are all in this process, and their
// clock moves only when the test moves it, so that no step depends on the machine. Counters stand
// still with it: a rotation adds what they counted to the time that AWS says.
if (!hasOwnClocks) vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.now() });
afterAll(() => vi.useRealTimers());

/** Milliseconds between two requests: half a second is finer than every time of the policy. */
const step = 500;

/** A lead of 35 s. */
const signingKeyPolicy = {
  rotationPeriod: 3600,
  jwksMaxAge: 1,
  edgeAge: 0,
  verifierCache: 30,
  propagationLag: 3,
  keyListRefresh: 1,
  leeway: 1,
  authorizerResultTtl: 0,
  retention: 11,
  deletionDelay: 3,
};
const maxTokenLifetime = 6;

const local = useLocalService({
  https: true,
  signingAlgorithms: ['RS256', 'ES256'],
  signingKeyPolicy,
  maxTokenLifetime,
});

/** Milliseconds on the clock above within which each step of the rotation must come. */
const longest = hasOwnClocks ? hangLimit : 60_000;

async function passTime(): Promise<void> {
  if (hasOwnClocks) await setTimeout(step);
  else vi.setSystemTime(Date.now() + step);
}

interface LiveToken {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly exp: number;
}

function createRotation() {
  const { aws, environment } = local();
  const invoke = createInvokeFunction(createLambdaClient(aws));
  const prove = createCallerProof(aws.credentials, environment);
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

/** Verifies the youngest token, which a cache may not know, and the oldest, whose key may be gone. */
async function verifyEverywhere(
  live: readonly LiveToken[],
  verifiers: ReturnType<typeof createVerifiers>,
  record: Record,
): Promise<void> {
  for (const token of new Set([live.at(-1), live[0], live[Math.floor(live.length / 2)]])) {
    if (token === undefined) continue;
    await Promise.all(
      verifiers.map(async ({ name, verify }) => {
        record.verified += 1;
        await verify(token.token).catch((error: unknown) => {
          // Only the machine's own clock goes on while a token is verified.
          if (Date.now() >= token.exp) return;
          const { kid } = decodeProtectedHeader(token.token);
          const known = record.signedBy.join(' ');
          record.failures.push(`${name}: ${String(error)} for ${kid} of ${known}`);
        });
      }),
    );
  }
}

/** @returns what issues a token and verifies it and earlier ones, at the time of the clock. */
function createIssuing(record: Record): () => Promise<void> {
  const verifiers = createVerifiers(local(), signingKeyPolicy.verifierCache);
  let live: readonly LiveToken[] = [];
  return async () => {
    const response = await requestToken(local());
    if (response.status === 200) {
      const { access_token: token } = (await response.json()) as { access_token: string };
      record.noteToken(token);
      live = [...live, { token, exp: (decodeJwt(token).exp ?? 0) * 1000 }];
    } else {
      record.failures.push(`no token: ${response.status} ${await response.text()}`);
    }
    live = live.filter(({ exp }) => Date.now() < exp);
    await verifyEverywhere(live, verifiers, record);
    const jwks = (await (await fetch(local().jwksUri)).json()) as JSONWebKeySet;
    record.bothFamilies ||= new Set(jwks.keys.map(({ kty }) => kty)).size > 1;
  };
}

it('rotates and changes the algorithm, and every token verifies everywhere', async () => {
  const rotate = createRotation();
  const record = new Record();
  const issue = createIssuing(record);
  async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
    const end = Date.now() + longest;
    while (!(await condition())) {
      if (Date.now() > end) throw new Error(`${what} did not happen in ${longest} ms`);
      await passTime();
      // A run of the rotation meets requests, as it does in production.
      await Promise.all([issue(), rotate({ action: 'reconcile' })]);
    }
  }
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
  console.info(
    `${record.issued} tokens, ${record.verified} verifications by 12 verifiers, keys ${record.signedBy.length}`,
  );
  expect(record.failures).toEqual([]);
  expect(record.signedBy.length).toBe(3);
  expect(record.algs).toEqual(['RS256', 'ES256']);
  expect(record.bothFamilies).toBe(true);
  expect(record.verified).toBeGreaterThan(1000);
});
