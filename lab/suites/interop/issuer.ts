import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { jwksPath } from '../../../contract/routes.ts';
import { type Alg, algs } from '../../../contract/signing-algorithms.ts';
import { buildMetadata } from '../../../core/discovery/metadata.ts';
import { createTestKey, signToken, type TestKey } from '../../support/test-issuer.ts';

export const audience = 'https://api.example.com';

/** What programs need to trust the issuer of a run. */
export interface Trust {
  /** File of the certificate. */
  readonly caPath: string;
  /** Folder for files of this run. */
  readonly directory: string;
}

/** An issuer with this service's documents and tokens, whose JWKS the matrix changes. */
export interface InteropIssuer extends Trust {
  readonly issuer: string;
  readonly jwksUri: string;
  /** The keys that the JWKS has. */
  publish(keys: readonly TestKey[]): void;
  /** The JWKS as text. */
  jwks(): string;
  /** Fetches of the JWKS since the last call. */
  takeFetches(): number;
  createKey(alg: Alg): TestKey;
  sign(key: TestKey, claims?: object, header?: object): string;
  close(): Promise<void>;
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

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

export async function startIssuer(): Promise<InteropIssuer> {
  const directory = mkdtempSync(join(tmpdir(), 'interop-'));
  const pems = await generate([{ name: 'commonName', value: 'localhost' }], {
    keySize: 2048,
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
    ],
  });
  const caPath = join(directory, 'ca.pem');
  writeFileSync(caPath, pems.cert);
  let keys: readonly TestKey[] = [];
  let fetches = 0;
  const jwks = () => JSON.stringify({ keys: keys.map(({ jwk }) => jwk) });
  const server = createServer({ key: pems.private, cert: pems.cert }, ({ url }, response) => {
    if (url === jwksPath) fetches += 1;
    const body = url === jwksPath ? jwks() : JSON.stringify(metadata);
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'max-age=300' });
    response.end(body);
  });
  const issuer = `https://localhost:${await listen(server)}`;
  const metadata = buildMetadata({ issuer, regionalTokenEndpoints: {}, signingAlgorithms: algs });
  return {
    issuer,
    jwksUri: issuer + jwksPath,
    caPath,
    directory,
    publish: (published) => {
      keys = published;
    },
    jwks,
    takeFetches: () => {
      const taken = fetches;
      fetches = 0;
      return taken;
    },
    createKey: createTestKey,
    sign: (key, claims = {}, header = {}) =>
      signToken(key, { ...claimsOf(issuer), ...claims }, { ...header }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        rmSync(directory, { recursive: true, force: true });
      }),
  };
}
