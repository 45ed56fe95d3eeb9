import { tokenPath } from '../../../contract/routes.ts';
import type { Delays } from '../backend/backend.ts';
import { createTokenPost, type LoadResult, putLoad } from '../load/token-load.ts';
import type { SampleOptions } from '../sample.ts';
import {
  backendEnvironment,
  createItems,
  environments,
  noDelays,
  usualDelays,
} from '../scenario.ts';
import type { Place } from '../servers/server-process.ts';
import { type Server, startServer } from '../servers/start-server.ts';
import { medianOf } from '../statistics.ts';

/** Medians of the runs. */
interface ServerFigures extends LoadResult {
  /** CPU time of the server a token. */
  readonly cpuUs: number;
}

type ServerName = 'ours' | 'oidcProvider' | 'oidcProviderStaticClient';

export interface OidcProviderSection {
  /** KMS and DynamoDB behind stubs. */
  readonly aws: Readonly<Record<ServerName, ServerFigures>>;
  readonly delays: Delays;
  readonly connections: number;
}

const connections = 50;

/** Load before anything counts, in runs: some 20,000 requests, as other processes get. */
const warmUpRuns = 3;

async function measure(server: Server, seconds: number): Promise<ServerFigures> {
  const before = await server.ask('cpuUs');
  const post = createTokenPost({ port: server.started.port, path: tokenPath });
  const load = await putLoad(post, { connections, seconds });
  return { ...load, cpuUs: ((await server.ask('cpuUs')) - before) / load.requests };
}

/** Loads servers by turns. */
async function compare<Name extends string>(
  servers: Readonly<Record<Name, Server>>,
  { plan }: SampleOptions,
): Promise<Record<Name, ServerFigures>> {
  const loaded = Object.entries<Server>(servers).map(([name, server]) => ({
    name,
    server,
    runs: [] as ServerFigures[],
  }));
  for (const { server } of loaded) await measure(server, warmUpRuns * plan.loadSeconds);
  for (let run = 0; run < plan.runs; run += 1) {
    for (const { server, runs } of loaded) runs.push(await measure(server, plan.loadSeconds));
  }
  for (const { server } of loaded) await server.close();
  const figures = loaded.map(({ name, runs }) => [name, medianOf(runs)]);
  return Object.fromEntries(figures) as Record<Name, ServerFigures>;
}

export async function runOidcProviderSection(options: SampleOptions): Promise<OidcProviderSection> {
  const { backend } = options;
  await backend.command({ items: createItems(backend), delays: usualDelays });
  const place: Place = 'aws';
  const variables = {
    ...backendEnvironment(backend),
    ...environments.token,
    BENCH_PLACE: place,
    BENCH_PUBLIC_SPKI: backend.publicSpki,
  };
  const inTable = { ...variables, BENCH_CLIENTS: 'dynamodb' };
  const aws = await compare(
    {
      ours: await startServer('our-server.ts', variables),
      oidcProvider: await startServer('oidc-provider-server.ts', inTable),
      oidcProviderStaticClient: await startServer('oidc-provider-server.ts', variables),
    },
    options,
  );
  await backend.command({ delays: noDelays });
  return { aws, delays: usualDelays, connections };
}
