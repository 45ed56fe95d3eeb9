import { join } from 'node:path';
import { Command } from 'commander';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { requestDeadline } from '../../../contract/bounds.ts';
import { median } from '../../bench/statistics.ts';
import type { FaultRuleInput } from '../../emulator/faults/fault-script.ts';
import { examplePath } from '../../local/example-api.ts';
import { startChildScript } from '../../support/child-script.ts';
import { countFrom } from '../../support/parse-count.ts';
import { basic, requestToken } from '../../support/token-request.ts';
import type { Measurement, Target } from './service-process.ts';

/*
 * Mixed traffic on the local run while one thing after another breaks and heals, in several rounds:
 * each answer is right, and neither the heap nor the sockets grow from round to round.
 */

const troubles: Readonly<Record<string, FaultRuleInput>> = {
  'KMS throttles 30 %': { service: 'kms', fault: 'error', code: 'ThrottlingException', share: 0.3 },
  'DynamoDB resets 20 %': { service: 'dynamodb', fault: 'reset', share: 0.2 },
  'KMS takes 400 ms': { service: 'kms', fault: 'latency', milliseconds: 400, jitter: 200 },
  'DynamoDB is down': { service: 'dynamodb', fault: 'error', code: 'InternalServerError' },
  'KMS breaks off': { service: 'kms', fault: 'partial_body', bytes: 20 },
};

/**
 * The first round warms up: what a path needs when it runs for the first time, parsed and compiled
 * code above all, is in memory for good and is no leak.
 */
const rounds = 4;

/** Below, a fault is over before requests have met it, and the heap is still growing into its size. */
const minSeconds = 60;

const { seconds } = new Command('npm run test:all -- soak')
  .description('Mixed traffic on the local run while things break and heal.')
  .option('--seconds <n>', `so long, from ${minSeconds}`, countFrom(minSeconds), 180)
  .parse()
  .opts<{ readonly seconds: number }>();
const phaseMs = (seconds * 1000) / (rounds * Object.keys(troubles).length * 2);

/** Requests under way at any time: what two cores carry without queueing. */
const concurrency = 8;

/** Growth of the heap after the warm-up that is borne. */
const maxGrowth = 0.05;

/**
 * Connections that the requests under way can account for, counted at both ends if both are in
 * the service's process: from the load; token to DynamoDB and KMS; authorizer and JWKS to DynamoDB;
 * and from the faults before both services to what is behind them.
 */
const maxSockets = concurrency * (1 + 2 * (2 + 2 + 2));

/** The deadline of a request, and a fifth of it for a busy machine. */
const maxMilliseconds = requestDeadline * 1.2;

/** Requests of a kind, and the statuses that they may have, also while something is broken. */
interface Kind {
  readonly name: string;
  /** Of a hundred requests. */
  readonly share: number;
  readonly usual: readonly number[];
  readonly broken?: readonly number[];
  readonly ask: () => Promise<Response>;
}

let token = '';

