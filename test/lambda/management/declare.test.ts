import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { clientCommands } from '../../../cli/commands/client.ts';
import { UnavailableError } from '../../../core/errors.ts';
import { formatTime } from '../../../core/time.ts';
import { noText } from '../../support/hostile-proofs.ts';
import {
  account,
  declareWorld,
  eventOf,
  grantSubject,
  publicKey,
  rsaKey,
  stackId,
} from './declare-world.ts';

const keyClient = (more: object = {}) => ({
  ServiceToken: 'arn:aws:lambda:us-west-2:000000000000:function:auth-management:stack-111122223333',
  name: 'Billing',
  serviceTrunkGroup: 'tg-1001',
  scopes: ['messaging:view'],
  tokenLifetime: '900',
  publicKeys: [publicKey()],
  ...more,
});

type World = Awaited<ReturnType<typeof declareWorld>>;

const workload = ({ world }: World, id = 'erp', more: object = {}) => {
  grantSubject(world, world.issuer, { erp: ['tg-1001'], crm: ['tg-1001'], other: ['tg-2002'] });
  const { publicKeys: _, ...rest } = keyClient();
  return { ...rest, provider: world.issuer, externalClientId: id, ...more };
};

const stopsOf = ({ world }: World, id: string) => Object.keys(world.clients.get(id)?.stops ?? {});

/** A resource as CloudFormation keeps it: it knows what was answered, and deletes what it replaced. */
function resourceOf({ send }: World, more: object = {}) {
  let id: string | undefined;
  let properties: object = {};
  /** In a rollback, what was refused. */
  let last: object = {};
  const ask = (RequestType: string, given: object, PhysicalResourceId = id) => {
    const OldResourceProperties = RequestType === 'Update' ? last : undefined;
    const event = { RequestType, PhysicalResourceId, OldResourceProperties, ...more };
    if (RequestType !== 'Delete') last = given;
    return send(eventOf({ ResourceProperties: given, ...event }));
  };
  const change = async (given: object) => {
    const [before, old] = [id, properties];
    const answer = await ask(before === undefined ? 'Create' : 'Update', given);
    if (answer.Status === 'SUCCESS') {
      id = answer.PhysicalResourceId;
      properties = given;
    }
    return { answer, before, old };
  };
  return {
    id: () => id ?? '',
    /** An update that succeeds, and the clean-up of what it replaced. */
    async put(given: object) {
      const { answer, before, old } = await change(given);
      if (before !== undefined && before !== id) await ask('Delete', old, before);
      return answer;
    },
    /** An update after which another resource of the stack fails. */
    async rollBack(given: object) {
      const { old, answer } = await change(given);
      const failed = id;
      await change(old);
      if (failed !== id) await ask('Delete', given, failed);
      return answer;
    },
    async remove() {
      const answer = await ask('Delete', properties);
      id = undefined;
      return answer;
    },
  };
}

/** A client that a stack has declared. */
async function declared(given: object = keyClient()) {
  const test = await declareWorld();
  const resource = resourceOf(test);
  await resource.put(given);
  const { clients, management } = test.world;
  return { test, clients, management, resource, id: resource.id() };
}

