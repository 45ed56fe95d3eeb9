import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import {
  createLoopbackCertificate,
  type LoopbackHttps,
  serveHttps,
} from '../../../lab/support/loopback-https.ts';
import { createTestKey, signToken } from '../../../lab/support/test-issuer.ts';
import { createProvider, createProviderClient } from '../../../lab/support/verifier-world.ts';
import { createVerifier, type Verifier } from '../../../verifier/verifier.ts';
import { figure } from '../../support/figure.ts';

// The limits of production: they are what is looked at.
vi.unmock('../../../contract/bounds.ts');

const audience = 'https://api.example.com';
const key = createTestKey('ES256');

/** Requests that a provider got and never answered. */
let asked = 0;
let server: LoopbackHttps;
let issuer: string;
let verifier: Verifier;

beforeAll(async () => {
  const certificate = await createLoopbackCertificate();
  server = await serveHttps(certificate, () => {
    asked += 1;
  });
  issuer = `https://localhost:${server.port}`;
  const provider = createProvider({ issuer, jwksUri: `${issuer}/keys` });
  const client = createProviderClient();
  verifier = createVerifier({
    issuer: 'https://auth.example.com',
    audience,
    allowLoopbackProviders: true,
    ca: certificate.cert,
    providers: {
      identityProviders: { findIdentityProvider: async () => provider },
      clients: { findClient: async () => client },
    },
  });
});

afterAll(() => server.close());

/** What 50 callers at once get, and after how long the last one got it. */
async function callers() {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: issuer, sub: 'app-1', aud: audience, iat: now, exp: now + 60 };
  const authorization = `Bearer ${signToken(key, claims)}`;
  const begun = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const error = await verifier.verify({ authorization }).catch((thrown: unknown) => thrown);
      const { status, headers } = verifier.toResponse(error);
      return `${status}, Retry-After ${headers['Retry-After']}`;
    }),
  );
  return { answers: [...new Set(answers)], seconds: (performance.now() - begun) / 1000 };
}

it('a provider that hangs holds 50 callers once for one fetch, and then none', async () => {
  const first = await callers();
  const next = await callers();
  const last = await callers();
  figure('50 callers of a provider that hangs', {
    seconds: Number(first.seconds.toFixed(2)),
    next: Number(next.seconds.toFixed(2)),
    last: Number(last.seconds.toFixed(2)),
    fetches: asked,
  });
  for (const { answers } of [first, next, last]) expect(answers).toEqual(['503, Retry-After 5']);
  // Each round made one before. The pause after the first ends only on a very slow machine.
  expect(asked).toBeLessThan(3);
});
