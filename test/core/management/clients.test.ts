import { describe, expect, it } from 'vitest';
import { maxSigningInputBytes } from '../../../contract/bounds.ts';
import { parseDeploymentConfig } from '../../../contract/deployment-config.ts';
import type { NewClient } from '../../../contract/management/inputs.ts';
import {
  ConflictError,
  InputError,
  NotFoundError,
  RefusedError,
  UnavailableError,
  UncertainConflictError,
} from '../../../core/errors.ts';
import { removeClient } from '../../../core/management/clients.ts';
import { longestSigningInput } from '../../../core/management/token-size.ts';
import { isEnabled } from '../../../core/stops.ts';
import { createTestManagement, testConfig } from '../../support/management.ts';
import {
  createClient,
  deleteClient,
  findClient,
  listClients,
  setClientEnabled,
  updateClient,
} from '../../support/operations.ts';

const input: NewClient = {
  name: 'Billing',
  serviceTrunkGroup: 'tg-1001',
  scopes: ['messaging:view'],
};

const registered = {
  issuer: 'https://idp.example.net',
  registrationId: 'idp_0000000000000000000001',
  discoveryUrl: 'https://idp.example.net/.well-known/openid-configuration',
  jwksUri: 'https://idp.example.net/keys',
  allowedAlgorithms: ['RS256'],
  registeredAt: 1_700_000_000,
};

describe('required claims of a client', () => {
  const environment = { claim: 'environment', values: ['production'] };

  async function underProvider() {
    const test = createTestManagement();
    test.providers.set(registered.issuer, registered);
    const { client } = await createClient(test.context, {
      ...input,
      provider: registered.issuer,
      externalClientId: 'app',
      requiredClaims: [environment],
    });
    return { ...test, client };
  }

  it('are replaced, removed, and kept by every other change', async () => {
    const { context, client } = await underProvider();
    const conditionsAfter = async (changes: Parameters<typeof updateClient>[2]) =>
      (await updateClient(context, client.clientId, changes)).provider?.conditions;
    expect(await conditionsAfter({ name: 'Other' })).toEqual([environment]);
    const ref = { claim: 'ref', values: ['main'] };
    expect(await conditionsAfter({ requiredClaims: [ref] })).toEqual([ref]);
    expect(await conditionsAfter({ requiredClaims: [] })).toBeUndefined();
  });

  it('are refused for a client that is under no provider', async () => {
    const { context } = createTestManagement();
    const { client } = await createClient(context, input);
    const changes = { requiredClaims: [environment] };
    await expect(updateClient(context, client.clientId, changes)).rejects.toThrow(
      'required_claims: received [{"claim":"environment","values":["production"]}]; allowed: nothing, as the client is under no provider',
    );
  });
});

