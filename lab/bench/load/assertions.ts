import { randomInt } from 'node:crypto';
import type { Agent } from 'node:http';
import { tokenPath } from '../../../contract/routes.ts';
import type { Client } from '../../../core/client/client.ts';
import { deriveProviderClientId } from '../../../core/client/provider-client-id.ts';
import { type IdentityProvider } from '../../../core/identity-provider/identity-provider.ts';
import { sendRequest } from '../../emulator/http-exchange.ts';
import { hostileRows } from '../../support/platforms/hostile-assertions.ts';
import {
  bodyOf,
  createHostileWorld,
  type HostileRow,
  sign,
} from '../../support/platforms/hostile-world.ts';
import { startBackend } from '../backend/backend.ts';
import { emptyWorkFolder } from '../build.ts';
import {
  backendEnvironment,
  clientItem,
  createClient,
  createItems,
  createProvider,
  federatedTokenEnvironment,
  issuer,
  providerItem,
  tokenRequestBody,
  tokenRequestHeaders,
  usualSize,
} from '../scenario.ts';
import { startServer } from '../servers/start-server.ts';
import { median, percentile } from '../statistics.ts';
import { keepBusy } from './token-load.ts';

/*
 * `node lab/bench/load/assertions.ts` sends 10,000 hostile assertions at 50 connections, each row of
 * lab/support/platforms/hostile-assertions.ts in its turn, and requests of a Basic client next to
 * them. For each row it prints reads of DynamoDB, fetches of keys and CPU time of one request, and
 * how long the Basic client waits. It fails if an assertion gets a token, or a Basic request none.
 */

const connections = 50;
const hostile = 10_000;
const perRow = Math.ceil(hostile / hostileRows.length);
const now = Math.floor(Date.now() / 1000);

emptyWorkFolder();
const backend = await startBackend();
const at = (name: string) => `${backend.issuer}/${name}`;
const world = createHostileWorld({
  now,
  issuer,
  issuers: {
    platform: at('platform'),
    other: at('other'),
    deleted: at('deleted'),
    unreachable: at('unreachable'),
    owned: at('owned'),
  },
  foreignClientIds: [`client_${'0'.repeat(21)}1`, `client_${'0'.repeat(21)}2`],
});

const registered = (name: string, more: Partial<IdentityProvider> = {}): IdentityProvider => ({
  ...createProvider({ issuer: at(name), registrationId: `registration_${name}`, alg: 'ES256' }),
  ...more,
});

const platform = registered('platform', { clientPatterns: true });
const providers = [
  platform,
  registered('other'),
  // Nothing listens there.
  registered('unreachable', { jwksUri: 'https://127.0.0.1:1/jwks' }),
  registered('owned', { registrationId: 'owned', owned: true }),
];

function clientOf(id: string, more: Partial<Client> = {}, conditions = {}): Client {
  const { issuer: iss, registrationId } = platform;
  return {
    ...createClient(usualSize),
    clientId: deriveProviderClientId(iss, id),
    secrets: [],
    provider: { issuer: iss, registrationId, externalClientId: id, ...conditions },
    ...more,
  };
}

const { subjects } = world;
const clients = [
  clientOf(subjects.good),
  clientOf(subjects.disabled, { enabled: false }),
  clientOf(subjects.revoked, { tokensNotBefore: now }),
  clientOf(subjects.recreated, { tokensNotBefore: now }),
  clientOf(subjects.conditional, {}, { conditions: [{ claim: 'project_id', values: ['42'] }] }),
  clientOf(world.pattern),
];

await backend.command({
  items: [...createItems(backend), ...clients.map(clientItem), ...providers.map(providerItem)],
  providerJwks: { keys: [world.provider.key.jwk, world.rsaKey.jwk] },
});

const server = await startServer('our-server.ts', {
  ...backendEnvironment(backend),
  ...federatedTokenEnvironment(),
  BENCH_PLACE: 'aws',
});
const url = `http://127.0.0.1:${server.started.port}${tokenPath}`;
const type = { 'content-type': 'application/x-www-form-urlencoded' };

/** Signatures differ each time, so no two assertions are the same text. */
async function bodiesOf(row: HostileRow): Promise<readonly string[]> {
  const bodies: string[] = [];
  // Nothing of the future may become good while it waits.
  const rowWorld = row.name === 'from the future' ? { ...world, now: now + 600 } : world;
  while (bodies.length < perRow) {
    bodies.push(
      ...(await row.bad(rowWorld, bodies.length % 2 === 0 ? 'client_assertion' : 'jwt_bearer')),
    );
  }
  return bodies.slice(0, perRow);
}

const addresses = {
  one: () => '192.0.2.1',
  many: () => `198.18.${randomInt(256)}.${randomInt(256)}`,
};

type Source = keyof typeof addresses;