describe.each(['a key', 'a workload'])('a client as a resource, authenticated by %s', (kind) => {
  const propertiesOf = (test: World, more: object = {}) =>
    kind === 'a key' ? keyClient(more) : workload(test, 'erp', more);

  it('is declared, renamed, rolled back, deleted and restored with one id', async () => {
    const test = await declareWorld();
    const { clients } = test.world;
    const first = propertiesOf(test);
    const resource = resourceOf(test);
    expect(await resource.put(first)).toMatchObject({
      Status: 'SUCCESS',
      PhysicalResourceId: expect.stringMatching(/^client_[0-9A-Za-z]{22}$/),
    });
    const id = resource.id();
    expect(clients.get(id)).toMatchObject({
      name: 'Billing',
      serviceTrunkGroup: 'tg-1001',
      tokenLifetime: 900,
      declared: { stackId: stackId(), logicalId: 'Billing' },
    });
    expect(clients.get(id)?.secrets).toHaveLength(kind === 'a key' ? 1 : 0);
    expect(stopsOf(test, id)).toEqual([]);
    const { tokenLifetime: _, ...removed } = first;
    await resource.put(removed);
    expect(clients.get(id)?.tokenLifetime).toBe(3600);
    await resource.put({ ...first, name: 'Billing EU', scopes: ['messaging:view', 'calls:view'] });
    expect(clients.get(id)).toMatchObject({ name: 'Billing EU' });
    const before = clients.get(id);
    await resource.rollBack({ ...first, name: 'Broken', serviceTrunkGroup: 'tg-1001' });
    expect(clients.get(id)).toMatchObject({
      name: 'Billing EU',
      scopes: before?.scopes,
      secrets: before?.secrets,
    });
    expect(stopsOf(test, id)).toEqual([]);
    await resource.remove();
    expect(clients.get(id)).toMatchObject({
      stops: { stack: { at: test.world.now, by: stackId() } },
      declared: { undeclaredAt: test.world.now },
    });
    await resource.put(first);
    expect(resource.id()).toBe(id);
    expect(clients.get(id)).toMatchObject({ name: 'Billing' });
    expect(stopsOf(test, id)).toEqual([]);
    expect(clients.get(id)?.declared).not.toHaveProperty('undeclaredAt');
    // The other one is of the world.
    expect(clients.size).toBe(2);
    expect(new Set(test.world.audit.slice(-4).map(({ actor }) => actor))).toEqual(
      new Set([stackId()]),
    );
  });

  it('ends with what an event says that is sent again, or whose answer was lost', async () => {
    const test = await declareWorld();
    const event = eventOf({ ResourceProperties: propertiesOf(test) });
    test.loseAnswers(3);
    await expect(test.send(event)).rejects.toThrow('status 500');
    const { PhysicalResourceId: id } = await test.send(event);
    const stored = JSON.stringify(test.world.clients.get(id));
    await test.send(event);
    expect(JSON.stringify(test.world.clients.get(id))).toBe(stored);
    expect(test.world.clients.size).toBe(2);
    const physical = {
      PhysicalResourceId: 'erp-Billing-ABC',
      ResourceProperties: propertiesOf(test),
    };
    const deletion = eventOf({ RequestType: 'Delete', ...physical });
    for (let time = 0; time < 2; time += 1) {
      expect(await test.send(deletion)).toMatchObject({ Status: 'SUCCESS' });
    }
    expect(stopsOf(test, id)).toEqual(['stack']);
    const late = await test.send(event);
    expect([late.Status, late.Reason]).toEqual([
      'FAILED',
      'this event was answered, and a later one after it',
    ]);
    expect(stopsOf(test, id)).toEqual(['stack']);
  });
});

it('replaces a workload by another id, and a rollback brings back the first', async () => {
  const test = await declareWorld();
  const { clients } = test.world;
  const resource = resourceOf(test);
  await resource.put(workload(test, 'erp', { allowUserTokens: 'true', allowOtherGrant: 'false' }));
  const first = resource.id();
  await resource.rollBack(workload(test, 'crm'));
  expect(resource.id()).toBe(first);
  expect([...clients.keys()].map((id) => stopsOf(test, id))).toEqual([[], [], ['stack']]);
  await resource.put(workload(test, 'crm'));
  expect(clients.get(first)).toMatchObject({ declared: { undeclaredAt: 1_800_000_000 } });
  expect([first, resource.id()].map((id) => stopsOf(test, id))).toEqual([['stack'], []]);
});

it('has exactly the declared keys, and the secrets that people give it', async () => {
  const [one, two] = [publicKey(), publicKey()];
  const { clients, management, resource, id } = await declared(keyClient({ publicKeys: [one] }));
  const first = clients.get(id)?.secrets[0];
  await management.createClientSecret(id, {});
  await resource.put(keyClient({ publicKeys: [two, one, two] }));
  expect(clients.get(id)?.secrets[0]).toEqual(first);
  expect(clients.get(id)?.secrets.map(({ hash }) => hash === undefined)).toEqual([
    true,
    false,
    true,
  ]);
  await resource.put(keyClient({ publicKeys: [two] }));
  expect(clients.get(id)?.secrets).toHaveLength(2);
  const { publicKeys: _, ...without } = keyClient();
  await resource.put(without);
  expect(clients.get(id)?.secrets).toHaveLength(2);
});

