import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { secretExpiresSoonWithin } from '../../../contract/bounds.ts';
import { secretStatus } from '../../../core/client/client.ts';
import { hashSecret, looksLikeClientSecret } from '../../../core/credential/credential-value.ts';
import {
  InputError,
  NotFoundError,
  RefusedError,
  VersionConflictError,
} from '../../../core/errors.ts';
import { viewClientSecret } from '../../../core/management/client-view.ts';
import type { ManagementContext } from '../../../core/management/management-context.ts';
import { personStop } from '../../../lab/support/stops.ts';
import { createTestManagement, type TestManagement } from '../../support/management.ts';
import {
  createClient,
  createClientSecret,
  deleteClientSecret,
  disableClientSecret,
  enableClientSecret,
  rotateClientSecret,
  updateClientSecret,
} from '../../support/operations.ts';

async function withClient(): Promise<TestManagement & { readonly clientId: string }> {
  const test = createTestManagement();
  const { client } = await createClient(test.context, {
    name: 'Billing',
    serviceTrunkGroup: 'tg-1001',
    scopes: ['messaging:view'],
  });
  return Object.assign(test, { clientId: client.clientId });
}

const noSecret = 'secret_0000000000000000000000';

describe('creating a client secret', () => {
  it('gives the value once and keeps only its hash', async () => {
    const { context, clients, clientId, audit } = await withClient();
    const { secret, value } = await createClientSecret(context, clientId, {
      name: 'blue',
      expiresAt: 1_800_003_600,
    });
    expect(looksLikeClientSecret(value ?? '')).toBe(true);
    expect(secret.hash).toBe(hashSecret(value ?? ''));
    expect(clients.get(clientId)?.secrets).toEqual([secret]);
    expect(JSON.stringify([...clients, audit])).not.toContain(value);
    expect(JSON.stringify(audit)).not.toContain(secret.hash);
  });

  it.each<[string, object, string]>([
    ['an end in the past', { expiresAt: 1_799_999_999 }, 'allowed: a time in the future'],
    ['an end right now', { expiresAt: 1_800_000_000 }, 'allowed: a time in the future'],
    ['an end after the year 9999', { expiresAt: 1e12 }, 'allowed: a time before the year 10000'],
    ['an empty name', { name: '' }, 'name: received ""'],
  ])('refuses %s', async (_, input, message) => {
    const { context, clients, clientId } = await withClient();
    const creating = createClientSecret(context, clientId, input);
    await expect(creating).rejects.toThrow(InputError);
    await expect(creating).rejects.toThrow(message);
    expect(clients.get(clientId)?.secrets).toEqual([]);
  });

  it('makes one secret of two calls with one idempotency key, and shows it to the first', async () => {
    const { context, clients, clientId } = await withClient();
    const input = { idempotencyKey: '6f9619ff-8b86-d011' };
    const first = await createClientSecret(context, clientId, input);
    const second = await createClientSecret(context, clientId, input);
    expect(second).toEqual({ secret: first.secret, value: undefined });
    expect(clients.get(clientId)?.secrets).toHaveLength(1);
  });

  it.each([
    ['creations', createClientSecret],
    [
      'rotations',
      (context: ManagementContext, clientId: string, input: object) =>
        rotateClientSecret(context, clientId, { ...input, overlap: 60 }),
    ],
  ])(
    'makes one secret of two %s at once, also if the other one is based on its version',
    async (_, make) => {
      const { context, clients, clientId } = await withClient();
      const ifVersion = clients.get(clientId)?.version;
      const input = { idempotencyKey: '6f9619ff-8b86-d011', ifVersion };
      const made = await Promise.all([
        make(context, clientId, input),
        make(context, clientId, input),
      ]);
      expect(made.filter(({ value }) => value !== undefined)).toHaveLength(1);
      expect(clients.get(clientId)?.secrets).toHaveLength(1);
      const stale = { ...input, idempotencyKey: '6f9619ff-8b86-d012' };
      await expect(make(context, clientId, stale)).rejects.toThrow(VersionConflictError);
    },
  );

  it('takes one idempotency key for different secrets of different clients', async () => {
    const test = await withClient();
    const { client: other } = await createClient(test.context, {
      name: 'Other',
      serviceTrunkGroup: 'tg-1',
      scopes: ['calls:view'],
    });
    const input = { idempotencyKey: '6f9619ff-8b86-d011' };
    const one = await createClientSecret(test.context, test.clientId, input);
    const two = await createClientSecret(test.context, other.clientId, input);
    expect(one.secret.secretId).not.toBe(two.secret.secretId);
  });

  it('refuses the 101st, and says how many have expired', async () => {
    const { context, clients, clientId } = await withClient();
    const { secret } = await createClientSecret(context, clientId, {});
    const client = clients.get(clientId);
    if (client === undefined) throw new Error('unreachable');
    const secrets = Array.from({ length: 100 }, (_, index) => ({
      ...secret,
      secretId: `secret_${String(index).padStart(22, '0')}`,
      expiresAt: index < 3 ? 1_800_000_000 : undefined,
    }));
    clients.set(clientId, { ...client, secrets });
    await expect(createClientSecret(context, clientId, {})).rejects.toThrow(
      'has 100 secrets, the most that are allowed; delete one first (3 of them have expired)',
    );
  });

  it('refuses a client under a provider', async () => {
    const { context, clients, clientId } = await withClient();
    const client = clients.get(clientId);
    if (client === undefined) throw new Error('unreachable');
    const provider = { issuer: 'https://i.example', registrationId: 'r', externalClientId: 'e' };
    clients.set(clientId, { ...client, provider });
    const refusal = 'it authenticates there and has no secret here';
    await expect(createClientSecret(context, clientId, {})).rejects.toThrow(refusal);
    await expect(rotateClientSecret(context, clientId, { overlap: 0 })).rejects.toThrow(refusal);
  });
});

