import { describe, expect, it } from 'vitest';
import type { NewClient } from '../../../../contract/management/inputs.ts';
import { InputError } from '../../../../core/errors.ts';
import type { ProviderChoices } from '../../../../core/management/providers/provider-choices.ts';
import { createTestKey } from '../../../../lab/support/test-issuer.ts';
import { createTestManagement } from '../../../support/management.ts';
import {
  createClient,
  listClients,
  registerProvider,
  updateClient,
} from '../../../support/operations.ts';

const { jwk } = createTestKey('RS256');
const okta = 'https://example.okta.com/oauth2/default';
const auth0 = 'https://example.us.auth0.com';
const keycloak = 'https://sso.example.com/realms/acme';
const entra = 'https://login.microsoftonline.com/72f988bf-0000-4000-8000-2d7cd011db47/v2.0';
const google = 'https://accounts.google.com';
const unknown = 'https://idp.example.net';

async function createWorld(issuer: string, choices: ProviderChoices = {}) {
  const test = createTestManagement();
  const url = `${issuer}/.well-known/openid-configuration`;
  test.documents.set(url, { issuer, jwks_uri: `${issuer}/jwks` });
  test.documents.set(`${issuer}/jwks`, { keys: [jwk] });
  await registerProvider(test.context, url, choices);
  const create = async (changes: Partial<NewClient> = {}) =>
    createClient(test.context, {
      name: 'ERP',
      serviceTrunkGroup: 'tg-1',
      scopes: ['calls:view'],
      provider: issuer,
      externalClientId: 'erp',
      ...changes,
    });
  return { ...test, create };
}

const is = (claim: string, ...values: string[]) => ({ claim, values });
const refusalOf = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

describe('a new client under a provider whose platform its issuer shows', () => {
  it.each([
    ['Okta, by cid', okta, { clientIdClaim: 'cid' }, [is('sub', 'erp')]],
    ['Okta, by the default', okta, {}, [is('sub', 'erp'), is('cid', 'erp')]],
    ['Auth0', auth0, {}, [is('sub', 'erp@clients')]],
    ['Keycloak', keycloak, {}, [is('client_id', 'erp')]],
    ['a client that sub names', keycloak, { clientIdClaim: 'sub' }, undefined],
    ['a client that a claim of its own names', auth0, { clientIdClaim: 'app' }, undefined],
    ['an unknown platform', unknown, {}, undefined],
    ['a host that only looks like one', 'https://okta.com.example.net', {}, undefined],
  ])('requires what only its own tokens have: %s', async (_, issuer, choices, conditions) => {
    const { create } = await createWorld(issuer, { ...choices, allowUserWritableClaim: true });
    const { client } = await create();
    expect(client.provider?.conditions).toEqual(conditions);
  });

  it('keeps the required claims that were given, and adds none for one that is a rule', async () => {
    const { create } = await createWorld(keycloak);
    const other = await create({ requiredClaims: [is('env', 'prod')] });
    expect(other.client.provider?.conditions).toEqual([is('env', 'prod'), is('client_id', 'erp')]);
    const own = await create({ externalClientId: 'old', requiredClaims: [is('clientId', 'old')] });
    expect(own.client.provider?.conditions).toEqual([is('clientId', 'old')]);
  });

  it('needs the value if it does not follow from the id, and stores nothing without it', async () => {
    const { create, clients } = await createWorld(entra);
    const refusal = await refusalOf(create({ requiredClaims: [is('tid', 't')] }));
    expect(refusal).toBeInstanceOf(InputError);
    expect(String(refusal)).toContain('received none of sub, oid, idtyp; allowed: sub=OBJECT_ID');
    expect(clients.size).toBe(0);
    const { client } = await create({ requiredClaims: [is('oid', 'principal')] });
    expect(client.provider?.conditions).toEqual([is('oid', 'principal')]);
  });

  // With a key file, azp is the address of the service account and sub its number.
  it.each([
    ['the address of a service account', 'erp@example-project.iam.gserviceaccount.com'],
    ['an OAuth client', '32553540559.apps.googleusercontent.com'],
  ])('needs the unique id of a service account at Google for %s', async (_, externalClientId) => {
    const { create } = await createWorld(google);
    const refusal = await refusalOf(create({ externalClientId }));
    expect(refusal).toBeInstanceOf(InputError);
    expect(String(refusal)).toContain('received none of sub; allowed: sub=UNIQUE_ID');
    const requiredClaims = [is('sub', '107517467455664443765')];
    const { client } = await create({ externalClientId, requiredClaims });
    expect(client.provider?.conditions).toEqual(requiredClaims);
  });

  it('is the unique id itself at Google, if that names the client', async () => {
    const { create } = await createWorld(google);
    const { client } = await create({ externalClientId: '107517467455664443765' });
    expect(client.provider?.conditions).toEqual([is('sub', '107517467455664443765')]);
  });

  it('is created without the rule if that is chosen', async () => {
    for (const issuer of [entra, auth0]) {
      const { create } = await createWorld(issuer);
      const { client } = await create({ allowUserTokens: true });
      expect(client.provider?.conditions).toBeUndefined();
    }
  });

  it('gets no more claims than a client may have', async () => {
    const { create } = await createWorld(auth0);
    const requiredClaims = Array.from({ length: 10 }, (_, index) => is(`c${index}`, 'v'));
    const refusal = await refusalOf(create({ requiredClaims }));
    expect(String(refusal)).toContain('at most 10 claims');
  });
});