it('leaves nothing behind if its key is refused after the creation', async () => {
  const test = await declareWorld();
  const limits = { serviceTrunkGroup: 'tg-1001', maxSecretLifetime: 60, version: 1 };
  test.world.limits.set('tg-1001', limits);
  const answer = await test.send(eventOf({ ResourceProperties: keyClient() }));
  expect(answer.Reason).toContain('expiresAt: received');
  expect(test.world.clients.size).toBe(1);
});

describe('what a person decided', () => {
  it('stays: a stack neither enables a client nor is overruled by others', async () => {
    const { test, clients, management, resource, id } = await declared();
    await management.setClientEnabled(id, false);
    await resource.put(keyClient({ name: 'Again' }));
    expect(clients.get(id)).toMatchObject({ name: 'Again' });
    expect(stopsOf(test, id)).toEqual(['person']);
    await resource.remove();
    expect(stopsOf(test, id)).toEqual(['person', 'stack']);
    // The stack's stop is not a person's to lift.
    expect(await management.setClientEnabled(id, true)).toMatchObject({ enabled: false });
    await expect(management.setClientEnabled(id, true)).rejects.toThrow(
      `${id} stays disabled: stopped by its stack (${stackId()}) at ${formatTime(test.world.now)}; ends if the stack declares it again, or a person takes its client over`,
    );
    for (let time = 0; time < 2; time += 1) await management.setClientEnabled(id, false);
    expect(test.world.audit.filter(({ action }) => action === 'client.disable')).toHaveLength(6);
    await resource.put(keyClient());
    expect(stopsOf(test, id)).toEqual(['person']);
    await management.setClientEnabled(id, true);
    await management.revokeClientTokens(id);
    const secretId = clients.get(id)?.secrets[0]?.secretId ?? '';
    await management.disableClientSecret(id, secretId);
    const { secret } = await management.createClientSecret(id, {});
    await management.deleteClientSecret(id, secret.secretId);
    const refused = `${id} is declared by Billing in the stack erp (us-west-2, account 111122223333): change it there, or take it over (take_over). It can be disabled, and its tokens revoked, here`;
    for (const change of [
      management.updateClient(id, { name: 'Mine' }),
      management.updateClient(id, { scopes: ['calls:view'] }),
      management.deleteClient(id),
      management.createClientSecret(id, { publicKey: publicKey() }),
      management.deleteClientSecret(id, secretId),
      management.updateClientSecret(id, secretId, { expiresAt: test.world.now + 60 }),
      management.rotateClientSecret(id, { publicKey: publicKey(), overlap: 60 }),
    ]) {
      await expect(change).rejects.toThrow(refused);
    }
  });

  it('stays if a key is replaced, and the stack rolls back', async () => {
    const [one, two] = [publicKey(), publicKey()];
    const { clients, management, resource, id } = await declared(keyClient({ publicKeys: [one] }));
    const stops = () =>
      clients.get(id)?.secrets.map((secret) => Object.keys(secret.stops ?? {}).join('+'));
    const secretId = clients.get(id)?.secrets[0]?.secretId ?? '';
    await management.disableClientSecret(id, secretId);
    await resource.rollBack(keyClient({ publicKeys: [two] }));
    expect(stops()).toEqual(['person']);
    await resource.put(keyClient({ publicKeys: [two] }));
    await resource.rollBack(keyClient({ publicKeys: ['none'] }));
    // Not at any later update does it work again, whether it is declared then or not.
    expect(stops()).toEqual(['person+stack', '']);
    await resource.put(keyClient({ publicKeys: [one] }));
    expect(stops()).toEqual(['person']);
    await resource.put(keyClient({ publicKeys: [two] }));
    await management.deleteClientSecret(id, secretId);
    expect(stops()).toEqual(['']);
  });

  it('is not undone by an algorithm: a declared key keeps its own', async () => {
    const key = rsaKey();
    const publicKeys = [JSON.stringify({ ...key, alg: 'PS256' })];
    const { clients, resource, id } = await declared(keyClient({ publicKeys }));
    const [secret] = clients.get(id)?.secrets ?? [];
    const other = keyClient({ publicKeys: [JSON.stringify({ ...key, alg: 'RS256' })] });
    expect(await resource.put(other)).toMatchObject({
      Status: 'FAILED',
      Reason: `publicKeys: ${secret?.secretId} is this key for PS256, not RS256; declare another key`,
    });
  });

  it('is that a client is its own again, which the stack is told', async () => {
    const { test, clients, management, resource, id } = await declared();
    await management.updateClient(id, { takeOver: true, name: 'Mine' });
    expect(clients.get(id)).toMatchObject({
      name: 'Mine',
      declared: { takenOverAt: test.world.now },
    });
    const taken = `${id} was taken over from this resource at ${formatTime(test.world.now)}; a resource with another logical ID can adopt it (adoptClientId: ${id})`;
    for (const more of [{ name: 'Theirs' }, { adoptClientId: id }]) {
      expect((await resource.put(keyClient(more))).Reason).toBe(taken);
    }
    await resource.remove();
    expect(stopsOf(test, id)).toEqual([]);
    const { Reason } = await resource.put(keyClient({ name: 'Theirs' }));
    expect(Reason).toBe(
      `${id} exists already, and no stack declares it; adoptClientId: ${id} makes it this resource`,
    );
    expect((await management.listClients({ undeclaredFor: 0 })).items).toEqual([]);
    await resource.put(keyClient({ adoptClientId: id, name: 'Theirs' }));
    expect(clients.get(id)).toMatchObject({ name: 'Theirs', declared: { logicalId: 'Billing' } });
    expect(clients.get(id)?.declared).not.toHaveProperty('takenOverAt');

    await management.setClientEnabled(id, false);
    await management.updateClient(id, { takeOver: true });
    await management.deleteClient(id);
    expect(await resource.put(keyClient())).toMatchObject({ PhysicalResourceId: id });
    expect(stopsOf(test, id)).toEqual([]);
  });

  it('finds what is declared, and deletes what is not any more', async () => {
    const { test, management, resource, id } = await declared();
    const idsOf = async (filter: object) =>
      (await management.listClients(filter)).items.map(({ clientId }) => clientId);
    expect(await idsOf({ declared: true })).toEqual([id]);
    await resource.remove();
    expect(await idsOf({ declared: true })).toEqual([]);
    test.world.now += 100;
    expect(await idsOf({ undeclaredFor: 101 })).toEqual([]);
    expect(await idsOf({ undeclaredFor: 100 })).toEqual([id]);
    const command = clientCommands.commands.find(({ name }) => name === 'delete-undeclared');
    const [confirm, print] = [async () => undefined, () => undefined];
    const deleteUndeclared = () => {
      const cli = { management, confirm, output: { print } };
      return command?.run(cli as never, [] as never, { olderThan: '1m' } as never);
    };
    await management.setClientEnabled(id, false);
    await deleteUndeclared();
    // A person stopped it: declared again, it stays stopped.
    await resource.put(keyClient());
    expect(resource.id()).toBe(id);
    expect(stopsOf(test, id)).toEqual(['person']);
    await management.setClientEnabled(id, true);
    const { secretId = '' } = test.world.clients.get(id)?.secrets[0] ?? {};
    await management.disableClientSecret(id, secretId);
    await resource.remove();
    test.world.now += 100;
    await deleteUndeclared();
    // And so does a key.
    await management.enableClientSecret(id, secretId);
    await deleteUndeclared();
    await expect(management.findClient(id)).rejects.toThrow('there is no client');
    await resource.put(keyClient());
    expect(resource.id()).toBe(id);
  });
});

