import { describe, expect, it } from 'vitest';
import type { ApiKey } from '../../../core/api-key/api-key.ts';
import { parseCidr } from '../../../core/api-key/subnet.ts';
import type { AuditRecord } from '../../../core/audit/audit-log.ts';
import type { ClaimCondition } from '../../../core/client/claim-condition.ts';
import type { Client } from '../../../core/client/client.ts';
import { viewApiKey } from '../../../core/management/api-key-view.ts';
import { viewClient, viewClientSecret } from '../../../core/management/client-view.ts';
import { viewIdentityProvider } from '../../../core/management/providers/provider-reach.ts';
import { auditDays } from '../../../core/restore/audit-views.ts';
import { type AuditedChange, findChanges } from '../../../core/restore/replay.ts';
import * as apiKeys from '../../../core/restore/replay-api-key.ts';
import * as clients from '../../../core/restore/replay-client.ts';
import * as items from '../../../core/restore/restore-items.ts';
import * as providers from '../../../core/restore/restore-providers.ts';
import type { Stops } from '../../../core/stops.ts';
import { makeClient, makeSecret, secretValueOf } from '../../../lab/support/clients.ts';
import { personStop } from '../../../lab/support/stops.ts';
import { createTestManagement, testConfig } from '../../support/management.ts';
import {
  addSubnet,
  createApiKey,
  removeSubnet,
  rotateApiKey,
  setApiKeyEnabled,
  updateApiKey,
} from '../../support/operations.ts';
import { replaying } from '../../support/replaying.ts';

const { indexChanges } = items;
const replayApiKey = replaying(apiKeys.replayApiKey);
const replayClient = replaying(clients.replayClient);
const replayProvider = replaying(providers.replayProvider);

const actor = 'arn:aws:iam::123456789012:user/ada';

function record(fields: Partial<AuditRecord> & Pick<AuditRecord, 'action'>): AuditRecord {
  return {
    time: '2026-11-20T12:00:00.000Z',
    recordId: `c${serial++}-2-done`,
    actor,
    subject: client.clientId,
    outcome: 'done',
    ...fields,
  };
}

let serial = 0;
const secret = makeSecret(secretValueOf(1));
const client = makeClient({ secrets: [secret], version: 3 });
const view = (changes: object) => viewClient({ ...client, version: 4, ...changes }, testConfig);
const secretView = (version: number, changes: object = {}) => ({
  client_id: client.clientId,
  client_version: version,
  ...viewClientSecret({ ...secret, ...changes }, 0),
});

const stop = { at: 1_800_000_000, by: 'who restores' };
const options = { config: testConfig, stop };

const replay = (records: readonly AuditRecord[], undelete = false) =>
  replayClient(client, findChanges(records), { ...options, undelete: () => undelete });

