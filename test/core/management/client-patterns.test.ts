import { describe, expect, it } from 'vitest';
import type { NewClient } from '../../../contract/management/inputs.ts';
import { InputError, RefusedError } from '../../../core/errors.ts';
import { createTestKey } from '../../../lab/support/test-issuer.ts';
import { createTestManagement } from '../../support/management.ts';
import { createClient, registerProvider } from '../../support/operations.ts';

const issuer = 'https://token.ci.example';
const url = `${issuer}/.well-known/openid-configuration`;
const pattern = 'repo:acme/app:ref:refs/heads/*';
const { jwk } = createTestKey('RS256');

async function createWorld(allowClientPatterns: boolean | undefined = true) {
  const test = createTestManagement();
  test.documents.set(url, { issuer, jwks_uri: `${issuer}/jwks` });
  test.documents.set(`${issuer}/jwks`, { keys: [jwk] });
  await registerProvider(test.context, url, { allowClientPatterns });
  const create = (changes: Partial<NewClient>) =>
    createClient(test.context, {
      name: 'CI',
      serviceTrunkGroup: 'tg-1',
      scopes: ['calls:view'],
      provider: issuer,
      externalClientId: pattern,
      ...changes,
    });
  return { ...test, create };
}

const refusalOf = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

describe('creating a client whose id is a pattern', () => {
  it('keeps the pattern and the claims, and tells the audit', async () => {
    const { create, audit } = await createWorld();
    const requiredClaims = [{ claim: 'repository_id', values: ['1', '1', '2'] }];
    const { client } = await create({ requiredClaims });
    const conditions = [{ claim: 'repository_id', values: ['1', '2'] }];
    expect(client.provider).toMatchObject({ externalClientId: pattern, conditions });
    expect(audit.at(-1)?.after).toMatchObject({
      external_client_id: pattern,
      required_claims: conditions,
    });
  });

  it('exists once', async () => {
    const { create } = await createWorld();
    await create({});
    const again = await refusalOf(create({ requiredClaims: [{ claim: 'a', values: ['b'] }] }));
    expect(String(again)).toContain('exists already');
  });

  it('needs a provider that was registered with patterns', async () => {
    for (const allowed of [false, undefined]) {
      const { create, clients } = await createWorld(allowed ?? false);
      const refusal = await refusalOf(create({}));
      expect(refusal).toBeInstanceOf(RefusedError);
      expect(String(refusal)).toContain('registered without patterns');
      expect(clients.size).toBe(0);
    }
  });

  it.each(['repo:*', 'repo:acme/*', '*', 'repo:*:x:y'])('refuses %j', async (externalClientId) => {
    const { create, clients } = await createWorld();
    const refusal = await refusalOf(create({ externalClientId }));
    expect(refusal).toMatchObject({ name: 'InputError', field: 'externalClientId' });
    expect(clients.size).toBe(0);
  });

  it.each<[string, unknown, string]>([
    ['no list', 'a=b', 'requiredClaims'],
    ['an unknown member', [{ claim: 'a', value: 'b' }], 'requiredClaims[0].value'],
    ['no name', [{ claim: '', values: ['b'] }], 'requiredClaims[0].claim'],
    ['a broken pointer', [{ claim: '/a~2', values: ['b'] }], 'requiredClaims[0].claim'],
    ['no value', [{ claim: 'a', values: [] }], 'requiredClaims[0].values'],
    ['an empty value', [{ claim: 'a', values: [''] }], 'requiredClaims[0].values'],
    ['a value with a line feed', [{ claim: 'a', values: ['b\n'] }], 'requiredClaims[0].values'],
    [
      'one claim twice',
      [
        { claim: 'a', values: ['b'] },
        { claim: 'a', values: ['c'] },
      ],
      'requiredClaims',
    ],
    [
      '11 claims',
      Array.from({ length: 11 }, (_, index) => ({ claim: `c${index}`, values: ['b'] })),
      'requiredClaims',
    ],
    [
      '11 values',
      [{ claim: 'a', values: Array.from({ length: 11 }, (_, index) => `v${index}`) }],
      'requiredClaims[0].values',
    ],
  ])('refuses required claims that are %s', async (_, requiredClaims, field) => {
    const { create, clients } = await createWorld();
    const refusal = await refusalOf(create({ requiredClaims: requiredClaims as [] }));
    expect(refusal).toBeInstanceOf(InputError);
    expect(refusal).toMatchObject({ field });
    expect(clients.size).toBe(0);
  });

  it('refuses required claims of a client of this service', async () => {
    const { context } = await createWorld();
    const own = {
      name: 'Own',
      serviceTrunkGroup: 'tg-1',
      scopes: ['calls:view'],
      requiredClaims: [{ claim: 'a', values: ['b'] }],
    };
    expect(await refusalOf(createClient(context, own))).toMatchObject({ field: 'provider' });
  });
});
