import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jwksPath } from '../../../contract/routes.ts';
import { algs } from '../../../contract/signing-algorithms.ts';
import { buildMetadata } from '../../../core/discovery/metadata.ts';
import { createLoopbackCertificate, serveHttps } from '../../support/loopback-https.ts';
import { signToken, type TestKey } from '../../support/test-issuer.ts';

export const audience = 'https://api.example.com';

export type InteropIssuer = Awaited<ReturnType<typeof startIssuer>>;

function claimsOf(issuer: string) {
  const now = Math.floor(Date.now() / 1000);
  const clientId = 'client_0000000000000000000001';
  return {
    iss: issuer,
    sub: clientId,
    aud: audience,
    client_id: clientId,
    iat: now,
    exp: now + 300,
    jti: 'jti-1',
    scope: 'messaging:view',
    service_trunk_group: 'demo',
  };
}

/** An issuer with this service's documents and tokens, whose JWKS the matrix changes. */
export async function startIssuer() {
  const directory = mkdtempSync(join(tmpdir(), 'interop-'));
  const certificate = await createLoopbackCertificate();
  const caPath = join(directory, 'ca.pem');
  writeFileSync(caPath, certificate.cert);
  let keys: readonly TestKey[] = [];
  let fetches = 0;
  const jwks = () => JSON.stringify({ keys: keys.map(({ jwk }) => jwk) });
  const server = await serveHttps(certificate, ({ url }, response) => {
    if (url === jwksPath) fetches += 1;
    const body = url === jwksPath ? jwks() : JSON.stringify(metadata);
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'max-age=300' });
    response.end(body);
  });
  const issuer = `https://localhost:${server.port}`;
  const metadata = buildMetadata({
    issuer,
    regionalTokenEndpoints: {},
    signingAlgorithms: algs,
    // For verifiers that insist on one.
    authorizationEndpoint: true,
  });
  return {
    issuer,
    jwksUri: issuer + jwksPath,
    caPath,
    directory,
    /** @param published the keys that the JWKS has from now on. */
    publish: (published: readonly TestKey[]) => {
      keys = published;
    },
    /** The JWKS as text. */
    jwks,
    /** Fetches of the JWKS since the last call. */
    takeFetches: () => {
      const taken = fetches;
      fetches = 0;
      return taken;
    },
    sign: (key: TestKey, claims: object = {}, header: object = {}) =>
      signToken(key, { ...claimsOf(issuer), ...claims }, { ...header }),
    close: async () => {
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