describe('a client whose restore point lies before a change', () => {
  it.each<[string, AuditRecord, string]>([
    [
      'is dropped if it was deleted',
      record({ action: 'client.delete', before: view({}) }),
      `deleted at 2026-11-20T12:00:00.000Z by ${actor}`,
    ],
    [
      'is dropped if no one knows whether it was deleted',
      record({
        action: 'client.delete',
        before: view({}),
        recordId: 'c-1-intended',
        outcome: 'intended',
      }),
      `perhaps deleted at 2026-11-20T12:00:00.000Z by ${actor}, an intent without outcome`,
    ],
    [
      'is dropped if a record about it cannot be understood',
      record({ action: 'client.update', after: { scope: 'calls:view' } }),
      'the audit record client.update of 2026-11-20T12:00:00.000Z cannot be understood, so that what it revoked is not known',
    ],
    [
      'is dropped if a record about its secrets cannot be understood',
      record({ action: 'client_secret.delete', before: { secret_id: secret.secretId } }),
      'the audit record client_secret.delete of 2026-11-20T12:00:00.000Z cannot be understood, so that what it revoked is not known',
    ],
  ])('%s', (_, change, reason) => {
    expect(replay([change])).toEqual({ outcome: 'dropped', reason });
  });

  it('comes back if it is said that the deletion was a mistake, but its secrets do not', () => {
    const replayed = replay(
      [
        record({ action: 'client_secret.delete', subject: secret.secretId, before: secretView(3) }),
        record({ action: 'client.delete', before: view({ secrets: [] }) }),
      ],
      true,
    );
    expect(replayed).toMatchObject({
      outcome: 'kept',
      item: { clientId: client.clientId, secrets: [], version: 6 },
      narrowed: [`${secret.secretId}: deleted at 2026-11-20T12:00:00.000Z by ${actor}`],
    });
  });

  it.each([true, false])(
    'keeps the stop and deletion of a later life of its id (deleted: %s)',
    (isDeleted) => {
      const life = { ...client, createdAt: client.createdAt + 100, version: 8001 };
      const at = (version: number, stops?: Stops) =>
        viewClient({ ...life, version, stops }, testConfig);
      const changes = [
        record({ action: 'client.delete', before: view({ version: 3 }) }),
        record({ action: 'client.create', after: at(8001) }),
        record({ action: 'client.disable', after: at(8002, personStop) }),
        record({ action: 'client.delete', before: at(8002, personStop) }),
      ];
      expect(replay(changes.slice(0, isDeleted ? 4 : 3), true)).toMatchObject({
        item: { stops: personStop, createdAt: client.createdAt },
      });
      const some = {
        ...options,
        undelete: ({ before }: AuditedChange) => before?.['version'] === 3,
      };
      const outcome = isDeleted ? 'dropped' : 'kept';
      const since = findChanges(changes.slice(0, isDeleted ? 4 : 3));
      expect(replayClient(client, since, some)).toMatchObject({ outcome });
    },
  );

  it.each([
    ['made', {}, undefined],
    ['stopped', { stops: personStop }, { person: stop }],
    ['given an end', { expiresAt: 2 }, { person: stop }],
    ['deleted', undefined, { person: stop }],
  ])('is stopped if a secret of a later life of its id was %s', (_, changes, stops) => {
    const createdAt = client.createdAt + 100;
    const of = (more: object) => secretView(2, { secretId: 'secret_later', createdAt, ...more });
    const states = changes === undefined ? { before: of({}) } : { after: of(changes) };
    const records = [
      record({ action: 'client.create', after: view({ createdAt, version: 1, stops: undefined }) }),
      record({ action: 'client_secret.update', ...states }),
    ];
    expect(replay(records, true)).toMatchObject({ item: { secrets: [secret], stops } });
  });

  it('stays if an earlier client of its id was deleted', () => {
    const before = viewClient({ ...client, createdAt: 1, version: 9 }, testConfig);
    expect(replay([record({ action: 'client.delete', before })])).toMatchObject({
      outcome: 'kept',
      narrowed: [],
    });
  });

  it('is not widened, and the person is told what was', () => {
    const after = view({
      scopes: [...client.scopes, 'calls:view'],
      tokenLifetime: 7200,
      audiences: [testConfig.defaultAudience, 'https://b.example'],
    });
    const again = 'repeat the change if it is meant';
    expect(replay([record({ action: 'client.update', after })])).toMatchObject({
      item: { ...client, version: 5 },
      narrowed: [],
      lookAt: [
        `audience: https://api.example.com, not https://api.example.com, https://b.example; ${again}`,
        `token_lifetime: 3600, not 7200; ${again}`,
        `scope: messaging:view messaging:manage, not messaging:view messaging:manage calls:view; ${again}`,
      ],
    });
  });

  it('keeps the time of a revocation since, and of an earlier one', () => {
    const after = view({ tokensNotBefore: 1_800_000_000 });
    expect(replay([record({ action: 'client.revoke_tokens', after })])).toMatchObject({
      item: { tokensNotBefore: 1_800_000_000, version: 5 },
      narrowed: ['tokens_not_before: 2027-01-15T08:00:00Z, not none'],
      lookAt: [],
    });
    const revoked = makeClient({ ...client, tokensNotBefore: 1_900_000_000 });
    const changes = findChanges([record({ action: 'client.revoke_tokens', after })]);
    expect(replayClient(revoked, changes, options)).toMatchObject({
      item: { tokensNotBefore: 1_900_000_000 },
      narrowed: [],
    });
  });

  describe('with required claims', () => {
    const at = { issuer: 'https://idp.example', registrationId: 'idp_1', externalClientId: 'x' };
    const condition = (claim: string, ...values: readonly string[]) => ({ claim, values });
    const requiring = (...conditions: readonly ClaimCondition[]) =>
      makeClient({ secrets: [], version: 3, provider: { ...at, conditions } });
    const replayed = (stored: Client, last: Client) =>
      replayClient(
        stored,
        findChanges([
          record({
            action: 'client.update',
            after: viewClient({ ...last, version: 4 }, testConfig),
          }),
        ]),
        options,
      );

    it('requires what it required before and at last', () => {
      const stored = requiring(condition('environment', 'a', 'b'), condition('ref', 'main'));
      const last = requiring(condition('environment', 'b', 'c'), condition('repository', '7'));
      const again = 'repeat the change if it is meant';
      expect(replayed(stored, last)).toMatchObject({
        item: {
          stops: undefined,
          provider: {
            conditions: [
              condition('environment', 'b'),
              condition('ref', 'main'),
              condition('repository', '7'),
            ],
          },
        },
        narrowed: [
          'required_claims: environment b, ref main, repository 7, not environment a, b, ref main',
        ],
        lookAt: [
          `required_claims: environment b, ref main, repository 7, not environment b, c, repository 7; ${again}`,
        ],
      });
    });

    it('is disabled if no token can meet both', () => {
      const stored = requiring(condition('environment', 'a'));
      expect(replayed(stored, requiring(condition('environment', 'b')))).toMatchObject({
        item: { stops: { person: stop } },
        lookAt: expect.arrayContaining([
          'disabled, as no token has the claims that it required before and at last',
        ]),
      });
    });
  });

  describe('that a stack declared', () => {
    const declared = {
      stackId: 'arn:aws:cloudformation:us-west-2:111122223333:stack/erp/1',
      logicalId: 'Billing',
      events: [{ id: 'e1', at: 1 }],
    };
    const replayed = (last: Client['declared'], outcome: 'done' | 'intended' = 'done') => {
      const after = view({ declared: last });
      const change = record({ action: 'client.update', after, outcome });
      const found = replayClient({ ...client, declared }, findChanges([change]), options);
      return found.outcome === 'kept' ? found.item.declared : found;
    };
    const undeclared = { ...declared, undeclaredAt: 1_800_000_000 };

    it.each<[string, Client['declared'], Client['declared']]>([
      ['still declares', { ...declared, events: [] }, declared],
      ['undeclared since', undeclared, undeclared],
      ['taken over since', { ...declared, takenOverAt: 5 }, { ...declared, takenOverAt: 5 }],
      ['lost to people since', undefined, undefined],
      ['lost to another stack since', { ...declared, logicalId: 'Other' }, undefined],
    ])('is owned as at last by one that it %s', (_, last, expected) => {
      expect(replayed(last)).toEqual(expected);
      expect(replayed(last, 'intended')).toEqual(expected);
    });

    it.each([
      ['that took it back', declared],
      ['that did not', undeclared],
    ])('is not enabled by the stack %s if a person has disabled it since', (_, last) => {
      const after = view({ declared: last, stops: personStop });
      const changes = findChanges([record({ action: 'client.disable', after })]);
      const stackStop = { at: 1, by: declared.stackId };
      const stored = { ...client, stops: { stack: stackStop }, declared: undeclared };
      expect(replayClient(stored, changes, options)).toMatchObject({
        item: { stops: { ...personStop, stack: stackStop }, declared: undeclared },
      });
    });
  });

  it('is disabled if it has no scope left', () => {
    const after = view({ scopes: ['calls:view'] });
    expect(replay([record({ action: 'client.update', after })])).toMatchObject({
      item: { stops: { person: stop }, scopes: [] },
      narrowed: ['scope: none, not messaging:view messaging:manage', 'enabled: false, not true'],
    });
  });

  it('is enabled if it was disabled and enabled again, even if the clocks say another order', () => {
    const changes = [
      record({ action: 'client.enable', after: view({ version: 5 }) }),
      record({
        action: 'client.disable',
        time: '2026-11-20T13:00:00.000Z',
        after: view({ stops: personStop }),
      }),
    ];
    expect(replay(changes)).toMatchObject({ item: { stops: undefined }, narrowed: [] });
  });

  it('has its secrets end when a rotation ended them, and reports the new one', () => {
    const after = {
      ...secretView(4),
      secret_id: 'secret_new',
      created_at: '2026-11-20T12:00:00Z',
      expires_others: [viewClientSecret({ ...secret, expiresAt: 5_000 }, 0)],
    };
    const rotated = record({ action: 'client_secret.rotate', subject: 'secret_new', after });
    expect(replay([rotated])).toMatchObject({
      item: { secrets: [{ ...secret, expiresAt: 5_000 }] },
      narrowed: [`${secret.secretId} expires_at: 1970-01-01T01:23:20Z, not none`],
      lookAt: ['secret_new was made after the restore point and is lost: make another one'],
    });
  });

  it('has its secrets disabled if they were disabled since', () => {
    const after = { ...secretView(4), ...viewClientSecret({ ...secret, stops: personStop }, 0) };
    const disabled = record({ action: 'client_secret.disable', subject: secret.secretId, after });
    expect(replay([disabled])).toMatchObject({
      item: { secrets: [{ ...secret, stops: personStop }] },
      narrowed: [`${secret.secretId} disabled: true, not none`],
      lookAt: [],
    });
  });

  it('does not report a secret of a client that had the same id before', () => {
    const view = { ...secretView(40), secret_id: 'secret_old', created_at: '1970-01-01T00:00:01Z' };
    const made = record({ action: 'client_secret.create', subject: 'secret_old', after: view });
    expect(replay([made])).toMatchObject({ item: { secrets: [secret] }, lookAt: [] });
  });

  it('ignores a change that failed, and counts its intent and its outcome once', () => {
    const failed = { recordId: 'x-2-failed', outcome: 'failed' } as const;
    const before = view({});
    const changes = findChanges([
      record({ action: 'client.delete', recordId: 'x-1-intended', outcome: 'intended', before }),
      record({ action: 'client.delete', ...failed, before }),
      record({ action: 'client.disable', recordId: 'y-1-intended', outcome: 'intended' }),
      record({ action: 'client.disable', recordId: 'y-2-done' }),
    ]);
    expect(changes.map(({ action, isCertain }) => [action, isCertain])).toEqual([
      ['client.disable', true],
    ]);
  });
});

