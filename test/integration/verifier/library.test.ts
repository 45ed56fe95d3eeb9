import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jwksPath } from '../../../contract/routes.ts';
import { formatApiKeyValue } from '../../../core/credential/credential-value.ts';
import { listenOnLoopback } from '../../../lab/emulator/loopback-server.ts';
import { createTestKey, signToken, type TestKey } from '../../../lab/support/test-issuer.ts';
import { ownClaims } from '../../../lab/support/verifier-world.ts';
import { createDynamoDbLookups } from '../../../verifier/dynamodb-lookups.ts';
import { createVerifier, type Verifier } from '../../../verifier/verifier.ts';
import { testAwsOptions } from '../adapters/dynalite.ts';

const audience = 'https://api.example.com';
/** Nothing listens at port 1: what is there is down. */
const nothing = 'http://127.0.0.1:1';

/** An issuer of which nothing but the JWKS runs: no token function, no KMS, no DynamoDB. */
let server: Server;
let issuer: string;
let keys: readonly TestKey[];
let answer: { status: number; fetches: number };

beforeAll(async () => {
  server = createServer((request, response) => {
    answer.fetches += 1;
    response.writeHead(request.url === jwksPath ? answer.status : 404, {
      'content-type': 'application/json',
    });
    response.end(JSON.stringify({ keys: keys.map((key) => key.jwk) }));
  });
  const port = await listenOnLoopback(server);
  issuer = `http://127.0.0.1:${port}`;
  keys = [createTestKey('RS256')];
  answer = { status: 200, fetches: 0 };
});

afterAll(() => server.close());

function ownToken(key: TestKey, different: Readonly<Record<string, unknown>> = {}): string {
  const now = Math.floor(Date.now() / 1000);
  return signToken(key, { ...ownClaims, iss: issuer, iat: now, exp: now + 3600, ...different });
}

function bearer(token: string) {
  return { authorization: `Bearer ${token}` };
}

async function responseTo(verifier: Verifier, ...request: Parameters<Verifier['verify']>) {
  try {
    await verifier.verify(...request);
    return 'accepted';
  } catch (error) {
    return verifier.toResponse(error);
  }
}

describe('createVerifier', () => {
  it('verifies own tokens with nothing but the JWKS, DynamoDB down', async () => {
    const lookups = createDynamoDbLookups({ tables: 'x-y', ...testAwsOptions(nothing) });
    const verifier = createVerifier({ issuer, audience, ...lookups });
    const [key] = keys as [TestKey];
    await verifier.preload();
    expect(await verifier.verify(bearer(ownToken(key)), ['messaging:view'])).toMatchObject({
      credential: 'access_token',
      clientId: ownClaims.client_id,
    });
    const apiKey = formatApiKeyValue('key_0000000000000000000007', Buffer.alloc(32, 7));
    for (const credential of [apiKey, ownToken(key, { iss: 'https://other.example' })]) {
      expect(await responseTo(verifier, bearer(credential))).toMatchObject({
        status: 503,
        headers: { 'Retry-After': '5' },
      });
    }
    expect(await responseTo(verifier, bearer('ak_malformed'))).toMatchObject({ status: 401 });
  });

  const wrong: readonly [string, Parameters<typeof createVerifier>[0], RegExp][] = [
    ['an issuer that is no URL', { issuer: 'auth', audience }, /issuer: received "auth"/],
    ['no audience', { issuer: 'https://a.example', audience: [] }, /audience: received \[\]/],
    ['an empty audience', { issuer: 'https://a.example', audience: '' }, /audience: received ""/],
    [
      'an audience that JavaScript left out',
      { issuer: 'https://a.example', audience: undefined as unknown as string },
      /audience: received nothing/,
    ],
    [
      'an http issuer that is not on loopback',
      { issuer: 'http://a.example', audience },
      /allowed: the issuer exactly as in the discovery document, "https:\/\/a.example"/,
    ],
    [
      'a realm that no header can carry',
      { issuer: 'https://a.example', audience, realm: 'a"b' },
      /realm of a challenge/,
    ],
  ];

  it.each(wrong)('refuses %s', (_, options, message) => {
    expect(() => createVerifier(options)).toThrow(message);
  });
});