describe('a client that exists', () => {
  it('has no key of a refused adoption, also if another change came in between', async () => {
    let writes = 0;
    const test = await declareWorld(({ clients }) => {
      const replace: typeof clients.replace = async (next) => {
        writes += 1;
        const { management } = test.world;
        if (writes === 2) await management.updateClient(test.world.clientId, { name: 'Renamed' });
        await clients.replace(next);
      };
      return { clients: { ...clients, replace } };
    });
    const { world } = test;
    await world.management.setTrunkGroupLimits('tg-1001', { maxTokenLifetime: 3600 });
    const more = { adoptClientId: world.clientId, tokenLifetime: '7200' };
    const answer = await test.send(eventOf({ ResourceProperties: keyClient(more) }));
    expect(answer.Reason).toContain('tokenLifetime: received 7200');
    expect(world.clients.get(world.clientId)).toMatchObject({ secrets: [{}], name: 'Renamed' });
  });

  it('knows its events for half an hour, and no more of them than it can', async () => {
    const test = await declareWorld();
    const creation = eventOf({ ResourceProperties: keyClient() });
    await test.send(creation);
    const rename = (name: string) =>
      test.send(eventOf({ RequestType: 'Update', ResourceProperties: keyClient({ name }) }));
    for (let count = 1; count < 50; count += 1) await rename(`Name ${count}`);
    expect((await test.send(creation)).Reason).toBe(
      'this event was answered, and a later one after it',
    );
    expect((await rename('Last')).Reason).toContain('had 50 events in half an hour');
    const [, id = ''] = [...test.world.clients.keys()];
    const deletion = eventOf({ RequestType: 'Delete', PhysicalResourceId: id });
    expect((await test.send(deletion)).Status).toBe('SUCCESS');
    expect(stopsOf(test, id)).toEqual(['stack']);
    test.world.now += 1801;
    expect((await rename('Last')).Status).toBe('SUCCESS');
    expect(test.world.clients.get(id)?.declared?.events).toHaveLength(1);
  });

  it.each([undefined, '7abcdefghijklmnopqrstuvwxy'])(
    'is adopted without a new id, if the property names it: %s',
    async (imported) => {
      const test = await declareWorld();
      const { clients } = test.world;
      const clientId = imported ?? test.world.clientId;
      const client = clients.get(test.world.clientId) ?? expect.fail();
      clients.set(clientId, { ...client, clientId });
      const resource = resourceOf(test);
      const { publicKeys: _, ...plain } = keyClient();
      await resource.put({ ...plain, adoptClientId: clientId });
      expect(resource.id()).toBe(clientId);
      expect(clients.get(clientId)).toMatchObject({
        tokenLifetime: 900,
        declared: { logicalId: 'Billing' },
      });
      expect(clients.get(clientId)?.secrets).toHaveLength(1);
      const other = await test.send(
        eventOf({
          LogicalResourceId: 'Second',
          StackId: stackId('erp-eu'),
          ResourceProperties: { ...plain, adoptClientId: clientId },
        }),
      );
      expect(other.Reason).toBe(
        `${clientId} is declared by Billing in the stack erp (us-west-2, account 111122223333); take it over first (authctl client update ${clientId} --take-over), and it works on; adoptClientId: ${clientId} then makes it this resource`,
      );
      const foreign = await test.send(
        eventOf({ ResourceProperties: workload(test, 'erp', { adoptClientId: clientId }) }),
      );
      expect(foreign.Reason).toBe(
        `adopt_client_id: received ${clientId} of tg-1001; allowed: a client of tg-1001 ${test.world.issuer} erp`,
      );
      // A resource that was renamed in its template.
      await test.send(
        eventOf({
          LogicalResourceId: 'Renamed',
          ResourceProperties: { ...plain, adoptClientId: clientId },
        }),
      );
      await resource.remove();
      expect(clients.get(clientId)).toMatchObject({ declared: { logicalId: 'Renamed' } });
      expect(stopsOf(test, clientId)).toEqual([]);
    },
  );

  it.each([
    ['too long', {}, { maxSecretLifetime: 60 }, 'expiresAt: received'],
    ['no key', { publicKeys: [publicKey(), 'none'] }, {}, 'publicKey: nothing was stored'],
    ['for a scope too many', { scopes: ['calls:view'] }, { scopes: [] }, 'scopes: received'],
  ])('is as it was if a key of the stack is %s', async (_, more, limits, reason) => {
    const test = await declareWorld();
    const { clients, clientId } = test.world;
    test.world.limits.set('tg-1001', { serviceTrunkGroup: 'tg-1001', ...limits, version: 1 });
    const before = { ...clients.get(clientId), version: expect.any(Number) as number };
    const ResourceProperties = keyClient({ adoptClientId: clientId, ...more });
    const { PhysicalResourceId, Reason } = await test.send(eventOf({ ResourceProperties }));
    expect(Reason).toContain(reason);
    const rollback = { RequestType: 'Delete', PhysicalResourceId, ResourceProperties };
    await test.send(eventOf(rollback));
    expect(clients.get(clientId)).toEqual(before);
  });

  it('is the same for a stack of the same name, and a late event of the old one is nothing', async () => {
    const test = await declareWorld();
    const { clients } = test.world;
    const old = resourceOf(test, { StackId: stackId('erp', 'life-1') });
    const next = resourceOf(test, { StackId: stackId('erp', 'life-2') });
    const creation = eventOf({ ResourceProperties: keyClient() });
    await test.send(creation);
    await old.put(keyClient());
    await next.put(keyClient({ name: 'Next' }));
    expect(next.id()).toBe(old.id());
    await old.remove();
    expect((await test.send(creation)).Status).toBe('FAILED');
    expect(clients.get(next.id())).toMatchObject({ name: 'Next' });
    expect(stopsOf(test, next.id())).toEqual([]);
  });

  it('of another stack is not declared twice', async () => {
    const test = await declareWorld();
    const first = resourceOf(test);
    await first.put(workload(test));
    const second = resourceOf(test, { StackId: stackId('erp-eu') });
    expect((await second.put(workload(test))).Reason).toContain(
      'is declared by Billing in the stack erp (us-west-2, account 111122223333)',
    );
    await first.remove();
    expect((await second.put(workload(test))).Status).toBe('FAILED');
    const adoptClientId = first.id() || [...test.world.clients.keys()][1];
    expect((await second.put(workload(test, 'erp', { adoptClientId }))).Status).toBe('SUCCESS');
  });
});

