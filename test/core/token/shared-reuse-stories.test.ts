import fc from 'fast-check';
import { compactVerify, decodeJwt, decodeProtectedHeader, importJWK } from 'jose';
import { describe, expect, it } from 'vitest';
import { OAuthError } from '../../../core/oauth-error.ts';
import type { AccessTokenClaims } from '../../../core/token/access-token-claims.ts';
import type { SealedItem } from '../../../core/token/sealed-token.ts';
import { clientIdOf, makeClient, makeSecret, secretValueOf } from '../../../lab/support/clients.ts';
import { type FleetRequest, TokenFleet } from '../../../lab/support/token-fleet.ts';
import { figure } from '../../support/figure.ts';

const audiences = ['https://a.example', 'https://b.example'];
const scopes = ['messaging:view', 'messaging:manage'];

/** What happens next: a request, a change by management or rotation, or someone who writes the table. */
type Step = (story: Story) => Promise<void> | void;

class Story {
  readonly fleet: TokenFleet;
  readonly share: number;
  readonly counts = { asked: 0, refused: 0, reused: 0, spoiled: 0 };
  /** By token: what must never change from one answer to the next. */
  readonly owners = new Map<string, string>();
  readonly past: ReadonlyMap<string, SealedItem>[] = [];

  constructor(share: number) {
    this.share = share;
    this.fleet = new TokenFleet(3, share);
    for (const client of [1, 2]) {
      const secrets = [makeSecret(secretValueOf(1)), makeSecret(secretValueOf(2))];
      this.fleet.clients.set(
        clientIdOf(client),
        makeClient({ clientId: clientIdOf(client), secrets, scopes, audiences }),
      );
    }
  }

  async ask(instance: number, request: Required<Omit<FleetRequest, 'scope'>> & FleetRequest) {
    const { fleet, counts } = this;
    const client = fleet.clients.get(clientIdOf(request.client));
    const secretId = makeSecret(secretValueOf(request.secret)).secretId;
    const secret = client?.secrets.find((each) => each.secretId === secretId);
    const isLive =
      secret !== undefined && (secret.expiresAt ?? Number.POSITIVE_INFINITY) > fleet.now;
    counts.asked += 1;
    if (client === undefined || !client.enabled || !isLive) {
      counts.refused += 1;
      await expect(fleet.ask(instance, request)).rejects.toThrow(OAuthError);
      return;
    }
    const { token, expiresIn, log } = await fleet.ask(instance, request);
    if (log.isReused === true) counts.reused += 1;
    const [key] = fleet.keys;
    if (key === undefined) throw new Error('there is no key');
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: key.kid });
    await compactVerify(token, await importJWK(key.publicJwk, 'ES256'));
    const claims = decodeJwt(token) as unknown as AccessTokenClaims;
    const { iat, exp, jti: _, ...rest } = claims;
    expect(rest).toEqual({
      iss: 'https://auth.example.com',
      sub: client.clientId,
      client_id: client.clientId,
      aud: request.resource,
      scope: request.scope ?? client.scopes.join(' '),
      service_trunk_group: client.serviceTrunkGroup,
    });
    expect(exp - iat).toBe(client.tokenLifetime);
    expect(iat).toBeLessThanOrEqual(fleet.now);
    expect(expiresIn).toBe(exp - fleet.now);
    expect(expiresIn).toBeGreaterThanOrEqual(this.share * client.tokenLifetime);
    const owner = JSON.stringify([secretId, client.version, request]);
    expect(this.owners.get(token) ?? owner).toBe(owner);
    this.owners.set(token, owner);
  }
}

const client = fc.constantFrom(1, 2);
const secret = fc.constantFrom(1, 2);

const asks = fc
  .record({
    instance: fc.nat({ max: 2 }),
    client,
    secret,
    scope: fc.constantFrom(undefined, scopes[0]),
    resource: fc.constantFrom(...audiences),
  })
  .map(
    ({ instance, scope, ...rest }): Step =>
      (story) =>
        story.ask(instance, { ...rest, ...(scope !== undefined && { scope }) }),
  );

