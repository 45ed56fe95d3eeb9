import { createHash, generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { proofAlgs } from '../../../contract/proof-algorithms.ts';
import type { RefusalReason } from '../../../core/verifier/bearer-refusal.ts';
import { type ProofTarget, verifyProof } from '../../../core/verifier/dpop-proof.ts';
import { ProofMemory, ProofNonces } from '../../../core/verifier/proof-memory.ts';
import { encodeJson, signToken } from '../../../lab/support/test-issuer.ts';
import {
  apiKeyValue,
  createWorld,
  now,
  ownClaims,
  ownKey,
  providerClaims,
  providerKey,
  refusalOf,
} from '../../../lab/support/verifier-world.ts';
import { figure } from '../../support/figure.ts';
import {
  createHolder,
  createProver,
  type Holder,
  holder,
  type Row,
  stranger,
  url,
} from '../../support/hostile-proofs.ts';

function tokenFor({ jkt }: Pick<Holder, 'jkt'>, claims: object = {}): string {
  return signToken(ownKey, { ...ownClaims, cnf: { jkt }, ...claims });
}

const token = tokenFor(holder);

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

const {
  prove,
  goodClaims,
  rows: badEverywhere,
} = createProver('GET', now, () => ({ ath: hashOf(token) }));

let memory = new ProofMemory();
let world = createWorld({ proofs: { memory } });

beforeEach(() => {
  memory = new ProofMemory();
  world = createWorld({ proofs: { memory } });
});

async function outcomeOf(
  authorization: string,
  proofs: readonly string[],
  target: Partial<ProofTarget> = {},
): Promise<RefusalReason | 'accepted'> {
  const request = { readTarget: () => ({ proofs, method: 'GET', urls: [url], ...target }) };
  const verifying = world.verify(authorization, [], request);
  return verifying.then(
    () => 'accepted',
    async () => (await refusalOf(verifying)).reason,
  );
}

const send = (proof: string, target: Partial<ProofTarget> = {}) =>
  outcomeOf(`DPoP ${token}`, [proof], target);

describe('a token that is bound to a key', () => {
  it.each(proofAlgs)('is accepted with a proof by %s', async (alg) => {
    const by = createHolder(alg);
    const bound = tokenFor(by);
    const proof = await prove({ by, claims: { ath: hashOf(bound) } });
    expect(await outcomeOf(`DPoP ${bound}`, [proof])).toBe('accepted');
  });

  it('says which key the caller proved', async () => {
    const target = { proofs: [await prove()], method: 'GET', urls: [url] };
    expect(await world.verify(`dpop ${token}`, [], { readTarget: () => target })).toMatchObject({
      boundTo: holder.jkt,
      clientId: ownClaims.client_id,
    });
  });

  it('is accepted of a registered provider too, and never as a bearer token', async () => {
    const bound = signToken(providerKey, { ...providerClaims, cnf: { jkt: holder.jkt } });
    const proof = await prove({ claims: { ath: hashOf(bound) } });
    expect(await outcomeOf(`Bearer ${bound}`, [proof])).toBe('token_bound');
    expect(await outcomeOf(`DPoP ${bound}`, [proof])).toBe('accepted');
  });

  it('is refused by a verifier without proofs', async () => {
    world = createWorld();
    const proof = await prove();
    expect(await outcomeOf(`Bearer ${token}`, [proof])).toBe('token_bound');
    expect(await outcomeOf(`DPoP ${token}`, [proof])).toBe('proof_not_checkable');
  });

  it('is refused if the request is not known', async () => {
    const refusal = await refusalOf(world.verify(`DPoP ${token}`));
    expect(refusal.reason).toBe('proof_not_checkable');
  });

  it.each([
    ['a certificate', { 'x5t#S256': 'bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2' }],
    ['a certificate and a key', { jkt: 'a', 'x5t#S256': 'b' }],
    ['a key in place of its thumbprint', { jwk: { kty: 'EC' } }],
    ['a key id', { kid: 'a' }],
    ['nothing', {}],
    ['a text', 'a'],
    ['null', null],
    ['a list', [{ jkt: 'a' }]],
    ['a thumbprint that is no text', { jkt: 1 }],
  ])('is refused with a confirmation by %s', async (_, cnf) => {
    for (const claims of [ownClaims, providerClaims]) {
      const key = claims === ownClaims ? ownKey : providerKey;
      const other = signToken(key, { ...claims, cnf });
      expect(await outcomeOf(`Bearer ${other}`, [])).toBe('token_confirmation_unknown');
      expect(await outcomeOf(`DPoP ${other}`, [])).toBe('token_confirmation_unknown');
    }
  });
});

describe('a credential that is not bound', () => {
  it('is a bearer credential, as for a verifier without proofs', async () => {
    const bearer = signToken(ownKey, ownClaims);
    expect(await outcomeOf(`Bearer ${bearer}`, [])).toBe('accepted');
    expect(await outcomeOf(`Bearer ${apiKeyValue}`, [])).toBe('accepted');
  });

  it('is refused with the scheme DPoP', async () => {
    const bearer = signToken(ownKey, ownClaims);
    const proof = await prove({ claims: { ath: hashOf(bearer) } });
    expect(await outcomeOf(`DPoP ${bearer}`, [proof])).toBe('token_not_bound');
    expect(await outcomeOf(`DPoP ${apiKeyValue}`, [proof])).toBe('token_not_bound');
  });
});

const ownRows: readonly Row[] = [
  ...[
    undefined,
    null,
    '',
    1,
    [],
    token,
    hashOf('another token'),
    hashOf(`${token} `),
    `${hashOf(token)}=`,
    createHash('sha256').update(token).digest('hex'),
    createHash('sha512').update(token).digest('base64url'),
  ].map((ath): Row => [`ath ${String(ath).slice(0, 12)}`, () => prove({ claims: { ath } })]),
  ['the access token', async () => token],
  ['of another key', () => prove({ by: stranger }), 'proof_key_wrong'],
  ['of another kind of key', () => prove({ by: createHolder('PS256') }), 'proof_key_wrong'],
];

describe('a proof is refused', () => {
  const rows = [...badEverywhere, ...ownRows];

  it.each(rows.map(([what, make, reason]) => ({ what, make, reason })))('$what', async (row) => {
    const { make, reason = 'proof_invalid' } = row;
    expect(await send(await make())).toBe(reason);
    // The good neighbour: the token and the memory are as before.
    expect(await send(await prove())).toBe('accepted');
  });

  it('is one of 120 and more, of which none is accepted', () => {
    figure('hostile proofs', { rows: rows.length });
    expect(rows.length).toBeGreaterThanOrEqual(120);
  });

  it('without one, and with two', async () => {
    expect(await outcomeOf(`DPoP ${token}`, [])).toBe('proof_missing');
    const two = [await prove(), await prove()];
    expect(await outcomeOf(`DPoP ${token}`, two)).toBe('proof_invalid');
  });

  it('with a weak key, though the token is bound to it', async () => {
    const weak = createHolder('PS256', generateKeyPairSync('rsa', { modulusLength: 1024 }));
    const bound = tokenFor(weak);
    const proof = await forgeRsa(weak, bound);
    expect(await outcomeOf(`DPoP ${bound}`, [proof])).toBe('proof_invalid');
  });

  it('with an algorithm that the API does not accept, by a key that could', async () => {
    world = createWorld({ proofs: { memory, algorithms: ['PS256'] } });
    const by = createHolder('PS256');
    const bound = tokenFor(by);
    const claims = { ath: hashOf(bound) };
    const other = await prove({ by: { ...by, alg: 'RS256' }, claims });
    expect(await outcomeOf(`DPoP ${bound}`, [other])).toBe('proof_invalid');
    expect(await outcomeOf(`DPoP ${bound}`, [await prove({ by, claims })])).toBe('accepted');
  });
});

/** jose refuses to sign with a key of 1,024 bits. */
async function forgeRsa(by: Holder, bound: string): Promise<string> {
  const { constants, sign } = await import('node:crypto');
  const claims = { ...goodClaims(), ath: hashOf(bound) };
  const text = `${encodeJson({ typ: 'dpop+jwt', alg: 'PS256', jwk: by.jwk })}.${encodeJson(claims)}`;
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  const saltLength = constants.RSA_PSS_SALTLEN_DIGEST;
  const signature = sign('sha256', Buffer.from(text), { key: by.privateKey, padding, saltLength });
  return `${text}.${signature.toString('base64url')}`;
}

describe('a proof is accepted', () => {
  it.each([
    ['with a query', `${url}?page=2`],
    ['with a fragment', `${url}#top`],
    ['with the default port', 'https://api.example.com:443/messages'],
    ['with a host in capitals', 'HTTPS://API.example.com/messages'],
    ['with a letter that needs no encoding', 'https://api.example.com/%6dessages'],
    ['with dots in the path', 'https://api.example.com/a/../messages'],
  ])('for the same URL %s', async (_, htu) => {
    expect(await send(await prove({ claims: { htu } }))).toBe('accepted');
  });

  it.each([now - 70, now - 8, now + 10, now + 0.5, now + 60])('with iat %d', async (iat) => {
    expect(await send(await prove({ claims: { iat } }))).toBe('accepted');
  });

  it.each([
    ['nbf and exp', { nbf: now, exp: now + 10 }],
    ['nbf and exp at their ends', { nbf: now + 60, exp: now - 9 }],
    ['a nonce that no one asked for', { nonce: 'a' }],
    ['a long id', { jti: 'x'.repeat(256) }],
  ])('with %s', async (_, claims) => {
    expect(await send(await prove({ claims }))).toBe('accepted');
  });

  it('with members of the key that are not its own', async () => {
    const jwk = { ...holder.jwk, kid: 'a', use: 'sig', alg: 'ES256' };
    expect(await send(await prove({ header: { jwk } }))).toBe('accepted');
  });

  it('under each name of the API, and only those', async () => {
    const urls = ['https://slc.api.example.com/messages', url];
    expect(await send(await prove({ claims: { htu: urls[0] } }), { urls })).toBe('accepted');
    expect(await send(await prove({ claims: { htu: urls[0] } }))).toBe('proof_invalid');
  });
});

describe('a proof is for one request', () => {
  it('also if it is sent with other blanks around the scheme', async () => {
    const proof = await prove();
    expect(await send(proof)).toBe('accepted');
    expect(await send(proof)).toBe('proof_replayed');
    expect(await outcomeOf(`dpop  ${token}`, [proof])).toBe('proof_replayed');
  });

  it('for as long as it could be accepted', async () => {
    const proof = await prove({ claims: { iat: now + 60 } });
    expect(await send(proof)).toBe('accepted');
    world.now = now + 130;
    expect(await send(proof)).toBe('proof_replayed');
    world.now = now + 131;
    expect(await send(proof)).toBe('proof_invalid');
  });

  it('by its key and id: another key may use the same id', async () => {
    const jti = 'the-same';
    const bound = tokenFor(stranger);
    expect(await send(await prove({ claims: { jti } }))).toBe('accepted');
    const other = await prove({ by: stranger, claims: { jti, ath: hashOf(bound) } });
    expect(await outcomeOf(`DPoP ${bound}`, [other])).toBe('accepted');
    expect(await send(await prove({ claims: { jti, iat: now - 1 } }))).toBe('proof_replayed');
  });

  it('and a bad one takes no place', async () => {
    const claims = { jti: 'once' };
    expect(await send(await prove({ by: { ...stranger, jwk: holder.jwk }, claims }))).toBe(
      'proof_invalid',
    );
    expect(await send(await prove({ claims }))).toBe('accepted');
  });
});

describe('the memory of proofs', () => {
  const clientOf = (clientId: string, serviceTrunkGroup = clientId) => ({
    clientId,
    serviceTrunkGroup,
  });
  const fill = (clientId: string, from: number, to: number, until: number) =>
    Array.from({ length: to - from }, (_, index) =>
      memory.admit({ holder: clientOf(clientId), id: String(from + index) }, until, now),
    );

  beforeEach(() => {
    memory = new ProofMemory(undefined, 100);
  });

  it('gives a client a tenth, refuses more, and forgets none that could be used again', () => {
    expect(new Set(fill('greedy', 0, 10, now + 70))).toEqual(new Set(['first']));
    expect(fill('greedy', 10, 11, now + 70)).toEqual(['full']);
    expect(fill('greedy', 0, 1, now + 70)).toEqual(['replayed']);
    expect(fill('polite', 0, 1, now + 70)).toEqual(['first']);
  });

  it('has room again when proofs have ended', () => {
    const later = { holder: clientOf('greedy'), id: 'later' };
    fill('greedy', 0, 10, now + 70);
    expect(memory.admit(later, now + 141, now + 70)).toBe('full');
    expect(memory.admit(later, now + 141, now + 71)).toBe('first');
  });

  it('is bounded over all clients', () => {
    for (let client = 0; client < 10; client += 1) fill(`client-${client}`, 0, 10, now + 70);
    expect(fill('one more', 0, 1, now + 70)).toEqual(['full']);
  });

  it('is not one that a customer fills, with however many keys and clients', async () => {
    const holders = Array.from({ length: 5 }, () => createHolder('ES256'));
    world = createWorld({ proofs: { memory } });
    const sendAs = async (client_id: string, service_trunk_group: string, by: Holder) => {
      const bound = tokenFor(by, { client_id, sub: client_id, service_trunk_group });
      return outcomeOf(`DPoP ${bound}`, [await prove({ by, claims: { ath: hashOf(bound) } })]);
    };
    const flood = async (client: string) => {
      const outcomes: string[] = [];
      for (let count = 0; count < 3; count += 1) {
        for (const by of holders) outcomes.push(await sendAs(client, 'greedy', by));
      }
      return outcomes.filter((outcome) => outcome === 'accepted').length;
    };
    expect(await flood('one')).toBe(10);
    expect(await sendAs('two', 'greedy', holder)).toBe('accepted');
    expect([await flood('two'), await flood('three'), await flood('four')]).toEqual([9, 10, 0]);
    expect(await sendAs('five', 'polite', holder)).toBe('accepted');
  });

  it('gives a client that asks for tokens a tenth, with however many keys', async () => {
    const asking = createProver('POST', now);
    const rules = { memory: new ProofMemory(undefined, 20) };
    const ask = async (clientId: string, by: Holder) => {
      const target = { proofs: [await asking.prove({ by })], method: 'POST', urls: [url] };
      return verifyProof(target, { holder: clientOf(clientId) }, rules, now);
    };
    expect(await ask('greedy', holder)).toBe(holder.jkt);
    expect(await ask('greedy', stranger)).toBe(stranger.jkt);
    await expect(ask('greedy', createHolder('Ed25519'))).rejects.toMatchObject({
      reason: 'proof_limit_reached',
    });
    expect(await ask('polite', holder)).toBe(holder.jkt);
  });

  it('tells the caller of a full part what to do', async () => {
    memory = new ProofMemory(undefined, 10);
    world = createWorld({ proofs: { memory } });
    expect(await send(await prove())).toBe('accepted');
    expect(await send(await prove())).toBe('proof_limit_reached');
  });
});

describe('a nonce', () => {
  const nonces = new ProofNonces(Buffer.alloc(32, 1));

  beforeEach(() => {
    world = createWorld({ proofs: { memory: new ProofMemory(nonces) } });
  });

  it.each([
    ['of this API', nonces.make(now), 'accepted'],
    ['of five minutes ago', nonces.make(now - 300), 'accepted'],
    ['that is older', nonces.make(now - 301), 'proof_nonce_missing'],
    ['of the future', nonces.make(now + 11), 'proof_nonce_missing'],
    ['of another key', new ProofNonces(Buffer.alloc(32, 2)).make(now), 'proof_nonce_missing'],
    ['that is cut', nonces.make(now).slice(0, -2), 'proof_nonce_missing'],
    ['that is longer', `${nonces.make(now)}AA`, 'proof_nonce_missing'],
    ['that is empty', '', 'proof_nonce_missing'],
    ['that is a number', 1, 'proof_nonce_missing'],
    ['that is missing', undefined, 'proof_nonce_missing'],
  ])('%s', async (_, nonce, outcome) => {
    expect(await send(await prove({ claims: { nonce } }))).toBe(outcome);
  });
});
