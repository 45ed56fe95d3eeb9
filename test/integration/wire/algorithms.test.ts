import { createPublicKey } from 'node:crypto';
import {
  DescribeKeyCommand,
  GetPublicKeyCommand,
  KMSClient,
  ListKeysCommand,
} from '@aws-sdk/client-kms';
import { createLocalJWKSet, importJWK, type JSONWebKeySet, jwtVerify } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Alg, algs, signingAlgorithms } from '../../../contract/signing-algorithms.ts';
import type { LocalRun } from '../../../lab/local/start-local.ts';
import { temporaryDirectory } from '../lab/local/temporary-directory.ts';
import { credentialsOf, requestToken, startService } from '../lab/local/use-local-service.ts';

async function start(alg: Alg): Promise<LocalRun> {
  const service = await startService({
    port: 0,
    stateDirectory: temporaryDirectory(),
    signingAlgorithms: [alg],
  });
  onTestFinished(() => service.close());
  return service;
}

/** SubjectPublicKeyInfo of every key in KMS, in base64. */
async function readKmsKeys(service: LocalRun): Promise<readonly string[]> {
  const kms = new KMSClient({
    endpoint: service.environment['AWS_ENDPOINT_URL_KMS'] ?? '',
    region: 'us-west-2',
    credentials: service.aws.credentials,
  });
  onTestFinished(() => kms.destroy());
  const { Keys = [] } = await kms.send(new ListKeysCommand({}));
  return Promise.all(
    Keys.map(async ({ KeyId }) => {
      const { KeyMetadata } = await kms.send(new DescribeKeyCommand({ KeyId }));
      expect(KeyMetadata?.KeyState).toBe('Enabled');
      const { PublicKey = new Uint8Array() } = await kms.send(new GetPublicKeyCommand({ KeyId }));
      return Buffer.from(PublicKey).toString('base64');
    }),
  );
}

describe('every signing algorithm', () => {
  it.each(algs)('%s: an independent library verifies the tokens', async (alg) => {
    const service = await start(alg);
    const response = await requestToken(service);
    expect(response.status).toBe(200);
    const { access_token } = (await response.json()) as { access_token: string };
    const jwks = (await (await fetch(service.jwksUri)).json()) as JSONWebKeySet;
    const { protectedHeader } = await jwtVerify(access_token, createLocalJWKSet(jwks), {
      algorithms: [alg],
      issuer: service.issuer,
      typ: 'at+jwt',
    });
    expect(protectedHeader.alg).toBe(alg);
    for (const key of jwks.keys) {
      expect(key).toMatchObject({ alg, use: 'sig', kty: signingAlgorithms[alg].kty });
    }
  });

  it.each(['RS256', 'ES384', 'ML-DSA-44'] as const)(
    '%s: the JWKS holds the keys that KMS holds',
    async (alg) => {
      const service = await start(alg);
      const jwks = (await (await fetch(service.jwksUri)).json()) as JSONWebKeySet;
      const published = await Promise.all(
        jwks.keys.map(async (jwk) => {
          expect(await importJWK(jwk)).toBeDefined();
          return createPublicKey({ key: jwk, format: 'jwk' })
            .export({ type: 'spki', format: 'der' })
            .toString('base64');
        }),
      );
      expect(published.sort()).toEqual((await readKmsKeys(service)).toSorted());
    },
  );
});

describe('a signature', () => {
  it('of ES256 is R and S, for all of their DER lengths', async () => {
    const service = await start('ES256');
    const authorization = credentialsOf(service);
    const body = 'grant_type=client_credentials';
    const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
    const tokens = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const response = await fetch(service.tokenUrl, { method: 'POST', headers, body });
        return ((await response.json()) as { access_token: string }).access_token;
      }),
    );
    const lengths = tokens.map(
      (token) => Buffer.from(token.split('.')[2] ?? '', 'base64url').length,
    );
    expect(new Set(lengths)).toEqual(new Set([64]));
    expect(new Set(tokens.map((token) => token.split('.')[1])).size).toBe(100);
  });
});