describe('creating a client', () => {
  it('stores what was given, and defaults for the rest', async () => {
    const { context, clients } = createTestManagement();
    const { client, existed } = await createClient(context, {
      ...input,
      scopes: ['calls:view', 'messaging:view', 'calls:view'],
    });
    expect(existed).toBe(false);
    expect(client.clientId).toMatch(/^client_[0-9A-Za-z]{22}$/);
    expect(client).toEqual({
      clientId: client.clientId,
      name: 'Billing',
      serviceTrunkGroup: 'tg-1001',
      audiences: [],
      tokenLifetime: 3600,
      scopes: ['messaging:view', 'calls:view'],
      secrets: [],
      provider: undefined,
      version: expect.any(Number),
      createdAt: 1_800_000_000,
      updatedAt: 1_800_000_000,
    });
    expect([...clients.values()]).toEqual([client]);
  });

  it.each<[string, Partial<NewClient>, string]>([
    [
      'an empty name',
      { name: '  ' },
      'name: received "  "; allowed: 1 to 128 printable characters',
    ],
    ['a long name', { name: 'x'.repeat(129) }, 'allowed: 1 to 128 printable characters'],
    ['a name that moves the cursor', { name: 'a\u001b[2J' }, 'name: received'],
    ['a name that reads backwards', { name: 'a\u202Eb' }, 'name: received'],
    ['a name with an Arabic letter mark', { name: 'a\u061Cb' }, 'name: received'],
    ['a name on two lines', { name: 'a\u2028b' }, 'name: received'],
    [
      'a trunk group with a space',
      { serviceTrunkGroup: 'a b' },
      'service_trunk_group: received "a b"',
    ],
    ['an empty trunk group', { serviceTrunkGroup: '' }, 'service_trunk_group: received ""'],
    ['no scope', { scopes: [] }, 'scope: received nothing; allowed: one scope or more'],
    [
      'a misspelt scope',
      { scopes: ['mesaging:veiw'] },
      'scope: received "mesaging:veiw"; allowed: a scope of the catalogue; did you mean messaging:view?',
    ],
    [
      'an unknown scope',
      { scopes: ['zzzzzzzzzzzzzzzzz'] },
      'allowed: messaging:view, messaging:manage, calls:view',
    ],
    [
      '30 seconds',
      { tokenLifetime: 30 },
      'token_lifetime: received 30; allowed: 60 to 86400 seconds',
    ],
    [
      'two days',
      { tokenLifetime: 172_800 },
      'token_lifetime: received 172800; allowed: 60 to 86400',
    ],
    ['half a second', { tokenLifetime: 60.5 }, 'token_lifetime: received 60.5'],
    [
      'a relative audience',
      { audiences: ['/api'] },
      'audience: received "/api"; allowed: an absolute',
    ],
    ['an audience with fragment', { audiences: ['https://a.example/#b'] }, 'without fragment'],
    [
      'a long audience',
      { audiences: [`https://a.example/${'a'.repeat(250)}`] },
      'at most 256 characters',
    ],
    [
      '11 audiences',
      { audiences: Array.from({ length: 11 }, (_, i) => `https://a${i}.example`) },
      'audience: received 11; allowed: at most 10',
    ],
    ['only a provider', { provider: registered.issuer }, 'external_client_id: received nothing'],
    ['only an external id', { externalClientId: 'a' }, 'provider: received nothing'],
    ['a short idempotency key', { idempotencyKey: 'abc' }, 'idempotency_key: received "abc"'],
  ])('refuses %s, and stores nothing', async (_, change, message) => {
    const { context, clients, audit } = createTestManagement();
    const creating = createClient(context, { ...input, ...change });
    await expect(creating).rejects.toThrow(InputError);
    await expect(creating).rejects.toThrow(message);
    expect(clients.size).toBe(0);
    expect(audit).toEqual([]);
  });

  it('makes one client of two calls with one idempotency key', async () => {
    const { context, clients } = createTestManagement();
    const request = { ...input, idempotencyKey: '6f9619ff-8b86-d011' };
    const first = await createClient(context, request);
    const second = await createClient(context, request);
    expect(second).toEqual({ client: first.client, existed: true });
    expect(clients.size).toBe(1);
  });

  it('makes one client of two calls at once with one idempotency key', async () => {
    const { context, clients } = createTestManagement();
    const request = { ...input, idempotencyKey: '6f9619ff-8b86-d011' };
    const both = await Promise.all([
      createClient(context, request),
      createClient(context, request),
    ]);
    expect(both.filter(({ existed }) => existed)).toHaveLength(1);
    expect(clients.size).toBe(1);
  });

  it('lets no token of a deleted client be one of the client that its key creates again', async () => {
    const test = createTestManagement();
    const request = { ...input, idempotencyKey: '6f9619ff-8b86-d011' };
    const { client } = await createClient(test.context, request);
    await deleteClient(test.context, client.clientId);
    test.now += 60;
    const again = await createClient(test.context, request);
    expect(again.client.clientId).toBe(client.clientId);
    expect(again.client.tokensNotBefore).toBe(test.now - 1);
  });

  it('refuses an idempotency key that was used for another client', async () => {
    const { context } = createTestManagement();
    await createClient(context, { ...input, idempotencyKey: '6f9619ff-8b86-d011' });
    await expect(
      createClient(context, { ...input, name: 'Other', idempotencyKey: '6f9619ff-8b86-d011' }),
    ).rejects.toThrow('this idempotency key was used to create a client with other values');
  });
});

describe('a client under a provider', () => {
  const under = { ...input, provider: registered.issuer, externalClientId: 'erp' };

  it('gets an id of ours and keeps its own', async () => {
    const { context, providers } = createTestManagement();
    providers.set(registered.issuer, registered);
    const { client } = await createClient(context, under);
    expect(client.clientId).toMatch(/^client_[0-9A-Za-z]{22}$/);
    expect(client.provider).toEqual({
      issuer: registered.issuer,
      registrationId: registered.registrationId,
      externalClientId: 'erp',
    });
  });

  it('is refused if the provider is not registered', async () => {
    const { context } = createTestManagement();
    const creating = createClient(context, under);
    await expect(creating).rejects.toThrow(NotFoundError);
    await expect(creating).rejects.toThrow('there is no provider "https://idp.example.net"');
  });

  it('is refused a second time, naming the first', async () => {
    const { context, providers } = createTestManagement();
    providers.set(registered.issuer, registered);
    const { client } = await createClient(context, under);
    await expect(createClient(context, under)).rejects.toThrow(
      `the provider's client "erp" exists already: ${client.clientId}`,
    );
  });

  it('is not adopted by a provider that was deleted and registered again', async () => {
    const { context, providers } = createTestManagement();
    providers.set(registered.issuer, registered);
    await createClient(context, under);
    providers.set(registered.issuer, {
      ...registered,
      registrationId: 'idp_0000000000000000000002',
    });
    await expect(createClient(context, under)).rejects.toThrow(
      'left by an earlier registration of the provider; delete it first',
    );
  });
});