function kindsOf(target: Target): readonly Kind[] {
  const { issuer, tokenUrl, jwksUri, clientId, apiKey } = target;
  const forgotten = { clientId, clientSecret: 'cs_forgotten' };
  const malformed = {
    method: 'POST',
    headers: {
      authorization: basic(clientId, target.clientSecret),
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=%',
  };
  const discovery = `${issuer}/.well-known/openid-configuration`;
  const callApi = (credential: string) =>
    fetch(issuer + examplePath, { headers: { authorization: `Bearer ${credential}` } });
  // API Gateway answers 500 for an authorizer that has no decision.
  const noDecision = [500, 503];
  return [
    {
      name: 'token',
      share: 50,
      usual: [200],
      broken: [503],
      ask: () => requestToken(tokenUrl, target),
    },
    {
      name: 'wrong secret',
      share: 8,
      usual: [401, 429],
      broken: [503],
      ask: () => requestToken(tokenUrl, forgotten),
    },
    { name: 'malformed', share: 7, usual: [400], ask: () => fetch(tokenUrl, malformed) },
    { name: 'discovery', share: 10, usual: [200], ask: () => fetch(discovery) },
    { name: 'JWKS', share: 10, usual: [200], ask: () => fetch(jwksUri) },
    { name: 'API with token', share: 10, usual: [200], ask: () => callApi(token) },
    {
      name: 'API with key',
      share: 5,
      usual: [200],
      broken: noDecision,
      ask: () => callApi(apiKey),
    },
  ];
}

/** @returns what is wrong with the answer to a request. */
async function judge({ name, usual, broken = [], ask }: Kind, isBroken: boolean) {
  const start = performance.now();
  const { status, body } = await ask().then(
    async (response) => ({ status: response.status, body: await response.text() }),
    (error: Error) => ({ status: 0, body: error.message }),
  );
  const milliseconds = performance.now() - start;
  if (milliseconds > maxMilliseconds) return `${name}: after ${milliseconds} ms`;
  const isAllowed = usual.includes(status) || (isBroken && broken.includes(status));
  if (!isAllowed) return `${name}: ${status} ${body.slice(0, 100)}`;
  if (name === 'token' && status === 200) {
    ({ access_token: token } = JSON.parse(body) as { readonly access_token: string });
  }
  return undefined;
}

const path = join(import.meta.dirname, 'service-process.ts');
const service = await startChildScript<Target, readonly FaultRuleInput[], Measurement>(path, {
  execArgv: ['--expose-gc'],
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
});
const kinds = kindsOf(service.started);
const mixed = kinds.flatMap((kind) => Array.from({ length: kind.share }, () => kind));
let sent = 0;
const outcomes: (string | undefined)[] = [];

/** Sends requests for the time of a phase. All are answered when it is over. */
async function load(isBroken: boolean): Promise<void> {
  const end = performance.now() + phaseMs;
  const work = async (): Promise<void> => {
    while (performance.now() < end) {
      // A stride without a common divisor mixes the kinds evenly, and alike in each run.
      const kind = mixed[(sent * 37) % mixed.length] as Kind;
      sent += 1;
      outcomes.push(await judge(kind, isBroken));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

async function playRound(): Promise<readonly Measurement[]> {
  const measured: Measurement[] = [];
  for (const [name, rule] of Object.entries(troubles)) {
    await load(false);
    await service.ask([rule]);
    await load(true);
    const after = await service.ask([]);
    if (after.affected === 0) outcomes.push(`the soak proves nothing: no call met "${name}"`);
    measured.push(after);
  }
  return measured;
}

/** The last token verifies, as every verifier would see it. */
async function verifyToken(): Promise<void> {
  const keys = (await (await fetch(service.started.jwksUri)).json()) as JSONWebKeySet;
  await jwtVerify(token, createLocalJWKSet(keys));
}

token = '';
await judge(kinds[0] as Kind, false);
const measured: (readonly Measurement[])[] = [];
for (let round = 0; round < rounds; round += 1) {
  measured.push(await playRound());
  await verifyToken();
}
await service.close();

const heapOf = (round: readonly Measurement[] = []) => median(round.map(({ heap }) => heap));
const [from, to] = [heapOf(measured[1]), heapOf(measured.at(-1))];
const growth = to / from - 1;
const sockets = Math.max(...measured.flat().map((one) => one.sockets));
const problems = outcomes.filter((one) => one !== undefined);
if (!(growth <= maxGrowth)) problems.push(`the heap grows by ${(growth * 100).toFixed(1)} %`);
if (sockets > maxSockets) problems.push(`${sockets} open sockets; allowed: ${maxSockets}`);
for (const problem of problems.slice(0, 10)) process.stdout.write(`  ${problem}\n`);
const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
process.stdout.write(
  `figure: soak: requests ${outcomes.length}, seconds ${seconds}, problems ${problems.length}, heap after the warm-up ${megabytes(from)} MB, at the end ${megabytes(to)} MB, open sockets at most ${sockets}\n`,
);
if (problems.length > 0) process.exitCode = 1;