const bad: readonly (readonly [what: string, properties: object, reason: string])[] = [
  [
    'a time in which an event is not sent again',
    { ServiceTimeout: '60' },
    'ServiceTimeout: received "60"; allowed: 600 seconds or more, in which an event is sent again',
  ],
  [
    'the trunk group of another account',
    { serviceTrunkGroup: 'tg-2002' },
    'serviceTrunkGroup: received "tg-2002"; allowed: tg-1001',
  ],
  [
    'a scope that does not exist',
    { scopes: ['x:y'] },
    'scopes: received "x:y"; allowed: messaging:view, messaging:manage, calls:view',
  ],
  [
    'a lifetime that is too long',
    { tokenLifetime: '999999' },
    'tokenLifetime: received 999999; allowed: 60 to 86400 seconds',
  ],
  [
    'a lifetime that is no number',
    { tokenLifetime: 'soon' },
    'tokenLifetime: received "soon"; allowed: 60 to 86400 seconds',
  ],
  [
    'an unknown property',
    { secret: 'x' },
    expect.stringMatching(
      /^secret: unknown property; allowed: name, (\w+, )+publicKeys, adoptClientId$/,
    ) as string,
  ],
  ...([noText, JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)) as unknown] as const).flatMap(
    (value) => [
      [
        'a lifetime that is no text',
        { tokenLifetime: value },
        expect.stringMatching(/^tokenLifetime: received .*; allowed: 60 to/) as string,
      ] as const,
      [
        'a time that is no text',
        { ServiceTimeout: value },
        expect.stringMatching(/^ServiceTimeout: received .*; allowed: 600 seconds/) as string,
      ] as const,
    ],
  ),
  [
    'a huge name',
    { name: 'x'.repeat(100_000) },
    `name: received "${'x'.repeat(76)}...; allowed: 1 to 128 printable characters`,
  ],
  [
    'an invalid key',
    { publicKeys: ['hunter2'] },
    'publicKey: nothing was stored, because the text is no JWK, and does not begin with "BEGIN PUBLIC KEY"; allowed: a public key as JWK or PEM (EC P-256 or P-384, Ed25519, RSA)',
  ],
  [
    'a key of a type that every object inherits',
    { publicKeys: ['{"kty":"constructor"}', '{"kty":{"toString":1}}'] },
    'publicKey: nothing was stored, because the type of the key is not accepted; allowed: a public key as JWK or PEM (EC P-256 or P-384, Ed25519, RSA)',
  ],
  [
    'more keys than a client has',
    { publicKeys: Array.from({ length: 7 }, publicKey) },
    'publicKeys: received 7; allowed: at most 6',
  ],
  [
    'a key as long as a book',
    { publicKeys: ['x'.repeat(65_537)] },
    'publicKeys: received nothing; allowed: a public key: a JWK, or PEM',
  ],
  ['keys that are no list', { publicKeys: 'x' }, 'publicKeys: received "x"; allowed: a list'],
  [
    'an invalid id to adopt',
    { adoptClientId: 'x' },
    'adoptClientId: received "x"; allowed: client_ and 22 letters and digits, or the id of an imported client',
  ],
  [
    'an id to adopt that does not exist',
    { adoptClientId: `client_${'0'.repeat(22)}` },
    `there is no client "client_${'0'.repeat(22)}"`,
  ],
];