describe('changing a client', () => {
  it('changes what is given and nothing else', async () => {
    const test = createTestManagement();
    const { client } = await createClient(test.context, input);
    test.now += 60;
    const changed = await updateClient(test.context, client.clientId, {
      addScopes: ['calls:view'],
      tokenLifetime: 900,
    });
    expect(changed).toEqual({
      ...client,
      scopes: ['messaging:view', 'calls:view'],
      tokenLifetime: 900,
      version: client.version + 1,
      updatedAt: client.updatedAt + 60,
    });
    expect(await findClient(test.context, client.clientId)).toEqual(changed);
  });

  it('can take the audiences away, which leaves the default', async () => {
    const { context } = createTestManagement();
    const { client } = await createClient(context, { ...input, audiences: ['https://a.example'] });
    const changed = await updateClient(context, client.clientId, { audiences: [] });
    expect(changed.audiences).toEqual([]);
  });

  it('refuses to remove a scope that the client does not have', async () => {
    const { context } = createTestManagement();
    const { client } = await createClient(context, input);
    await expect(
      updateClient(context, client.clientId, { removeScopes: ['calls:view'] }),
    ).rejects.toThrow('the client does not have the scope "calls:view"; it has messaging:view');
  });

  it('refuses to remove the last scope', async () => {
    const { context } = createTestManagement();
    const { client } = await createClient(context, input);
    await expect(
      updateClient(context, client.clientId, { removeScopes: ['messaging:view'] }),
    ).rejects.toThrow('allowed: scopes of the client, but not all of them');
  });

  it('refuses the loser of a race, whose change is not half-made', async () => {
    const { context, clients } = createTestManagement();
    const { client } = await createClient(context, input);
    const results = await Promise.allSettled([
      updateClient(context, client.clientId, { name: 'A' }),
      updateClient(context, client.clientId, { tokenLifetime: 120 }),
    ]);
    const lost = results.filter((result) => result.status === 'rejected');
    expect(lost.map((result) => result.reason)).toEqual([expect.any(ConflictError)]);
    expect(clients.get(client.clientId)).toMatchObject({
      name: 'A',
      tokenLifetime: 3600,
      version: client.version + 1,
    });
  });

  it.each([
    ['client_zzz', InputError, 'client_id: received "client_zzz"; allowed: client_ and 22 letters'],
    ['client_0000000000000000000000', NotFoundError, 'there is no client "client_00000000000000'],
  ])('refuses the id %s', async (id, type, message) => {
    const { context } = createTestManagement();
    await expect(updateClient(context, id, { name: 'A' })).rejects.toThrow(type);
    await expect(updateClient(context, id, { name: 'A' })).rejects.toThrow(message);
  });

  it('disables and enables', async () => {
    const { context, audit } = createTestManagement();
    const { client } = await createClient(context, input);
    expect(isEnabled(await setClientEnabled(context, client.clientId, false))).toBe(false);
    expect((await setClientEnabled(context, client.clientId, false)).version).toBe(
      client.version + 1,
    );
    expect(isEnabled(await setClientEnabled(context, client.clientId, true))).toBe(true);
    expect(audit.filter(({ outcome }) => outcome === 'done').map(({ action }) => action)).toEqual([
      'client.create',
      'client.disable',
      'client.enable',
    ]);
  });

  it('deletes the version that was seen and no other', async () => {
    const { context, clients } = createTestManagement();
    const { client } = await createClient(context, input);
    await setClientEnabled(context, client.clientId, false);
    const stale = deleteClient(context, client.clientId, { ifVersion: client.version });
    await expect(stale).rejects.toThrow(ConflictError);
    await deleteClient(context, client.clientId, { ifVersion: client.version + 1 });
    expect(clients.size).toBe(0);
  });

  it('lists by name', async () => {
    const { context } = createTestManagement();
    for (const name of ['b', 'a', 'C']) await createClient(context, { ...input, name });
    expect((await listClients(context)).items.map(({ name }) => name)).toEqual(['a', 'b', 'C']);
  });
});

