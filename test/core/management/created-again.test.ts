import { describe, expect, it } from 'vitest';
import { hadTokensRevoked } from '../../../core/client/client.ts';
import { createClient } from '../../../core/management/create-client.ts';
import { checkStatus } from '../../../core/verifier/revocation-check.ts';
import { createTestKey, signToken } from '../../../lab/support/test-issuer.ts';
import { createWorld } from '../../adapters/management/world.ts';
import { createTestManagement } from '../../support/management.ts';

const input = { name: 'Deploy', serviceTrunkGroup: 'tg-1001', scopes: ['messaging:view'] };
const derived = [
  ['with an idempotency key', () => ({ idempotencyKey: 'billing-production' })],
  ['under a provider', (issuer: string) => ({ provider: issuer, externalClientId: 'app' })],
] as const;

describe('a client that is deleted and created again under its id', () => {
  const key = createTestKey('ES256');

  it("refuses a provider's token of before, revoked or not, and accepts a new one", async () => {
    const world = await createWorld();
    const { management, issuer } = world;
    world.documents.set(`${issuer}/keys`, { keys: [key.jwk] });
    const under = { ...input, provider: issuer, externalClientId: 'app' };
    const tokenOf = (claims: object) =>
      signToken(key, { iss: issuer, sub: 'app', aud: 'https://api.example.com', ...claims });
    const explain = async (claims: object) => {
      const credential = tokenOf({ exp: world.now + 300, ...claims });
      const issuerOf = { issuer: 'https://auth.example.com' };
      return (await management.explainRequest({ credential, ...issuerOf })).reason ?? 'accepted';
    };

    const { client } = await management.createClient(under);
    const old = { iat: world.now, exp: world.now + 3600 };
    expect(await explain(old)).toBe('accepted');
    world.now += 60;
    await management.revokeClientTokens(client.clientId);
    expect(await explain(old)).toBe('token_revoked');
    await management.deleteClient(client.clientId);
    expect(await explain(old)).toBe('client_unknown');
    const again = await management.createClient(under);
    expect(again.client.clientId).toBe(client.clientId);
    expect(await explain(old)).toBe('token_revoked');
    expect(await explain({ iat: undefined })).toBe('token_revoked');
    expect(await explain({ iat: world.now })).toBe('accepted');
  });

  it.each(derived)('has no tokens of its own that it refuses: %s', async (_, more) => {
    const world = await createWorld();
    // The true time is anywhere between; the operator's own clock is five minutes behind.
    const earliest = world.now * 1000 + 400;
    const bounds = { earliest, latest: earliest + 1450 };
    const context = { ...world.context, awsTime: () => bounds };
    world.now -= 300;
    const { client } = await createClient(context, { ...input, ...more(world.issuer) });
    // By a function whose clock is a second behind.
    const firstToken = Math.floor((bounds.earliest - 1000) / 1000);
    const owner = { issuer: world.issuer, ...client };
    expect(() => checkStatus(client, firstToken, owner)).not.toThrow();
    expect(() => checkStatus(client, firstToken - 1, owner)).toThrow('revoked');
    expect(hadTokensRevoked(client)).toBe(false);
    expect(client.updatedAt).toBe(client.createdAt);
  });

  it('shows a revocation as one, also in the second of the creation', async () => {
    const world = await createWorld();
    for (const [, more] of derived) {
      const given = { ...input, ...more(world.issuer) };
      const { client } = await world.management.createClient(given);
      expect(hadTokensRevoked(client)).toBe(false);
      expect(hadTokensRevoked(await world.management.revokeClientTokens(client.clientId))).toBe(
        true,
      );
    }
  });

  it('has no mark if its id is random, as no token can be older', async () => {
    const { client } = await createClient(createTestManagement().context, input);
    expect(client.tokensNotBefore).toBeUndefined();
    expect(hadTokensRevoked(client)).toBe(false);
  });
});