describe('changing a client secret', () => {
  it('renames it and moves its end', async () => {
    const { context, clientId } = await withClient();
    const { secret } = await createClientSecret(context, clientId, { name: 'blue' });
    const changed = await updateClientSecret(context, clientId, secret.secretId, {
      name: 'green',
      expiresAt: 1_800_000_060,
    });
    expect(changed).toEqual({ ...secret, name: 'green', expiresAt: 1_800_000_060 });
    const endless = await updateClientSecret(context, clientId, secret.secretId, {
      expiresAt: null,
    });
    expect(endless).toEqual({ ...secret, name: 'green', expiresAt: undefined });
  });

  it('brings no expired secret back', async () => {
    const test = await withClient();
    const { secret } = await createClientSecret(test.context, test.clientId, {
      expiresAt: test.now + 60,
    });
    test.now += 60;
    const changing = (expiresAt: number | null) =>
      updateClientSecret(test.context, test.clientId, secret.secretId, { expiresAt });
    await expect(changing(test.now + 60)).rejects.toThrow('has expired; it cannot be extended');
    await expect(changing(null)).rejects.toThrow(RefusedError);
  });

  it.each([
    ['secret_zzz', InputError, 'secret_id: received "secret_zzz"; allowed: secret_ and 22'],
    [noSecret, NotFoundError, `there is no secret of client_`],
  ])('refuses the id %s', async (id, type, message) => {
    const { context, clientId } = await withClient();
    for (const change of [
      updateClientSecret(context, clientId, id, { name: 'a' }),
      deleteClientSecret(context, clientId, id),
    ]) {
      await expect(change).rejects.toThrow(type);
      await expect(change).rejects.toThrow(message);
    }
  });

  it('disables the one that is named, and enables it again', async () => {
    const { context, clients, clientId } = await withClient();
    const { secret } = await createClientSecret(context, clientId, {});
    const { secret: other } = await createClientSecret(context, clientId, {});
    await disableClientSecret(context, clientId, secret.secretId);
    const by = 'arn:aws:iam::123456789012:user/ada';
    const stops = { person: { at: 1_800_000_000, by } };
    expect(clients.get(clientId)?.secrets).toEqual([{ ...secret, stops }, other]);
    await enableClientSecret(context, clientId, secret.secretId);
    expect(clients.get(clientId)?.secrets).toEqual([secret, other]);
  });
});

