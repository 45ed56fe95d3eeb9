import fc from 'fast-check';
import { expect, it } from 'vitest';
import { authenticateClient } from '../../../core/token/client-authentication.ts';
import { createTestManagement } from '../../support/management.ts';
import {
  createClient,
  createClientSecret,
  deleteClientSecret,
  disableClientSecret,
  enableClientSecret,
  rotateClientSecret,
  setClientEnabled,
} from '../../support/operations.ts';

type Step =
  | { readonly do: 'create'; readonly client: number; readonly life: number | null }
  | { readonly do: 'rotate'; readonly client: number; readonly overlap: number }
  | { readonly do: 'delete' | 'enable' | 'disable'; readonly client: number; readonly nth: number }
  | {
      readonly do: 'switch';
      readonly client: number;
      readonly nth: number;
      readonly enabled: boolean;
    }
  | { readonly do: 'wait'; readonly seconds: number };

const client = fc.integer({ min: 0, max: 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('create' as const),
    client,
    life: fc.option(fc.integer({ min: 1, max: 100 })),
  }),
  fc.record({ do: fc.constant('rotate' as const), client, overlap: fc.nat({ max: 100 }) }),
  fc.record({
    do: fc.constantFrom('delete' as const, 'enable' as const, 'disable' as const),
    client,
    nth: fc.nat({ max: 9 }),
  }),
  fc.record({
    do: fc.constant('switch' as const),
    client,
    nth: fc.nat({ max: 9 }),
    enabled: fc.boolean(),
  }),
  fc.record({ do: fc.constant('wait' as const), seconds: fc.nat({ max: 100 }) }),
);

/** What a person who kept every value believes about it. */
interface Kept {
  readonly client: number;
  readonly secretId: string;
  readonly value: string;
  end: number;
}

it('authenticates exactly the secrets that were created, not deleted, not disabled, not ended, each for its own enabled client', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const test = createTestManagement();
      const { context } = test;
      const ids: string[] = [];
      for (const name of ['A', 'B']) {
        const { client: created } = await createClient(context, {
          name,
          serviceTrunkGroup: 'tg',
          scopes: ['calls:view'],
        });
        ids.push(created.clientId);
      }
      const idOf = (index: number) => ids[index] ?? '';
      const kept: Kept[] = [];
      const deleted: string[] = [];
      const disabled = new Set<string>();
      const enabled = [true, true];
      const keep = (index: number, secretId: string, value: string | undefined, end: number) =>
        kept.push({ client: index, secretId, value: value ?? '', end });

      for (const one of steps) {
        if (one.do === 'wait') test.now += one.seconds;
        if (one.do === 'create') {
          const expiresAt = one.life === null ? undefined : test.now + one.life;
          const { secret, value } = await createClientSecret(context, idOf(one.client), {
            expiresAt,
          });
          keep(one.client, secret.secretId, value, expiresAt ?? Number.POSITIVE_INFINITY);
        }
        if (one.do === 'rotate') {
          const { secret, value } = await rotateClientSecret(context, idOf(one.client), {
            overlap: one.overlap,
          });
          for (const other of kept.filter((k) => k.client === one.client)) {
            other.end = Math.min(other.end, test.now + one.overlap);
          }
          keep(one.client, secret.secretId, value, Number.POSITIVE_INFINITY);
        }
        if (one.do === 'delete') {
          const mine = kept.filter((k) => k.client === one.client && !deleted.includes(k.secretId));
          const target = mine[one.nth % Math.max(1, mine.length)];
          if (target !== undefined) {
            await deleteClientSecret(context, idOf(one.client), target.secretId);
            deleted.push(target.secretId);
          }
        }
        if (one.do === 'switch') {
          const mine = kept.filter((k) => k.client === one.client && !deleted.includes(k.secretId));
          const target = mine[one.nth % Math.max(1, mine.length)];
          if (target !== undefined) {
            const { secretId } = target;
            const change = one.enabled ? enableClientSecret : disableClientSecret;
            await change(context, idOf(one.client), secretId);
            if (one.enabled) disabled.delete(secretId);
            else disabled.add(secretId);
          }
        }
        if (one.do === 'enable' || one.do === 'disable') {
          enabled[one.client] = one.do === 'enable';
          await setClientEnabled(context, idOf(one.client), one.do === 'enable');
        }
      }

      const authenticates = async (clientId: string, clientSecret: string) => {
        const credentials = { clientId, clientSecret };
        const { secret, failure } = await authenticateClient(
          credentials,
          { findClient: (id) => context.clients.find(id) },
          test.now,
        );
        return failure === undefined ? secret.secretId : undefined;
      };

      for (const one of kept) {
        const isGood =
          !deleted.includes(one.secretId) &&
          !disabled.has(one.secretId) &&
          test.now < one.end &&
          enabled[one.client] === true;
        expect(await authenticates(idOf(one.client), one.value)).toBe(
          isGood ? one.secretId : undefined,
        );
        expect(await authenticates(idOf(1 - one.client), one.value)).toBeUndefined();
      }
      for (const id of ids) expect(await authenticates(id, '')).toBeUndefined();
    }),
    { numRuns: 200 },
  );
});