async function post(agent: Agent, body: string, headers: Readonly<Record<string, string>>) {
  return (await sendRequest(url, { agent, method: 'POST', headers: { ...type, ...headers } }, body))
    .status;
}

const [, authorization = ''] = tokenRequestHeaders();

async function askAsBasic(agent: Agent): Promise<void> {
  const status = await post(agent, tokenRequestBody, { authorization });
  if (status !== 200) throw new Error(`a Basic request got ${status}`);
}

/** A Basic client on two connections, until `isOver`. */
async function askBeside(isOver: () => boolean): Promise<readonly number[]> {
  return keepBusy(2, () => !isOver(), askAsBasic);
}

interface Measured {
  readonly statuses: ReadonlyMap<number, number>;
  readonly counts: Readonly<Record<string, number>>;
  readonly cpuUs: number;
}

async function flood(bodies: readonly string[], source: Source): Promise<Measured> {
  const statuses = new Map<number, number>();
  let next = 0;
  await backend.command({});
  const before = await server.ask('cpuUs');
  await keepBusy(
    connections,
    () => next < bodies.length,
    async (agent) => {
      const body = bodies[next++] ?? '';
      const status = await post(agent, body, { 'x-source': addresses[source]() });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    },
  );
  const cpuUs = (await server.ask('cpuUs')) - before;
  return { statuses, counts: await backend.command({}), cpuUs };
}

const print = (...cells: readonly (string | number)[]) =>
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
const each = (count = 0, sum: number) => (count / sum).toFixed(2);

async function measureAlone(): Promise<readonly number[]> {
  const end = performance.now() + 3000;
  return askBeside(() => performance.now() > end);
}

const good = await Promise.all(
  Array.from({ length: perRow }, async () => bodyOf('client_assertion', await sign(world))),
);
let accepted = 0;
await flood(good, 'one');
await measureAlone();
const alone = await measureAlone();
for (const source of ['one', 'many'] as const) {
  process.stdout.write(
    `\n${hostileRows.length * perRow} assertions, ${connections} connections, from ${source} address${source === 'one' ? '' : 'es'}. All rows are of one instance. 429: this source, or this subject, failed too often within a minute, also in the rows before.\n\n`,
  );
  print('row', 'statuses', 'reads each', 'fetches', 'CPU each, µs');
  print('---', '---', '---:', '---:', '---:');
  for (const row of [undefined, ...hostileRows]) {
    const bodies = row === undefined ? good : await bodiesOf(row);
    const { statuses, counts, cpuUs } = await flood(bodies, source);
    if (row !== undefined) accepted += statuses.get(200) ?? 0;
    const shown = [...statuses].map(([status, count]) => `${status}: ${count}`).join(', ');
    const cpu = Math.round(cpuUs / bodies.length);
    const name = row?.name ?? 'a good assertion, for comparison';
    print(name, shown, each(counts['GetItem'], bodies.length), counts['fetch'] ?? 0, cpu);
  }
}

/**
 * How long a Basic request takes right after another request, one at a time: so an instance in Lambda
 * works, where no request waits for one of another caller. What hostile assertions can leave behind
 * is a larger heap, colder code and full memories.
 */
async function askAfter(bodies: readonly string[], headers: Readonly<Record<string, string>>) {
  const times: number[] = [];
  await keepBusy(
    1,
    () => times.length < bodies.length,
    async (agent) => {
      await post(agent, bodies[times.length] ?? '', { ...headers, 'x-source': addresses.many() });
      const start = performance.now();
      await askAsBasic(agent);
      times.push(performance.now() - start);
    },
  );
  return times;
}

const inTurn = { basic: [] as number[], hostile: [] as number[] };
for (const row of hostileRows) {
  const bodies = await bodiesOf(row);
  const same = bodies.map(() => tokenRequestBody);
  inTurn.basic.push(...(await askAfter(same, { authorization })));
  inTurn.hostile.push(...(await askAfter(bodies, {})));
}

let isOver = false;
const beside = askBeside(() => isOver);
for (const row of hostileRows) await flood(await bodiesOf(row), 'many');
isOver = true;
const latencies = await beside;
const describe = (name: string, times: readonly number[]) =>
  print(name, times.length, median(times).toFixed(1), percentile(times, 0.99).toFixed(1));
process.stdout.write(
  '\nA Basic client, which always gets its token. In Lambda an instance has one request at a time; at 50 connections one process shares its thread:\n\n',
);
print('', 'requests', 'median, ms', 'p99, ms');
print('---', '---:', '---:', '---:');
describe('one at a time, each after a Basic request', inTurn.basic);
describe('one at a time, each after a hostile assertion', inTurn.hostile);
describe('2 connections, alone', alone);
describe(
  `2 connections, next to ${hostileRows.length * perRow} hostile assertions on ${connections}`,
  latencies,
);
process.stdout.write(`\n${accepted} hostile assertions got a token\n`);
await server.close();
await backend.close();
if (accepted > 0) process.exitCode = 1;
