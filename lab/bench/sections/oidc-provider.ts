import { tokenPath } from '../../../contract/routes.ts';
import type { Delays } from '../backend/backend.ts';
import { type LoadResult, putLoad } from '../load/closed-loop.ts';
import type { SampleOptions } from '../sample.ts';
import {
  backendEnvironment,
  createItems,
  environments,
  tokenRequestBody,
  tokenRequestHeaders,
} from '../scenario.ts';
import type { Place } from '../servers/server-process.ts';
import { type Server, startServer } from '../servers/start-server.ts';
import { median } from '../statistics.ts';

/** Medians of the runs. */
export interface ServerFigures extends Omit<LoadResult, 'requests'> {
  /** CPU time of the server a token, without signatures that it made itself. */
  readonly cpuUs: number;
}

type Pair = Readonly<Record<'ours' | 'oidcProvider', ServerFigures>>;

export interface OidcProviderSection {
  /** Keys and client in the server's memory. */
  readonly memory: Pair;
  /** KMS and DynamoDB behind stubs. */
  readonly aws: Pair & { readonly oidcProviderStaticClient: ServerFigures };
  readonly delays: Delays;
  readonly connections: number;
}

const delays: Delays = { kms: 10, dynamodb: 3 };
const connections = 50;

/** Load before anything counts, in runs: some 20,000 requests, as other processes get. */
const warmUpRuns = 3;

const [, authorization = '', , contentType = ''] = tokenRequestHeaders();

async function measure(
  server: Server,
  parallel: number,
  seconds: number,
): Promise<LoadResult & { readonly cpuUs: number }> {
  const before = await server.ask('usage');
  const load = await putLoad({
    port: server.started.port,
    path: tokenPath,
    headers: { authorization, 'content-type': contentType },
    body: tokenRequestBody,
    connections: parallel,
    seconds,
  });
  const after = await server.ask('usage');
  const signatureUs = (before.signatureUs + after.signatureUs) / 2;
  const signing = (after.signatures - before.signatures) * signatureUs;
  const cpu = after.cpuUs - before.cpuUs - signing;
  return { ...load, cpuUs: cpu / load.requests };
}

/** Loads servers by turns. */
async function compare<Name extends string>(
  servers: Readonly<Record<Name, Server>>,
  parallel: number,
  { plan }: SampleOptions,
): Promise<Record<Name, ServerFigures>> {
  const names = Object.keys(servers) as Name[];
  const results = names.map((name) => ({
    name,
    runs: [] as Awaited<ReturnType<typeof measure>>[],
  }));
  for (const name of names) await measure(servers[name], parallel, warmUpRuns * plan.loadSeconds);
  for (let run = 0; run < plan.runs; run += 1) {
    for (const { name, runs } of results) {
      runs.push(await measure(servers[name], parallel, plan.loadSeconds));
    }
  }
  for (const name of names) await servers[name].close();
  const figures = results.map(({ name, runs }) => {
    const of = (key: keyof ServerFigures) => median(runs.map((run) => run[key]));
    const taken: ServerFigures = {
      cpuUs: of('cpuUs'),
      perSecond: of('perSecond'),
      medianMs: of('medianMs'),
      p99Ms: of('p99Ms'),
    };
    return [name, taken] as const;
  });
  return Object.fromEntries(figures) as Record<Name, ServerFigures>;
}

export async function runOidcProviderSection(options: SampleOptions): Promise<OidcProviderSection> {
  const { backend } = options;
  await backend.command({ items: createItems(backend), delays });
  const variables = (place: Place) => ({
    ...backendEnvironment(backend),
    ...environments.token,
    BENCH_PLACE: place,
    BENCH_PUBLIC_SPKI: backend.publicSpki,
  });
  const memory = await compare(
    {
      ours: await startServer('our-server.ts', variables('memory')),
      oidcProvider: await startServer('oidc-provider-server.ts', variables('memory')),
    },
    connections,
    options,
  );
  const inTable = { ...variables('aws'), BENCH_CLIENTS: 'dynamodb' };
  const aws = await compare(
    {
      ours: await startServer('our-server.ts', variables('aws')),
      oidcProvider: await startServer('oidc-provider-server.ts', inTable),
      oidcProviderStaticClient: await startServer('oidc-provider-server.ts', variables('aws')),
    },
    connections,
    options,
  );
  await backend.command({ delays: { kms: 0, dynamodb: 0 } });
  return { memory, aws, delays, connections };
}
