import { readdirSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type * as CallProfile from '../../../adapters/call-profile.ts';
import type * as InvocationProfile from '../../../adapters/lambda/invocation-profile.ts';
import type * as Limits from '../../../contract/bounds.ts';
import { figure } from '../../support/figure.ts';
import {
  type Behaviour,
  type HostileServer,
  hostileBodies,
  hostileHandshakes,
  hostileHeads,
  startHostileServer,
} from './hostile-server.ts';
import { type OutboundClient, outboundClients } from './outbound-clients.ts';

// The rules of production with shorter times: dozens of these calls wait for all of theirs.
vi.mock('../../../contract/bounds.ts', async (importOriginal) => ({
  ...(await importOriginal<typeof Limits>()),
  providerFetchTimeout: 1000,
  trustedFetchTimeout: 1000,
}));
const quick = vi.hoisted(() => ({ connectionTimeout: 500, requestTimeout: 500 }));
vi.mock('../../../adapters/call-profile.ts', async (importOriginal) => {
  const { callProfiles } = await importOriginal<typeof CallProfile>();
  return { callProfiles: { request: { ...callProfiles.request, ...quick } } };
});
vi.mock('../../../adapters/lambda/invocation-profile.ts', async (importOriginal) => {
  const { invocationProfile } = await importOriginal<typeof InvocationProfile>();
  return { invocationProfile: { ...invocationProfile, ...quick } };
});

/** Milliseconds beyond its limit after which a call counts as hung, on a machine of any speed. */
const patience = 60_000;

const notSettled = 'is not settled';

/**
 * Collects garbage while calls wait. What ends a call must not be garbage: Node 22 forgets a signal
 * that only AbortSignal.any refers to, and the global fetch its own while it reads a body.
 */
function collectOften(): () => void {
  setFlagsFromString('--expose-gc');
  const timer = setInterval(runInNewContext('gc') as () => void, 300);
  return () => clearInterval(timer);
}

const servers: HostileServer[] = [];
const outcomesSeen: string[] = [];
let tls: { readonly key: string; readonly cert: string };
let stopCollecting = () => {};

beforeAll(async () => {
  stopCollecting = collectOften();
  const names = [{ type: 2 as const, value: 'localhost' }];
  const pems = await generate([{ name: 'commonName', value: 'localhost' }], {
    keySize: 2048,
    extensions: [{ name: 'subjectAltName', altNames: names }],
  });
  tls = { key: pems.private, cert: pems.cert };
});

afterAll(async () => {
  stopCollecting();
  await Promise.all(servers.map((server) => server.close()));
  const unsettled = outcomesSeen.filter((outcome) => outcome === notSettled).length;
  figure('calls to hostile servers', { calls: outcomesSeen.length, unsettled });
});

/** How one call ended: by an error, with a value, or not at all. */
async function outcomeOf({ call, limit }: OutboundClient, url: string): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const hung = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, limit + patience, notSettled);
  });
  const settled = call(url, tls.cert).then(
    (value) => `accepted ${JSON.stringify(value)}`,
    (error: unknown) => (error instanceof Error ? 'refused' : `threw ${String(error)}`),
  );
  const outcome = await Promise.race([settled, hung]);
  clearTimeout(timer);
  outcomesSeen.push(outcome);
  return outcome;
}

/** @returns only what is not as it should be. */
async function faultsOf(
  client: OutboundClient,
  behaviours: Readonly<Record<string, Behaviour>>,
  open: (behave: Behaviour) => Promise<HostileServer>,
): Promise<Record<string, string>> {
  const outcomes = await Promise.all(
    Object.entries(behaviours).map(async ([name, behave]) => {
      const server = await open(behave);
      servers.push(server);
      return [name, await outcomeOf(client, server.url)] as const;
    }),
  );
  return Object.fromEntries(outcomes.filter(([, outcome]) => outcome !== 'refused'));
}

describe.concurrent.each(Object.entries(outboundClients))('%s', (_, client) => {
  const open = (behave: Behaviour) =>
    startHostileServer(behave, client.onlyHttps === true ? tls : undefined);

  it('end within their limit after any head of a response', async () => {
    expect(await faultsOf(client, hostileHeads, open)).toEqual({});
  });

  it('end within their limit after any body of a response', async () => {
    const accepted = Object.keys(hostileBodies).map((name) => [name, 'accepted undefined']);
    const expected = client.readsOnlyTheHead === true ? Object.fromEntries(accepted) : {};
    expect(await faultsOf(client, hostileBodies, open)).toEqual(expected);
  });

  it('end within their limit in any TLS handshake', async () => {
    const openBelowTls = async (behave: Behaviour) => {
      const { url, close } = await startHostileServer(behave);
      return { url: url.replace('http:', 'https:'), close };
    };
    expect(await faultsOf(client, hostileHandshakes, openBelowTls)).toEqual({});
  });

  it('end within their limit if nothing listens', async () => {
    const { url, close } = await startHostileServer(() => {});
    await close();
    const secure = url.replace('http:', 'https:');
    expect(await outcomeOf(client, client.onlyHttps === true ? secure : url)).toBe('refused');
  });
});

describe('the table of outbound clients', () => {
  const imports = /import (?:type )?([^;]*?) from 'node:(?:https?|http2|net|tls|dgram)';/g;
  const opens = /\b(?:request|get|connect|Agent)\b/;
  const otherClients =
    /(?<![.\w])fetch\(\w|new (?!FunctionClient|OAuthClient)[A-Z]\w*Client\(|'openid-client'/;
  /** They open no connection, or only one to this host. */
  const exempt = new Set([
    'portal/pages/clients/next-steps.ts',
    'portal/create-portal.ts',
    'portal/serve-on-loopback.ts',
    'verifier/forward-auth/run.ts',
  ]);

  it('names every file that opens a connection', () => {
    const houses = ['adapters', 'cli', 'core', 'lambda', 'lib', 'portal', 'verifier'];
    const files = houses
      .flatMap((house) =>
        readdirSync(house, { recursive: true, encoding: 'utf8' }).map((file) => `${house}/${file}`),
      )
      .filter((file) => file.endsWith('.ts') && !/\/(?:dist|node_modules)\//.test(file))
      .filter((file) => {
        const text = readFileSync(file, 'utf8');
        const names = [...text.matchAll(imports)].map(([, list]) => list ?? '');
        return otherClients.test(text) || names.some((list) => opens.test(list));
      });
    const named = Object.values(outboundClients).flatMap((client) => client.files);
    expect(files.filter((file) => !exempt.has(file)).sort()).toEqual([...new Set(named)].sort());
  });
});
