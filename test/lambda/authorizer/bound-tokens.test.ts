import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { ProofMemory } from '../../../core/verifier/proof-memory.ts';
import { signToken } from '../../../lab/support/test-issuer.ts';
import { apiKeyValue, now, ownClaims, ownKey } from '../../../lab/support/verifier-world.ts';
import { authorizerEvent, authorizerWorld } from './authorizer-world.ts';

const execute = 'https://api1.execute-api.us-west-2.amazonaws.com';
let pair: Awaited<ReturnType<typeof generateKeyPair>>;
let token: string;

beforeAll(async () => {
  pair = await generateKeyPair('ES256');
  const jkt = await calculateJwkThumbprint(pair.publicKey);
  token = signToken(ownKey, { ...ownClaims, cnf: { jkt } });
});

async function prove(htu: string, htm = 'GET'): Promise<string> {
  const ath = createHash('sha256').update(token).digest('base64url');
  return new SignJWT({ htm, htu, ath, iat: now, jti: `${Math.random()}` })
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk: await exportJWK(pair.publicKey) })
    .sign(pair.privateKey);
}

async function outcomeOf(
  options: Parameters<typeof authorizerWorld>[0],
  htu: string,
  authorization = `DPoP ${token}`,
): Promise<unknown> {
  const ports = { proofs: { memory: new ProofMemory() } };
  const { authorizer, reports } = authorizerWorld({ ports, ...options });
  await authorizer(authorizerEvent({ authorization, proofs: [await prove(htu)] })).catch(() => {});
  return reports[0]?.fields?.['reason'] ?? reports[0]?.outcome;
}

describe('a bound token at the authorizer', () => {
  it('is accepted with a proof for the host and the path that the gateway names', async () => {
    expect(await outcomeOf({}, `${execute}/live/messages`)).toBe('allowed');
    expect(await outcomeOf({}, `${execute}/messages`)).toBe('proof_invalid');
    expect(await outcomeOf({}, 'https://api.example.com/live/messages')).toBe('proof_invalid');
  });

  it('is accepted for configured origins, and then for no other', async () => {
    const environment = { dpopOrigins: ['https://api.example.com'] };
    expect(await outcomeOf({ environment }, 'https://api.example.com/live/messages')).toBe(
      'allowed',
    );
    expect(await outcomeOf({ environment }, `${execute}/live/messages`)).toBe('proof_invalid');
  });

  it('is refused if decisions are cached: no one would check the next proof', async () => {
    const cached = await outcomeOf({ cacheTtl: 300 }, `${execute}/live/messages`);
    expect(cached).toBe('proof_not_checkable');
  });

  it('is the only token that is accepted if the API requires one; API keys stay', async () => {
    const environment = { requireProof: true } as const;
    const htu = `${execute}/live/messages`;
    const plain = `Bearer ${signToken(ownKey, ownClaims)}`;
    expect(await outcomeOf({ environment }, htu)).toBe('allowed');
    expect(await outcomeOf({ environment }, htu, plain)).toBe('token_binding_required');
    expect(await outcomeOf({ environment }, htu, `Bearer ${apiKeyValue}`)).toBe('allowed');
  });
});