describe('bad input', () => {
  it.each(bad)('is refused: %s', async (_, properties, reason) => {
    const test = await declareWorld();
    const answer = await test.send(eventOf({ ResourceProperties: keyClient(properties) }));
    expect([answer.Status, answer.Reason]).toEqual(['FAILED', reason]);
    expect(test.world.clients.size).toBe(1);
    expect((await resourceOf(test).remove()).Status).toBe('SUCCESS');
  });

  it('is refused: a workload of another trunk group, and a workload with keys', async () => {
    const test = await declareWorld();
    const reasonOf = async (properties: object) =>
      (await test.send(eventOf({ ResourceProperties: properties }))).Reason;
    expect(await reasonOf(workload(test, 'other'))).toBe(
      `externalClientId: received "other"; allowed: what is granted to tg-1001 at ${test.world.issuer}: erp, crm`,
    );
    // As CloudFormation sends a boolean.
    expect(await reasonOf(workload(test, 'other', { allowUserTokens: 'yes' }))).toContain(
      'allowUserTokens: received "yes"; allowed: true or false',
    );
    expect(await reasonOf(workload(test, 'erp', { publicKeys: [publicKey()] }))).toContain(
      'publicKeys: received nothing; allowed: no keys next to a provider',
    );
    expect(test.world.clients.size).toBe(1);
  });

  it.each([
    [stackId('erp', 'life-1', '444455556666'), account],
    [stackId('erp', 'life-1', '000000000000'), account],
    [stackId(), '444455556666'],
    [stackId().replace('us-west-2', 'us-east-1'), account],
    ['x'.repeat(1024), account],
  ])('is refused: the stack %s by the alias of %s', async (StackId, alias) => {
    const test = await declareWorld();
    const event = eventOf({ StackId, ResourceProperties: keyClient() });
    const answer = await test.send(event, `stack-${alias}`);
    expect([answer.Status, answer.Reason]).toEqual([
      'FAILED',
      `StackId: received ${JSON.stringify(StackId.slice(0, 200))}; allowed: a stack of the account ${alias} in us-west-2`,
    ]);
    expect(test.world.clients.size).toBe(1);
  });

  it.each([null, 'x', undefined, 7])(
    'is refused: the properties %j',
    async (ResourceProperties) => {
      const test = await declareWorld();
      const answer = await test.send(eventOf({ ResourceProperties }));
      expect(answer.Reason).toBe('ResourceProperties: allowed: the properties of a client');
      const deletion = eventOf({ RequestType: 'Delete', ResourceProperties });
      expect((await test.send(deletion)).Status).toBe('SUCCESS');
      expect(test.reports.filter(({ level }) => level === 'error')).toEqual([]);
    },
  );

  it('is refused: a stack that the config does not name', async () => {
    const test = await declareWorld();
    const event = eventOf({ StackId: stackId('crm'), ResourceProperties: keyClient() });
    expect((await test.send(event)).Reason).toBe(
      'serviceTrunkGroup: received "tg-1001"; allowed: none',
    );
  });

  it.each([
    'http://127.0.0.1:9001/2018-06-01/runtime/invocation/next',
    'http://169.254.169.254/latest/meta-data/',
    'https://cloudformation-custom-resource-response-uswest2.s3.us-west-2.amazonaws.com.evil.example/',
    'https://evil.example/?cloudformation-custom-resource-response-uswest2.s3.us-west-2.amazonaws.com',
    'https://other-bucket.s3.us-west-2.amazonaws.com/',
    'https://cloudformation-custom-resource-response-uswest2.s3.us-west-2.amazonaws.com:81/',
    'file:///etc/passwd',
    'x',
  ])('is answered to no one: the result at %s', async (ResponseURL) => {
    const test = await declareWorld();
    const event = eventOf({ ResponseURL, ResourceProperties: keyClient() });
    await test.send(event);
    expect(test.reports[0]?.fields['error_message']).toMatch(/ResponseURL: received/);
    expect(test.answers).toEqual([]);
    expect(test.world.clients.size).toBe(1);
  });
});