describe('the size of a token', () => {
  const scopes = Array.from({ length: 60 }, (_, index) => ({
    service: `service-with-a-name-${index}`,
    permission: 'permission-of-that-service',
    description: 'x',
  }));
  const config = parseDeploymentConfig({
    regions: { slc: { awsRegion: 'us-west-2' } },
    defaultAudience: 'https://api.example.com',
    scopes,
  });
  const names = scopes.map((scope) => `${scope.service}:${scope.permission}`);

  it.each([
    ['51 scopes', names.slice(0, 51), 'scope: received "51 scopes"; allowed: at most 50'],
    ['40 long scopes', names.slice(0, 40), 'bytes"; allowed: at most 1400 bytes together'],
  ])('is bounded for %s', async (_, some, message) => {
    const { context } = createTestManagement({ config });
    await expect(createClient(context, { ...input, scopes: some })).rejects.toThrow(message);
  });

  it('stays within limits for every client that can be created', async () => {
    const { context } = createTestManagement({ config });
    const { client } = await createClient(context, {
      name: 'x',
      serviceTrunkGroup: 't'.repeat(64),
      scopes: names.slice(0, 28),
      audiences: [`https://${'a'.repeat(248)}`],
    });
    expect(client.scopes.join(' ').length).toBeGreaterThan(1300);
    expect(longestSigningInput(client, config)).toBeLessThanOrEqual(maxSigningInputBytes);
  });

  it('is judged by the longest audience', async () => {
    const { context } = createTestManagement();
    const { client } = await createClient(context, input);
    const longer = { ...client, audiences: ['https://a.example', `https://${'a'.repeat(100)}`] };
    expect(longestSigningInput(longer, testConfig)).toBeGreaterThan(
      longestSigningInput(client, testConfig) + 100,
    );
  });
});

describe('the audit of a change', () => {
  it('holds the intent before the change and the outcome after it', async () => {
    const { context, audit } = createTestManagement();
    const { client } = await createClient(context, input);
    expect(audit).toEqual([
      {
        time: '2027-01-15T08:00:00.000Z',
        recordId: expect.stringMatching(/^[0-9A-Za-z]{22}-1-intended$/),
        actor: 'arn:aws:iam::123456789012:user/ada',
        action: 'client.create',
        subject: client.clientId,
        outcome: 'intended',
        before: undefined,
        after: expect.objectContaining({ client_id: client.clientId, scope: 'messaging:view' }),
      },
      expect.objectContaining({ outcome: 'done', subject: client.clientId }),
    ]);
    expect(audit[1]?.recordId.split('-')[0]).toBe(audit[0]?.recordId.split('-')[0]);
  });

  it('stands before everything: without it nothing is changed', async () => {
    const { context, clients } = createTestManagement({
      audit: { appendAudit: () => Promise.reject(new Error('no log')) },
    });
    await expect(createClient(context, input)).rejects.toThrow('no log');
    expect(clients.size).toBe(0);
  });

  it('says that a change failed', async () => {
    const test = createTestManagement();
    const { client } = await createClient(test.context, input);
    await setClientEnabled(test.context, client.clientId, false);
    await expect(removeClient(test.context, client)).rejects.toThrow(ConflictError);
    expect(test.audit.at(-1)).toMatchObject({ action: 'client.delete', outcome: 'failed' });
  });

  it.each([UnavailableError, UncertainConflictError])(
    'says nothing of the outcome after an %o: the change may be made',
    async (Uncertain) => {
      const { context, audit } = createTestManagement();
      const createNothing = () => Promise.reject(new Uncertain('no answer'));
      const unanswered = { ...context, clients: { ...context.clients, create: createNothing } };
      await expect(createClient(unanswered, input)).rejects.toThrow('no answer');
      expect(audit.map(({ outcome }) => outcome)).toEqual(['intended']);
    },
  );

  it('tells of an outcome that could not be written, and keeps the change', async () => {
    const gaps: unknown[] = [];
    const test = createTestManagement();
    const context = {
      ...test.context,
      audit: {
        appendAudit: (record: { outcome: string }) =>
          record.outcome === 'intended' ? Promise.resolve() : Promise.reject(new Error('no log')),
      },
      onAuditGap: (record: { outcome: string }) => gaps.push(record.outcome),
    };
    await createClient(context, input);
    expect(test.clients.size).toBe(1);
    expect(gaps).toEqual(['done']);
  });
});

it('tells a refusal from a wrong value', () => {
  expect(new NotFoundError('client', 'x')).toBeInstanceOf(RefusedError);
  expect(new InputError('x')).not.toBeInstanceOf(RefusedError);
});
