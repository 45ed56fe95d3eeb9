import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bindManagement, type Management } from '../../adapters/management.ts';
import { createManagementContext } from '../../adapters/management-tables.ts';
import type { CallerProof } from '../../contract/caller-proof.ts';
import { seconds } from '../../core/time.ts';
import { fetchToken } from '../support/token-request.ts';
import { CleanUp } from './clean-up.ts';
import type { LocalService, LocalServiceOptions, TestApiKey, TestClient } from './local-service.ts';
import { rotationDemo } from './rotation-demo.ts';
import { type LocalRun, startLocal as startRun } from './start-local.ts';
import { readRunConfig } from './state.ts';

export type * from './local-service.ts';

const {
  rotationPeriod: _days,
  retention: _seconds,
  ...times
} = rotationDemo.signingKeyPolicy ?? {};
/** A test rotates several times within what is a day for its keys: ten keys of this one region. */
const quickly = { ...times, jwksMaxKeys: 30 };

/** A proof of the right form. A run whose clock is moved asks no STS about its signature. */
function proveAt(now: number): CallerProof {
  const date = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = `test/${date.slice(0, 8)}/local/sts/aws4_request`;
  const names = 'content-type;host;x-amz-date;x-authorization-server-request';
  const signature = '0'.repeat(64);
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { authorization, date };
}

/** Seconds while a new key is not proved, and more steps than it can take. */
const rotation = { step: 5, mostSteps: 20 } as const;

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
    /** Undoes the moves of `use`: a verifier with this machine's clock refuses a later `iat`. */
    async goBackAfter<T>(use: () => Promise<T>): Promise<T> {
      const before = ahead;
      try {
        return await use();
      } finally {
        ahead = before;
      }
    },
  };
}

type TestClock = ReturnType<typeof createTestClock>;

type Credentials = LocalService<string, string>['clients'][string];

/** @returns seconds since the epoch. */
function expiryAfter(expiresIn: number | undefined, clock: TestClock): number | undefined {
  return expiresIn === undefined ? undefined : seconds(clock.now()) + expiresIn;
}

async function addClient(
  management: Management,
  { secretExpiresIn, ...input }: TestClient,
  clock: TestClock,
): Promise<Credentials> {
  const { scopes, audiences } = input;
  const { client } = await management.createClient({
    ...input,
    scopes: [...scopes],
    audiences: audiences && [...audiences],
  });
  const { clientId } = client;
  const expiresAt = expiryAfter(secretExpiresIn, clock);
  const { value = '' } = await management.createClientSecret(clientId, { expiresAt });
  return { clientId, clientSecret: value };
}

interface TestKey {
  readonly keyId: string;
  readonly value: string;
}

async function addApiKey(
  management: Management,
  { expiresIn, ...input }: TestApiKey,
  clock: TestClock,
): Promise<TestKey> {
  const subnets = (input.subnets ?? []).map((address) => ({ name: address, address }));
  const { key, value = '' } = await management.createApiKey({
    ...input,
    scopes: input.scopes && [...input.scopes],
    subnets,
    expiresAt: expiryAfter(expiresIn, clock),
  });
  return { keyId: key.keyId, value };
}

/** What a test does to its clients and keys. */
function changesOf(
  management: Management,
  clients: Readonly<Record<string, Credentials>>,
  keys: Readonly<Record<string, TestKey>>,
) {
  const idOf = (client: string) => clients[client]?.clientId ?? '';
  const keyIdOf = (key: string) => keys[key]?.keyId ?? '';
  return {
    async disableClient(client: string): Promise<void> {
      await management.setClientEnabled(idOf(client), false);
    },
    async revokeTokens(client: string): Promise<void> {
      await management.revokeClientTokens(idOf(client));
    },
    async deleteClient(client: string): Promise<void> {
      await management.deleteClient(idOf(client));
    },
    async disableApiKey(key: string): Promise<void> {
      await management.setApiKeyEnabled(keyIdOf(key), false);
    },
    async deleteApiKey(key: string): Promise<void> {
      await management.deleteApiKey(keyIdOf(key));
    },
    async rotateApiKey(key: string, overlap = 0): Promise<string> {
      const { value = '' } = await management.rotateApiKey(keyIdOf(key), { overlap });
      return value;
    },
  };
}

/** What an API under test reads: nothing with which it could change the service. */
const namesForApi = [
  'ISSUER',
  'AUDIENCE',
  'TOKEN_URL',
  'JWKS_URI',
  'TABLES',
  'AWS_ENDPOINT_URL_DYNAMODB',
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
] as const;

function settingsForApi({ environment }: LocalRun) {
  const read = (name: (typeof namesForApi)[number]) => environment[name] ?? '';
  return {
    environment: Object.fromEntries(namesForApi.map((name) => [name, read(name)])),
    lookups: {
      tables: read('TABLES'),
      region: read('AWS_REGION'),
      endpointDynamoDb: read('AWS_ENDPOINT_URL_DYNAMODB'),
      credentials: {
        accessKeyId: read('AWS_ACCESS_KEY_ID'),
        secretAccessKey: read('AWS_SECRET_ACCESS_KEY'),
      },
    },
  };
}

/** In the future: a key waits after its publication. */
async function rotateKeys(run: LocalRun, clock: TestClock): Promise<string> {
  for (let step = 0; step < rotation.mostSteps; step += 1) {
    const { next } = await run.rotateKeys({ action: 'reconcile' });
    const times = next.map(({ eligible_at: at }) => Date.parse(at ?? '')).filter(Number.isFinite);
    const wait = Math.min(...times) - clock.now();
    if (wait <= 0) break;
    clock.move(Number.isFinite(wait) ? Math.ceil(wait / 1000) : rotation.step);
  }
  const proof = proveAt(clock.now());
  const { kid = '' } = await run.rotateKeys({ action: 'rotate', caller_proof: proof });
  // The token function reads the list of keys here, and again when its clock is back.
  clock.move(rotation.step);
  await fetchToken(run.tokenUrl, run);
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
    const { config, signingAlgorithms, fairShare } = options;
    const settings = {
      config,
      signingAlgorithms,
      fairShare,
      signingKeyPolicy: quickly,
      clock: clock.now,
    };
    const run = cleanUp.use(await startRun({ port: 0, stateDirectory, ...settings }));
    const management = openManagement(run, clock.now);
    const { issuer, tokenUrl, jwksUri } = run;
    const add = (input: TestClient) => addClient(management, input, clock);
    const clients = await mapValues(options.clients, add);
    const addKey = (input: TestApiKey) => addApiKey(management, input, clock);
    const keys = await mapValues(options.apiKeys, addKey);
    return {
      ...settingsForApi(run),
      ...changesOf(management, clients, keys),
      issuer,
      tokenUrl,
      jwksUri,
      audience: run.environment.AUDIENCE ?? '',
      clients,
      apiKeys: await mapValues(keys, async ({ value }) => value),
      getToken: (name, scope) =>
        fetchToken(tokenUrl, clients[name], scope === undefined ? {} : { scope }),
      now: clock.now,
      moveClock: clock.move,
      rotateKeys: () => clock.goBackAfter(() => rotateKeys(run, clock)),
      close: () => cleanUp.run(),
    };
  } catch (error) {
    await cleanUp.run();
    throw error;
  }
}