const keyWith = (more: Partial<ApiKey>): ApiKey => ({
  keyId: 'key_1',
  hash: 'h',
  name: 'K',
  serviceTrunkGroup: 'tg',
  subnets: [],
  version: 1,
  createdAt: 1,
  updatedAt: 1,
  ...more,
});

/** The key as a restore leaves it, if the audit has `last` as its later state. */
function replayKey(then: Partial<ApiKey>, last: Partial<ApiKey>): ApiKey {
  const after = viewApiKey(keyWith({ ...last, version: 2 }));
  const change = record({ action: 'api_key.update', subject: 'key_1', after });
  const replayed = replayApiKey(keyWith(then), findChanges([change]), { stop });
  if (replayed.outcome === 'dropped') throw new Error(replayed.reason);
  return replayed.item;
}

describe('an API key', () => {
  const subnetsOf = (cidrs: readonly string[]) => ({
    subnets: cidrs.map((cidr) => ({ subnetId: cidr, name: cidr, ...parseCidr(cidr) })),
  });

  it.each<[readonly string[], readonly string[], readonly string[] | 'disabled']>([
    [[], ['10.0.0.0/8'], ['10.0.0.0/8']],
    [['10.0.0.0/8'], [], ['10.0.0.0/8']],
    [['10.0.0.0/8', '192.0.2.0/24'], ['10.0.0.0/8'], ['10.0.0.0/8']],
    [['10.0.0.0/8'], ['10.1.0.0/16', '192.0.2.0/24'], ['10.1.0.0/16']],
    [
      ['10.1.0.0/16', '2001:db8::/32'],
      ['10.0.0.0/8', '2001:db8:1::/48'],
      ['2001:db8:1::/48', '10.1.0.0/16'],
    ],
    [['10.0.0.0/8'], ['192.0.2.0/24'], 'disabled'],
    [['10.0.0.0/8', '10.1.0.0/16'], ['10.0.0.0/8'], ['10.0.0.0/8']],
  ])('that accepted %j and then %j, is restored with %j', (then, last, expected) => {
    const { stops, subnets } = replayKey(subnetsOf(then), subnetsOf(last));
    expect(stops === undefined ? subnets.map(({ subnetId }) => subnetId) : 'disabled').toEqual(
      expected,
    );
  });
});