describe('a client from before there were rules', () => {
  it.each([auth0, entra])('is found by a repeated creation as it is, under %s', async (issuer) => {
    const { create } = await createWorld(issuer);
    const before = await create({ allowUserTokens: true, idempotencyKey: 'a-key-of-21-letters-x' });
    const again = await create({ idempotencyKey: 'a-key-of-21-letters-x' });
    expect(again).toEqual({ client: before.client, existed: true });
  });

  it('is replaced in its required claims as given', async () => {
    const { context, create } = await createWorld(auth0);
    const { client } = await create({ allowUserTokens: true });
    const requiredClaims = [is('env', 'prod')];
    const next = await updateClient(context, client.clientId, { requiredClaims });
    expect(next.provider?.conditions).toEqual(requiredClaims);
  });
});

describe('a client with a rule', () => {
  it('is the same for a repeated creation', async () => {
    const { create } = await createWorld(auth0);
    const { client } = await create({ idempotencyKey: 'a-key-of-21-letters-x' });
    const again = await create({ idempotencyKey: 'a-key-of-21-letters-x' });
    expect(again).toEqual({ client, existed: true });
  });

  it('keeps it when other claims are replaced, and loses it only with all of them', async () => {
    const { context, create } = await createWorld(auth0);
    const { client } = await create();
    const update = (requiredClaims: ReturnType<typeof is>[]) =>
      updateClient(context, client.clientId, { requiredClaims });
    const next = await update([is('env', 'prod')]);
    expect(next.provider?.conditions).toEqual([is('env', 'prod'), is('sub', 'erp@clients')]);
    expect((await update([])).provider?.conditions).toBeUndefined();
  });
});

describe('the list of clients that allow tokens of people', () => {
  it.each([
    ['a known platform', auth0, {}, { allowUserTokens: true }, true],
    ['a known platform, with the rule', auth0, {}, {}, false],
    ['an unknown platform', unknown, {}, {}, true],
    ['an unknown platform, by sub', unknown, { clientIdClaim: 'sub' }, {}, false],
    ['an unknown platform, with sub', unknown, {}, { requiredClaims: [is('sub', 'x')] }, false],
    ['another required claim', unknown, {}, { requiredClaims: [is('env', 'x')] }, true],
  ])('names %s rightly', async (_, issuer, choices, input, allows) => {
    const { context, create } = await createWorld(issuer, choices);
    const { client } = await create(input);
    const own = { name: 'Own', serviceTrunkGroup: 'tg-1', scopes: ['calls:view'] };
    await createClient(context, own);
    const ids = async (allowsUserTokens: boolean) =>
      (await listClients(context, { allowsUserTokens })).items.map(({ clientId }) => clientId);
    expect((await ids(true)).includes(client.clientId)).toBe(allows);
    expect((await ids(false)).includes(client.clientId)).toBe(!allows);
    expect(await ids(true)).toHaveLength(allows ? 1 : 0);
  });
});