describe('an outage', () => {
  it('is waited for, and told if it lasts: a deletion then goes on later', async () => {
    let failures = 0;
    const test = await declareWorld(({ clients }) => ({
      clients: {
        ...clients,
        find: (...args: Parameters<typeof clients.find>) => {
          failures -= 1;
          if (failures >= 0) throw new UnavailableError('DynamoDB: does not answer');
          return clients.find(...args);
        },
      },
    }));
    const resource = resourceOf(test);
    failures = 1;
    expect((await resource.put(keyClient())).Status).toBe('SUCCESS');
    const id = resource.id();
    const event = eventOf({ RequestType: 'Delete', PhysicalResourceId: id });
    failures = 1000;
    expect(await test.send(event)).toMatchObject({
      Status: 'FAILED',
      Reason: 'DynamoDB: does not answer',
      PhysicalResourceId: id,
    });
    expect(stopsOf(test, id)).toEqual([]);
    failures = 0;
    await resource.remove();
    expect(stopsOf(test, id)).toEqual(['stack']);
  });

  it('of the function itself is told as nothing else, and reported', async () => {
    const test = await declareWorld(() => ({
      clients: {
        find: () => {
          throw new TypeError('secret');
        },
      },
    }));
    const answer = await test.send(eventOf({ ResourceProperties: keyClient() }));
    expect(answer.Reason).toBe('the management function failed; its log says why');
    expect(test.reports.map(({ level, outcome }) => [level, outcome])).toContainEqual([
      'error',
      'failed',
    ]);
  });
});