describe('what comes back although it was deleted', () => {
  const deletion = record({ action: 'client.delete', before: view({ version: client.version }) });

  it('is not deleted again by a later restore: its version is above that of its deletion', () => {
    expect(replay([deletion]).outcome).toBe('dropped');
    const back = replay([deletion], true);
    if (back.outcome === 'dropped') throw new Error(back.reason);
    expect(back.item.version).toBe(client.version + 2);
    const later = replayClient(back.item, findChanges([deletion]), options);
    expect(later).toMatchObject({ outcome: 'kept', item: back.item });
  });
});

describe('an enabled credential that lost something since', () => {
  type World = ReturnType<typeof createTestManagement>;
  type Change = (keyId: string, at: World) => Promise<unknown>;

  /** Restores an enabled API key from before some changes, which `change` makes one after another. */
  async function restoreKey(...changes: readonly Change[]) {
    const at = createTestManagement();
    const { key } = await createApiKey(at.context, {
      name: 'K',
      serviceTrunkGroup: 'tg',
      scopes: ['calls:view'],
      subnets: [{ name: 'a', address: '10.0.0.0/8' }],
    });
    const stored = structuredClone(key);
    for (const change of changes) await change(key.keyId, at);
    const replayed = replayApiKey(stored, findChanges(at.audit), { stop });
    if (replayed.outcome === 'dropped') throw new Error(replayed.reason);
    // As someone does who believes that it should work.
    at.apiKeys.set(key.keyId, replayed.item);
    await setApiKeyEnabled(at.context, key.keyId, true);
    const now = Math.floor(at.context.clock() / 1000);
    const { stops, expiresAt = now + 1, scopes } = at.apiKeys.get(key.keyId) ?? {};
    const works = stops === undefined && expiresAt > now;
    return { now, works, expiresAt, scopes, lookAt: replayed.lookAt };
  }

  it.each<[string, Change]>([
    ['its value', (id, at) => rotateApiKey(at.context, id, { overlap: 0 })],
    ['its scopes', (id, at) => updateApiKey(at.context, id, { scopes: ['messaging:view'] })],
    [
      'its sources',
      async (id, at) => {
        await addSubnet(at.context, id, { name: 'b', address: '192.0.2.0/24' });
        const old = at.apiKeys.get(id)?.subnets.find(({ name }) => name === 'a');
        await removeSubnet(at.context, id, old?.subnetId ?? '');
      },
    ],
  ])('as API key with %s replaced has no second life, also if it is enabled', async (_, change) => {
    const { works, lookAt } = await restoreKey(change);
    expect(works).toBe(false);
    expect(lookAt).toEqual([expect.stringMatching(/: make another key$/)]);
  });

  it('as API key keeps the least that it had in every state since', async () => {
    const soon = (at: World, seconds: number) => Math.floor(at.context.clock() / 1000) + seconds;
    const both = ['messaging:view', 'calls:view'];
    const { now, expiresAt, scopes, lookAt } = await restoreKey(
      (id, at) => updateApiKey(at.context, id, { expiresAt: soon(at, 60), scopes: null }),
      (id, at) => updateApiKey(at.context, id, { expiresAt: null, scopes: both }),
    );
    expect([expiresAt - now, scopes]).toEqual([60, ['calls:view']]);
    expect(lookAt.join()).not.toContain('enabled');
  });

  it('as client never has an audience that it had neither then nor since', () => {
    const then = makeClient({ audiences: ['https://a.example'], version: 3 });
    const after = viewClient({ ...then, audiences: ['https://b.example'], version: 4 }, testConfig);
    const change = record({ action: 'client.update', subject: then.clientId, after });
    expect(replayClient(then, findChanges([change]), options)).toMatchObject({
      item: { stops: { person: stop }, audiences: ['https://b.example'] },
      lookAt: ['disabled, as no scope or no audience of before is one that it had ever since'],
    });
  });
});

