import { tokenPath } from '../../../contract/routes.ts';
import type { Delays } from '../backend/backend.ts';
import { createTokenPost, type LoadResult, putLoad, warmUp } from '../load/token-load.ts';
import type { SampleOptions } from '../sample.ts';
import {
  backendEnvironment,
  createItems,
  environments,
  noDelays,
  usualDelays,
} from '../scenario.ts';
import { type Server, startServer } from '../servers/start-server.ts';
import { medianOf, percentile } from '../statistics.ts';

/** Medians of the runs. */
interface ServerFigures extends LoadResult {
  /** CPU time of the server a token: the lower quartile, since anything else only adds. */
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

const postTo = ({ started }: Server) => createTokenPost({ port: started.port, path: tokenPath });

async function measure(server: Server, seconds: number): Promise<ServerFigures> {
  const before = await server.ask('cpuUs');
  const load = await putLoad(postTo(server), { connections, seconds });
  return { ...load, cpuUs: ((await server.ask('cpuUs')) - before) / load.requests };
}

function summarise(runs: readonly ServerFigures[]): ServerFigures {
  return {
    ...medianOf(runs),
    cpuUs: percentile(
      runs.map(({ cpuUs }) => cpuUs),
      0.25,
    ),
  };
}

/** Loads servers by turns. */
async function compare<Name extends string>(
  servers: Readonly<Record<Name, Server>>,
  { plan: { load } }: SampleOptions,
): Promise<Record<Name, ServerFigures>> {
  const loaded = Object.entries<Server>(servers).map(([name, server]) => ({
    name,
    server,
    runs: [] as ServerFigures[],
  }));
  for (const { server } of loaded) {
    await warmUp(postTo(server), { connections, requests: load.warmUp });
  }
  for (let run = 0; run < load.runs; run += 1) {
    for (const { server, runs } of loaded) runs.push(await measure(server, load.seconds));
  }
  for (const { server } of loaded) await server.close();
  const figures = loaded.map(({ name, runs }) => [name, summarise(runs)]);
  return Object.fromEntries(figures) as Record<Name, ServerFigures>;
}

export async function runOidcProviderSection(options: SampleOptions): Promise<OidcProviderSection> {
  const { backend } = options;
  await backend.command({ items: createItems(backend), delays: usualDelays });
  const variables = {
    ...backendEnvironment(backend),
    ...environments.token,
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