const waits = fc.integer({ min: -5, max: 400 }).map(
  (seconds): Step =>
    (story) => {
      story.fleet.now += seconds;
    },
);

const rotations = fc
  .record({ key: fc.nat({ max: 2 }), previous: fc.constantFrom('published', 'withdrawn') })
  .map(
    ({ key, previous }): Step =>
      (story) =>
        story.fleet.useKey(key, previous),
  );

const managementChanges = fc
  .tuple(
    client,
    fc.constantFrom(
      { tokenLifetime: 600 },
      { tokenLifetime: 3600 },
      { serviceTrunkGroup: 'stg-2' },
      { enabled: false },
      { enabled: true },
      { name: 'renamed' },
    ),
  )
  .map(
    ([who, change]): Step =>
      (story) =>
        story.fleet.changeClient(change, who),
  );

const secretChanges = fc
  .record({ who: client, live: fc.subarray([1, 2]), endsIn: fc.constantFrom(undefined, 0, 1, 600) })
  .map(
    ({ who, live, endsIn }): Step =>
      ({ fleet }) => {
        const end = endsIn === undefined ? {} : { expiresAt: fleet.now + endsIn };
        fleet.changeClient(
          { secrets: live.map((each) => makeSecret(secretValueOf(each), end)) },
          who,
        );
      },
  );

/** What someone who may write the table can do to an item. */
const spoils: readonly ((item: SealedItem, other: SealedItem, at: number) => Uint8Array)[] = [
  ({ sealed }, _, at) =>
    sealed.map((byte, index) => (index === at % sealed.length ? byte ^ 1 : byte)),
  ({ sealed }, _, at) => sealed.subarray(0, at % sealed.length),
  ({ sealed }) => Buffer.concat([sealed, Buffer.alloc(1)]),
  (_, { sealed }) => sealed,
  () => new Uint8Array(),
];

const tampering = fc
  .record({ how: fc.constantFrom(...spoils), at: fc.nat(), which: fc.nat(), other: fc.nat() })
  .map(
    ({ how, at, which, other }): Step =>
      ({ fleet, counts }) => {
        const items = [...fleet.table.items.values()];
        const item = items[which % items.length];
        const second = items[other % items.length];
        if (item === undefined || second === undefined) return;
        fleet.table.items.set(item.itemId, { ...item, sealed: how(item, second, at) });
        counts.spoiled += 1;
      },
  );

/** Puts the table back to what it was: items of another time in their own places. */
const replays = fc.nat().map(
  (which): Step =>
    ({ fleet, past, counts }) => {
      const before = past[which % Math.max(1, past.length)];
      past.push(new Map(fleet.table.items));
      for (const [itemId, item] of before ?? []) fleet.table.items.set(itemId, item);
      counts.spoiled += before?.size ?? 0;
    },
);

const steps = fc.array(
  fc.oneof(
    { weight: 30, arbitrary: asks },
    { weight: 4, arbitrary: waits },
    { weight: 1, arbitrary: rotations },
    { weight: 2, arbitrary: managementChanges },
    { weight: 2, arbitrary: secretChanges },
    { weight: 3, arbitrary: tampering },
    { weight: 2, arbitrary: replays },
  ),
  { minLength: 20, maxLength: 100 },
);

describe('tokens that instances share', () => {
  it('fit their request, their record, the current key and their share, also if an attacker writes the table', async () => {
    const total = { asked: 0, refused: 0, reused: 0, spoiled: 0 };
    await fc.assert(
      fc.asyncProperty(steps, fc.constantFrom(0.05, 0.5, 0.9), async (all, share) => {
        const story = new Story(share);
        for (const step of all) await step(story);
        for (const name of Object.keys(total) as (keyof typeof total)[]) {
          total[name] += story.counts[name];
        }
      }),
      { numRuns: 150 },
    );
    expect(Math.min(...Object.values(total))).toBeGreaterThan(0);
    figure('shared tokens in random histories', {
      'token requests': total.asked,
      'refused as they must be': total.refused,
      reused: total.reused,
      'items replaced by others': total.spoiled,
    });
  });
});