describe('a provider', () => {
  const provider = {
    issuer: 'https://i.example',
    registrationId: 'r1',
    discoveryUrl: 'https://i.example/.well-known/openid-configuration',
    jwksUri: 'https://i.example/jwks',
    allowedAlgorithms: ['RS256'],
    registeredAt: 1,
  };
  const deletion = (registration_id: string) =>
    findChanges([
      record({
        action: 'identity_provider.delete',
        subject: provider.issuer,
        before: { registration_id },
      }),
    ]);

  it('is dropped if this registration or a later one was deleted, and not if an earlier one was', () => {
    expect(replayProvider(provider, deletion('r1'), { stop }).outcome).toBe('dropped');
    expect(replayProvider(provider, deletion('r0'), { stop }).outcome).toBe('kept');
    expect(replayProvider(provider, deletion('r1'), { stop, undelete: () => true }).outcome).toBe(
      'kept',
    );
    const both = [...deletion('r1'), ...deletion('r2')];
    const undelete = (change: (typeof both)[number]) => change === both[0];
    expect(replayProvider(provider, both, { stop, undelete }).outcome).toBe('dropped');
  });
});

describe('the stop of a provider whose deletion had begun', () => {
  const [issuer, registrationId] = ['https://i.example', 'r1'];
  const provider = {
    issuer,
    registrationId,
    discoveryUrl: issuer,
    jwksUri: issuer,
    allowedAlgorithms: ['RS256'],
    registeredAt: 1,
  };
  const stops = { deletion: { at: 1_800_000_000, by: actor } };
  const of = (some?: Stops) => viewIdentityProvider({ ...provider, stops: some });
  const change = (verb: string, from: Stops | undefined, to: Stops | undefined, more = {}) =>
    record({
      action: `identity_provider.${verb}`,
      subject: issuer,
      time: '2026-11-20T13:00:00.000Z',
      before: of(from),
      after: of(to),
      ...more,
    });
  const begun = change('stop', undefined, stops, { time: '2026-11-20T12:00:00.000Z' });
  const uncertain = { outcome: 'intended', recordId: 'c-1-intended' };
  const both = { ...stops, ...personStop };
  const later = ({ time }: { readonly time: string }) => time > '2026-11-20T12:30';

  it.each([
    ['stays', [], () => false, stops],
    ['ends if it is told to', [], () => true, undefined],
    ['stays if only a later change is', [change('stop', stops, both)], later, both],
    [
      'stays if no one knows if it ended',
      [change('resume', stops, undefined, uncertain)],
      () => false,
      stops,
    ],
    [
      'stays if a later record was read before it',
      [change('replace_keys', undefined, undefined)],
      () => false,
      stops,
    ],
    ['ends', [change('resume', stops, undefined)], () => false, undefined],
  ] as const)('%s', (_, records, undelete, expected) => {
    const { item } = providers.replayProvider(provider, findChanges([begun, ...records]), {
      stop,
      undelete,
    });
    expect(item.stops).toEqual(expected);
  });
});

it('finds changes by whom they concern, and one that does not say it for everybody', () => {
  const changesOf = indexChanges(
    findChanges([
      record({ action: 'client.disable', subject: 'a' }),
      record({ action: 'client_secret.delete', subject: 's', before: { client_id: 'a' } }),
      record({ action: 'client_secret.delete', subject: 't' }),
    ]),
  );
  const actions = (id: string) => changesOf(id).map(({ subject }) => subject);
  expect(actions('a')).toEqual(['a', 's', 't']);
  expect(actions('b')).toEqual(['t']);
});

it('reads the audit from the day before the restore point to the day after today', () => {
  const second = (text: string) => Date.parse(text) / 1000;
  expect(auditDays(second('2026-11-20T00:00:01Z'), second('2026-11-21T23:59:59Z'))).toEqual([
    '2026-11-19',
    '2026-11-20',
    '2026-11-21',
    '2026-11-22',
  ]);
});