describe('rotating a client secret', () => {
  it('adds one and ends the others after the overlap', async () => {
    const test = await withClient();
    const { context, clientId, clients } = test;
    const { secret: endless } = await createClientSecret(context, clientId, {});
    const { secret: sooner } = await createClientSecret(context, clientId, {
      expiresAt: test.now + 60,
    });
    const { secret, value, expired } = await rotateClientSecret(context, clientId, {
      overlap: 7 * 86_400,
    });
    expect(looksLikeClientSecret(value ?? '')).toBe(true);
    const ended = { ...endless, expiresAt: test.now + 7 * 86_400 };
    expect(expired).toEqual([ended]);
    expect(clients.get(clientId)?.secrets).toEqual([ended, sooner, secret]);
  });

  it('ends the others at once without an overlap', async () => {
    const test = await withClient();
    const { secret: old } = await createClientSecret(test.context, test.clientId, {});
    const { expired } = await rotateClientSecret(test.context, test.clientId, { overlap: 0 });
    expect(expired).toEqual([{ ...old, expiresAt: test.now }]);
  });

  it.each([-1, 0.5, Number.NaN, 1e12])('refuses an overlap of %s', async (overlap) => {
    const { context, clientId, audit } = await withClient();
    await createClientSecret(context, clientId, {});
    const before = audit.length;
    const rotating = rotateClientSecret(context, clientId, { overlap });
    await expect(rotating).rejects.toThrow(InputError);
    await expect(rotating).rejects.toThrow('allowed: 0 seconds or more');
    expect(audit).toHaveLength(before);
  });

  it('rotates once with one idempotency key, and shows the secret to the first', async () => {
    const { context, clients, clientId } = await withClient();
    await createClientSecret(context, clientId, {});
    const input = { idempotencyKey: '6f9619ff-8b86-d011', overlap: 60 };
    const first = await rotateClientSecret(context, clientId, input);
    const second = await rotateClientSecret(context, clientId, input);
    expect(second).toEqual({ secret: first.secret, value: undefined, expired: [] });
    expect(clients.get(clientId)?.secrets).toHaveLength(2);
  });

  it('takes no creation with the same idempotency key for itself: the others must end', async () => {
    const test = await withClient();
    const { context, clients, clientId } = test;
    const idempotencyKey = '6f9619ff-8b86-d011';
    await createClientSecret(context, clientId, { idempotencyKey });
    const { value } = await rotateClientSecret(context, clientId, { idempotencyKey, overlap: 0 });
    expect(value).toBeDefined();
    const ends = clients.get(clientId)?.secrets.map((secret) => secret.expiresAt);
    expect(ends).toEqual([test.now, undefined]);
  });

  it('never moves an end to later', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.option(fc.integer({ min: 1, max: 1_000_000 })), { maxLength: 5 }),
        fc.integer({ min: 0, max: 1_000_000 }),
        async (lives, overlap) => {
          const test = await withClient();
          for (const life of lives) {
            const expiresAt = life === null ? undefined : test.now + life;
            await createClientSecret(test.context, test.clientId, { expiresAt });
          }
          const before = test.clients.get(test.clientId)?.secrets ?? [];
          await rotateClientSecret(test.context, test.clientId, { overlap });
          const after = test.clients.get(test.clientId)?.secrets ?? [];
          before.forEach((secret, index) => {
            const end = secret.expiresAt ?? Number.POSITIVE_INFINITY;
            expect(after[index]?.expiresAt).toBe(Math.min(end, test.now + overlap));
          });
          expect(after).toHaveLength(before.length + 1);
        },
      ),
    );
  });
});

describe('what is shown of a secret', () => {
  const secret = { secretId: 's', hash: 'h', createdAt: 1_800_000_000, lastUsedOn: '2027-01-14' };

  it.each([
    [undefined, 'active'],
    [1_800_000_000 + secretExpiresSoonWithin + 1, 'active'],
    [1_800_000_000 + secretExpiresSoonWithin, 'expires_soon'],
    [1_800_000_001, 'expires_soon'],
    [1_800_000_000, 'expired'],
  ])('with the end %s it is %s', (expiresAt, status) => {
    expect(secretStatus({ ...secret, expiresAt }, 1_800_000_000)).toBe(status);
  });

  it('is disabled unless it has expired', () => {
    const disabled = { ...secret, stops: personStop };
    expect(secretStatus(disabled, 1_800_000_000)).toBe('disabled');
    expect(secretStatus({ ...disabled, expiresAt: 1_800_000_000 }, 1_800_000_000)).toBe('expired');
  });

  it('is everything but its hash', () => {
    expect(viewClientSecret({ ...secret, expiresAt: 1_800_000_060 }, 1_800_000_000)).toEqual({
      secret_id: 's',
      name: undefined,
      status: 'expires_soon',
      created_at: '2027-01-15T08:00:00Z',
      expires_at: '2027-01-15T08:01:00Z',
      last_used_on: '2027-01-14',
    });
  });
});
