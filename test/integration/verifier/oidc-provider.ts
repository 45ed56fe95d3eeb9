import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import OidcServer from 'oidc-provider';
import { generate } from 'selfsigned';
import { closeServer } from '../../../lab/emulator/loopback-server.ts';
import { createTestKey, type TestKey } from '../../../lab/support/test-issuer.ts';
import { type Credentials, fetchToken } from '../../../lab/support/token-request.ts';

/** Seconds; long enough for a test that moves its clock by minutes. */
const tokenLifetime = 7200;

/** A real OpenID provider on loopback, over https. */
export interface OidcProvider {
  readonly issuer: string;
  readonly discoveryUrl: string;
  /** Its certificate, PEM, for other processes to trust. */
  readonly certificate: string;
  /** Replaces its keys; it signs with the first. */
  useKeys(...keys: readonly TestKey[]): void;
  fetchToken(client: Credentials, audience: string): Promise<string>;
  /** Stops answering, connections that stand included. */
  stop(): Promise<void>;
  /** How often its JWKS was fetched. */
  jwksFetches(): number;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

function privateJwk({ alg, kid, privateKey }: TestKey) {
  return { ...privateKey.export({ format: 'jwk' }), alg, kid, use: 'sig' };
}

function createListener(
  issuer: string,
  clients: readonly Credentials[],
  keys: readonly TestKey[],
): Listener {
  const [first] = keys;
  if (first === undefined) throw new Error('a provider has a key');
  const provider = new OidcServer(issuer, {
    clients: clients.map(({ clientId, clientSecret }) => ({
      client_id: clientId,
      client_secret: clientSecret,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      id_token_signed_response_alg: first.alg,
    })),
    jwks: { keys: keys.map(privateJwk) },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, resource) => ({
          scope: '',
          audience: resource,
          accessTokenFormat: 'jwt',
          accessTokenTTL: tokenLifetime,
          jwt: { sign: { alg: first.alg } },
        }),
      },
    },
  });
  return provider.callback();
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

/** Starts a provider. This process trusts its certificate from then on. */
export async function startOidcProvider(clients: readonly Credentials[]): Promise<OidcProvider> {
  const pems = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    curve: 'P-256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  setDefaultCACertificates([...getCACertificates('default'), pems.cert]);
  let listener: Listener = (_, response) => response.writeHead(503).end();
  let jwksFetches = 0;
  const server = createServer({ key: pems.private, cert: pems.cert }, (request, response) => {
    if (request.url === '/jwks') jwksFetches += 1;
    listener(request, response);
  });
  const issuer = `https://localhost:${await listen(server)}`;
  const useKeys = (...keys: readonly TestKey[]): void => {
    listener = createListener(issuer, clients, keys);
  };
  useKeys(createTestKey('ES256'));
  return {
    issuer,
    discoveryUrl: `${issuer}/.well-known/openid-configuration`,
    certificate: pems.cert,
    useKeys,
    jwksFetches: () => jwksFetches,
    fetchToken: (client, audience) => fetchToken(`${issuer}/token`, client, { resource: audience }),
    stop: () => closeServer(server),
  };
}
