import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import {
  type ForwardAuthProcess,
  startForwardAuthProcess,
} from '../../lab/support/forward-auth-process.ts';
import { useLocalCli } from '../integration/cli/use-authctl.ts';
import { requestToken } from '../integration/lab/local/use-local-service.ts';
import { optionsFor } from '../integration/verifier/forward-auth/use-forward-auth.ts';
import { type OidcProvider, startOidcProvider } from '../integration/verifier/oidc-provider.ts';
import { type EchoService, startEchoService } from './echo-service.ts';
import { type Relay, startRelay } from './relay.ts';

interface Credentials {
  readonly viewToken: string;
  readonly manageToken: string;
  readonly providerToken: string;
  /** An API key for any source. */
  readonly anyKey: string;
  /** For 127.0.0.0/8, which the tests come from. */
  readonly loopbackKey: string;
  /** For 192.0.2.0/24, which they do not come from. */
  readonly officeKey: string;
  /** Has the scope messaging:view only. */
  readonly scopedKey: string;
}

/** A key that was rotated, whose two values work until the old one is ended. */
interface RotatedKey {
  readonly old: string;
  readonly present: string;
  readonly endOld: () => Promise<unknown>;
}

/** What the proxies stand between: the check, and a service. */
interface ProxyWorld {
  readonly credentials: Credentials;
  readonly clientId: string;
  readonly issuer: string;
  readonly providerIssuer: string;
  readonly providerClientId: string;
  readonly relay: Relay;
  readonly service: EchoService;
  readonly createRotatedKey: () => Promise<RotatedKey>;
  /** The check with the header in which the proxy sends addresses, and one without DynamoDB. */
  /** The traces in the lines of all checks so far. */
  readonly traces: () => readonly unknown[];
  readonly checks: Readonly<Record<'realIp' | 'forwardedFor' | 'withoutDynamoDb', number>>;
}

const erp = { clientId: 'erp', clientSecret: 'erp-secret-of-the-other-provider' };

function portOf({ address }: ForwardAuthProcess): number {
  return Number(new URL(address).port);
}

/** Starts everything but the proxies, once for the file. */
export function useProxyWorld(): () => ProxyWorld {
  const { json, service } = useLocalCli();
  const folder = mkdtempSync(join(tmpdir(), 'proxy-world-'));
  const stopping: (() => unknown)[] = [() => rmSync(folder, { recursive: true })];
  let world: ProxyWorld | undefined;

  async function tokenFor(scope: string): Promise<string> {
    const answer = (await (await requestToken(service(), { scope })).json()) as {
      readonly access_token: string;
    };
    return answer.access_token;
  }

  function createKey(...more: readonly string[]): Promise<Record<string, unknown>> {
    return json(['api-key', 'create', '--name', 'Key', '--trunk-group', 'tg-9', ...more]);
  }

  async function keyWith(...more: readonly string[]): Promise<string> {
    return String((await createKey(...more))['api_key']);
  }

  async function createRotatedKey(): Promise<RotatedKey> {
    const { key_id, api_key } = await createKey();
    const keyId = String(key_id);
    const rotated = await json(['api-key', 'rotate', keyId, '--expire-old-in', '7d']);
    return {
      old: String(api_key),
      present: String(rotated['api_key']),
      endOld: () => json(['api-key', 'update', keyId, '--end-old-values']),
    };
  }

  async function registerProvider(provider: OidcProvider): Promise<string> {
    await json(['provider', 'register', provider.discoveryUrl]);
    const named = ['client', 'create', '--name', 'ERP', '--trunk-group', 'tg-7'];
    const at = ['--provider', provider.issuer, '--external-client-id', erp.clientId];
    const client = await json([...named, '--scope', 'messaging:view', ...at]);
    return String(client['client_id']);
  }

  const logs: ForwardAuthProcess[] = [];

  async function startCheck(
    environment: Readonly<Record<string, string>>,
    addressHeader: string | undefined,
  ) {
    const whole = addressHeader !== undefined;
    const address = whole ? ['--client-address-header', addressHeader] : [];
    const running = await startForwardAuthProcess({
      args: [...optionsFor(service()), '--tables', 'local', ...address],
      environment: { ...service().environment, ...environment },
      until: whole ? 'ready' : 'listening',
    });
    stopping.push(() => running.stop());
    logs.push(running);
    return portOf(running);
  }

  beforeAll(async () => {
    const provider = await startOidcProvider([erp]);
    stopping.push(() => provider.stop());
    const caFile = join(folder, 'provider.pem');
    writeFileSync(caFile, provider.certificate);
    const providerClientId = await registerProvider(provider);
    const trust = { NODE_EXTRA_CA_CERTS: caFile };
    const nowhere = { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1' };
    const checks = {
      realIp: await startCheck(trust, 'X-Real-IP'),
      forwardedFor: await startCheck(trust, 'X-Forwarded-For'),
      withoutDynamoDb: await startCheck({ ...trust, ...nowhere }, undefined),
    };
    const relay = await startRelay();
    const echo = await startEchoService();
    stopping.push(
      () => relay.close(),
      () => echo.close(),
    );
    const audience = service().environment['AUDIENCE'] ?? '';
    const credentials = {
      viewToken: await tokenFor('messaging:view'),
      manageToken: await tokenFor('messaging:view messaging:manage'),
      providerToken: await provider.fetchToken(erp, audience),
      anyKey: service().apiKey,
      loopbackKey: await keyWith('--allow', 'here=127.0.0.0/8'),
      officeKey: await keyWith('--allow', 'office=192.0.2.0/24'),
      scopedKey: await keyWith('--scope', 'messaging:view'),
    };
    world = {
      credentials,
      clientId: service().clientId,
      issuer: service().issuer,
      providerIssuer: provider.issuer,
      providerClientId,
      relay,
      service: echo,
      createRotatedKey,
      traces: () => logs.flatMap(({ log }) => log.map(({ trace_id: id }) => id)),
      checks,
    };
  }, 180_000);

  afterAll(async () => {
    for (const stop of stopping.toReversed()) await stop();
  });

  return () => {
    if (world === undefined) throw new Error('the world has not started');
    return world;
  };
}
