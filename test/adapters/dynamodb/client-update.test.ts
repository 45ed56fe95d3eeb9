import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromClient } from '../../../adapters/dynamodb/items/client-item.ts';
import {
  createClientUpdate,
  isSameClient,
} from '../../../adapters/dynamodb/stores/client-store.ts';
import type { ClientSecret } from '../../../core/client/client.ts';
import { client, day } from '../../support/arbitraries.ts';

/** DynamoDB's bound on an expression, in bytes. */
const maxExpressionBytes = 4096;

describe('the update of a client', () => {
  it('says nothing if nothing differs but the days of last use', () => {
    fc.assert(
      fc.property(client, day, (value, lastUsedOn) => {
        const secrets = value.secrets.map((secret) => ({ ...secret, lastUsedOn }));
        const from = fromClient(value);
        const to = fromClient({ ...value, secrets, lastUsedOn });
        expect(createClientUpdate(from, to).UpdateExpression).toBe('');
        expect(isSameClient(from, to)).toBe(true);
      }),
    );
  });

  it('writes every attribute that differs, also one that was added later', () => {
    const [value] = fc.sample(client, 1).map(fromClient);
    if (value === undefined) throw new Error('no sample');
    const added = { ...value, secrets: {}, added: 1 };
    const { UpdateExpression, ExpressionAttributeNames } = createClientUpdate(
      { ...value, secrets: {} },
      added,
    );
    expect(UpdateExpression).toMatch(/^SET/);
    expect(Object.values(ExpressionAttributeNames)).toEqual(['added']);
    const secret = { hash: 'sha256$x', created_at: 1 };
    const update = createClientUpdate(
      { ...value, secrets: { s: secret } },
      { ...value, secrets: { s: Object.assign({ added: 1 }, secret) } },
    );
    expect(Object.values(update.ExpressionAttributeNames)).toEqual(['secrets', 's', 'added']);
  });

  it('never names a last use of a secret that stays', () => {
    fc.assert(
      fc.property(client, client, (from, to) => {
        const kept = to.secrets.length > 0 ? from.secrets : [];
        const changed = {
          ...to,
          secrets: kept.map((secret) => ({ ...secret, expiresAt: 1, lastUsedOn: '2030-01-01' })),
        };
        const update = createClientUpdate(
          fromClient({ ...from, secrets: kept }),
          fromClient(changed),
        );
        expect(Object.values(update.ExpressionAttributeNames)).not.toContain('last_used_on');
      }),
    );
  });

  it('fits an expression, even with every secret changed', () => {
    const secrets = (more: Partial<ClientSecret>) =>
      Array.from({ length: 100 }, (_, index) => ({
        secretId: `secret_${String(index).padStart(22, '0')}`,
        hash: 'sha256$x',
        createdAt: 1,
        ...more,
      }));
    const [value] = fc.sample(client, 1);
    if (value === undefined) throw new Error('no sample');
    const state = (more: Partial<ClientSecret>, ids: (id: string) => string = (id) => id) =>
      fromClient({
        ...value,
        provider: undefined,
        secrets: secrets(more).map((secret) => ({ ...secret, secretId: ids(secret.secretId) })),
      });
    const updates = [
      createClientUpdate(state({}), state({ name: 'old', expiresAt: 1 })),
      // All deleted, and as many new ones.
      createClientUpdate(
        state({}),
        state({}, (id) => `${id}b`),
      ),
    ];
    for (const { UpdateExpression } of updates) {
      expect(UpdateExpression.length).toBeGreaterThan(500);
      expect(UpdateExpression.length).toBeLessThan(maxExpressionBytes);
    }
  });
});
