import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bindManagement, type Management } from '../../adapters/management.ts';
import { createManagementContext } from '../../adapters/management-context.ts';
import type { CallerProof } from '../../contract/caller-proof.ts';
import { CleanUp } from './clean-up.ts';
import type { LocalService, LocalServiceOptions, TestApiKey, TestClient } from './local-service.ts';
import { rotationDemo } from './rotation-demo.ts';
import { type LocalRun, startLocal as startRun } from './start-local.ts';
import { readRunConfig } from './state.ts';

export type * from './local-service.ts';

const { rotationPeriod: _days, ...quickly } = rotationDemo.signingKeyPolicy ?? {};

/** A proof of the right form. A run whose clock is moved asks no STS about its signature. */
function proveAt(now: number): CallerProof {
  const date = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = `test/${date.slice(0, 8)}/local/sts/aws4_request`;
  const names = 'content-type;host;x-amz-date;x-authorization-server-request';
  const signature = '0'.repeat(64);
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { authorization, date };
}

/** Each step of the clock while a new key waits, and more steps than it can take. */
const rotation = { step: 5, mostSteps: 100 } as const;

function openManagement({ aws, paths }: LocalRun, clock: () => number) {
  const context = createManagementContext({
    config: readRunConfig(paths),
    aws,
    actor: async () => 'test',
    allowLoopbackProviders: true,
  });
  return bindManagement({ ...context, clock });
}

async function mapValues<Key extends string, From, To>(
  values: Readonly<Record<Key, From>> | undefined,
  map: (value: From) => Promise<To>,
): Promise<Readonly<Record<Key, To>>> {
  const made: [string, To][] = [];
  for (const [key, value] of Object.entries<From>(values ?? {})) made.push([key, await map(value)]);
  return Object.fromEntries(made) as Record<Key, To>;
}

/** The clock of one service, which starts some seconds behind. */
function createTestClock(behind: number) {
  let ahead = -behind;
  return {
    now: () => Date.now() + ahead * 1000,
    move: (seconds: number): void => {
      if (!(seconds >= 0)) {
        throw new RangeError(`moveClock: received ${seconds}; allowed: seconds from 0`);
      }
      ahead += seconds;
    },
  };
}

type TestClock = ReturnType<typeof createTestClock>;

type Credentials = LocalService<string, string>['clients'][string];

async function addClient(management: Management, input: TestClient): Promise<Credentials> {
  const { scopes, audiences } = input;
  const { client } = await management.createClient({
    ...input,
    scopes: [...scopes],
    audiences: audiences && [...audiences],
  });
  const { clientId } = client;
  const { value = '' } = await management.createClientSecret(clientId, {});
  return { clientId, clientSecret: value };
}

async function addApiKey(management: Management, input: TestApiKey): Promise<string> {
  const subnets = (input.subnets ?? []).map((address) => ({ name: address, address }));
  const { value = '' } = await management.createApiKey({ ...input, subnets });
  return value;
}

async function getToken(
  tokenUrl: string,
  { clientId, clientSecret }: Credentials,
  scope: string | undefined,
): Promise<string> {
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    ...(scope !== undefined && { scope }),
  });
  const headers = { authorization: `Basic ${basic}` };
  const response = await fetch(tokenUrl, { method: 'POST', headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return (JSON.parse(text) as { access_token: string }).access_token;
}

async function rotateKeys(run: LocalRun, clock: TestClock): Promise<string> {
  for (let step = 0; step < rotation.mostSteps; step += 1) {
    const { next } = await run.rotateKeys({ action: 'reconcile' });
    if (next.some(({ eligible_at: at }) => Date.parse(at ?? '') <= clock.now())) break;
    clock.move(rotation.step);
  }
  const proof = proveAt(clock.now());
  const { kid = '' } = await run.rotateKeys({ action: 'rotate', caller_proof: proof });
  // The token function reads the list of keys again.
  clock.move(rotation.step);
  return kid;
}

/** The function that the package exports: local-service.ts describes it. */
export async function startLocal<Clients extends string = never, Keys extends string = never>(
  options: LocalServiceOptions<Clients, Keys> = {},
): Promise<LocalService<Clients, Keys>> {
  const stateDirectory = mkdtempSync(join(tmpdir(), 'authorization-server-'));
  const cleanUp = new CleanUp();
  cleanUp.use({ close: async () => rmSync(stateDirectory, { recursive: true, force: true }) });
  const clock = createTestClock(options.behind ?? 0);
  try {
    const { config, signingAlgorithms } = options;
    const settings = { config, signingAlgorithms, signingKeyPolicy: quickly, clock: clock.now };
    const run = cleanUp.use(await startRun({ port: 0, stateDirectory, ...settings }));
    const management = openManagement(run, clock.now);
    const { issuer, tokenUrl, jwksUri } = run;
    const add = (input: TestClient) => addClient(management, input);
    const clients = await mapValues(options.clients, add);
    const addKey = (input: TestApiKey) => addApiKey(management, input);
    return {
      issuer,
      tokenUrl,
      jwksUri,
      audience: run.environment.AUDIENCE ?? '',
      clients,
      apiKeys: await mapValues(options.apiKeys, addKey),
      getToken: (name, scope) => getToken(tokenUrl, clients[name], scope),
      now: clock.now,
      moveClock: clock.move,
      rotateKeys: () => rotateKeys(run, clock),
      close: () => cleanUp.run(),
    };
  } catch (error) {
    await cleanUp.run();
    throw error;
  }
}