it('leaves the account of the deployment out, and may stop what the config takes away', async () => {
  const own = '000000000000';
  const test = await declareWorld();
  const { stackReach } = test.config.management;
  stackReach.push({ account: own, trunkGroups: ['tg-1001'] });
  const StackId = stackId('platform', 'life-1', own);
  const event = eventOf({ StackId, ResourceProperties: keyClient() });
  const { PhysicalResourceId } = await test.send(event, `stack-${own}`);
  stackReach.pop();
  expect(JSON.stringify(test.world.clients.get(PhysicalResourceId))).not.toContain(own);
  const deletion = { RequestType: 'Delete', StackId, PhysicalResourceId };
  await test.send(eventOf(deletion), `stack-${own}`);
  expect(stopsOf(test, PhysicalResourceId)).toEqual(['stack']);
});

it('takes the template of the page', async () => {
  const page = readFileSync('docs/clients-as-code.md', 'utf8');
  const [, text = ''] = /```json\n(\{\n {2}"Resources"[^]*?)```/.exec(page) ?? [];
  const { Properties } = JSON.parse(text).Resources.Billing;
  const test = await declareWorld();
  grantSubject(test.world, test.world.issuer, { billing: ['tg-1001'] });
  const tokenLifetime = String(Properties.tokenLifetime);
  const event = eventOf({ ResourceProperties: { ...Properties, tokenLifetime } });
  expect((await test.send(event)).Status).toBe('SUCCESS');
});
