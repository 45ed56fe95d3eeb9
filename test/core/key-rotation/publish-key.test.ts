import { describe, expect, it } from 'vitest';
import { ConflictError, SigningKeyUnusableError } from '../../../core/errors.ts';
import { publishKey } from '../../../core/key-rotation/publish-key.ts';
import type { KeyIntent } from '../../../core/key-rotation/rotation-ports.ts';
import type { SigningKey } from '../../../core/signing-key/signing-key.ts';
import { MemoryKms, modelCustody } from '../../../lab/suites/rotation/simulation/memory-kms.ts';
import { keyIntent } from '../../support/rotation-keys.ts';

const settings = { ...modelCustody, regionId: 'slc', leeway: 5 } as const;
const lease = 30;

/** Asks for the publication of an intent's key, as its run noted it. */
async function ask(
  more: Partial<KeyIntent> = {},
  { now = 10, asked = {}, conflict = false }: Surroundings = {},
) {
  const kms = new MemoryKms('slc', () => 0, { made: 0 });
  const kmsKeyArn = await kms.createKey({ intentId: 'intent', alg: 'ES256' });
  const intent = keyIntent({ kmsKeyArn, version: 3, leaseUntil: lease, ...more });
  const published: SigningKey[] = [];
  const store = {
    listKeyIntents: async () => [intent],
    createSigningKey: async (key: SigningKey) => {
      if (conflict) throw new ConflictError('it is recorded');
      published.push(key);
    },
  };
  const ports = { store, inspectKey: kms.inspectKey, now: () => now };
  const result = await publishKey({ slot: intent.slot, version: 3, ...asked }, settings, ports);
  return { result, published, kmsKeyArn };
}

interface Surroundings {
  readonly now?: number;
  readonly asked?: { readonly slot?: 'first' | 'dfw'; readonly version?: number };
  readonly conflict?: boolean;
}

describe('the publication of a key', () => {
  it('takes the public key from KMS and not from the intent', async () => {
    const jwk = { kty: 'EC', crv: 'P-256', x: 'of an attacker', y: 'y' } as const;
    const publicJwk = { ...jwk, kid: 'of an attacker', alg: 'ES256', use: 'sig' } as const;
    const { published, kmsKeyArn } = await ask({ publicJwk });
    expect(published).toEqual([
      {
        kid: 'GEiuRjUObbj1yPy49SzyjbvpVTz-4RcddfJqsjBTpFY',
        publicJwk: expect.objectContaining({ kid: 'GEiuRjUObbj1yPy49SzyjbvpVTz-4RcddfJqsjBTpFY' }),
        regionId: 'slc',
        alg: 'ES256',
        kmsKeyArn,
        state: 'next',
        publishedAt: 10,
        version: 1,
      },
    ]);
  });

  it('lets only the very first key of the issuer sign at once', async () => {
    const { published } = await ask({ slot: 'first' });
    expect(published).toMatchObject([{ state: 'current', activatedAt: 10 }]);
  });

  it('may be asked for twice', async () => {
    expect((await ask({}, { conflict: true })).result).toEqual({ faults: [] });
  });

  it('says what is wrong with a key, which it does not publish', async () => {
    const { result, published } = await ask({ alg: 'RS256' });
    expect(result.faults).toEqual(['KeySpec: received ECC_NIST_P256; allowed: RSA_2048']);
    expect(published).toEqual([]);
  });

  it.each<[what: string, Partial<KeyIntent>, Surroundings['asked']]>([
    ['has changed since', {}, { version: 2 }],
    ['does not exist', {}, { slot: 'dfw' }],
    ['is of another region', { regionId: 'dfw' }, {}],
    ['is closed', { closed: true }, {}],
    ['has no key', { kmsKeyArn: undefined }, {}],
  ])('waits if the intent %s', async (_, more, asked = {}) => {
    await expect(ask(more, { asked })).rejects.toThrow('has changed since it was read');
  });

  it('ends with the lease, by clocks that may differ by L', async () => {
    expect((await ask({}, { now: lease + 4 })).published).toHaveLength(1);
    await expect(ask({}, { now: lease + 5 })).rejects.toThrow('the lease of slc is over');
  });

  it('waits for a key that KMS does not know yet', async () => {
    await expect(ask({ kmsKeyArn: 'arn:aws:kms:x' })).rejects.toThrow(SigningKeyUnusableError);
  });
});
