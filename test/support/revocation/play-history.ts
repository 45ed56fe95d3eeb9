import { ConflictError, RefusedError, UnavailableError } from '../../../core/errors.ts';
import { Random } from '../../../lab/suites/rotation/simulation/random.ts';
import {
  createClient,
  createClientSecret,
  deleteClient,
  revokeClientTokens,
  setClientEnabled,
} from '../../support/operations.ts';
import { type Check, createCheck, kinds, type Outcome } from './checks.ts';
import { type Credentials, Issuer } from './issuers.ts';
import { type ClientHistory, findViolation, type IssuedToken } from './judge.ts';
import { RevocationWorld } from './world.ts';

/** What was seen in histories. */
interface RevocationCounts {
  events: number;
  tokens: number;
  revocations: number;
  /** Presented tokens by what a check made of them. */
  outcomes: Record<Outcome, number>;
}

export function noCounts(): RevocationCounts {
  const outcomes = { accepted: 0, accepted_without_lookup: 0, refused: 0, unavailable: 0 };
  return { events: 0, tokens: 0, revocations: 0, outcomes };
}

/** A token that lives longer is not presented any more: it may have expired. */
const longestAge = 3_500_000;

/** Times at which rounding, the lag and caches matter, and a few long ones. */
const pauses = [0, 1, 50, 300, 999, 1000, 2000, 4000, 5000, 30_000, 61_000] as const;

function isExpected(error: unknown): boolean {
  return (
    error instanceof RefusedError ||
    error instanceof ConflictError ||
    error instanceof UnavailableError
  );
}

class Play {
  readonly world: RevocationWorld;
  readonly random: Random;
  readonly counts: RevocationCounts;
  readonly #issuers: readonly Issuer[];
  readonly #checks: readonly Check[];
  readonly #credentials = new Map<string, Credentials>();
  readonly #histories = new Map<string, ClientHistory>();
  readonly #tokens = new Map<string, IssuedToken>();

  constructor(random: Random, counts: RevocationCounts) {
    this.random = random;
    this.counts = counts;
    this.world = new RevocationWorld(random);
    const { regions } = this.world;
    this.#issuers = regions.map((region) => new Issuer(this.world, region));
    this.#checks = Array.from({ length: 6 }, () =>
      createCheck(this.world, {
        kind: random.pick(Object.keys(kinds) as (keyof typeof kinds)[]),
        region: random.pick(regions),
        cacheSeconds: random.pick([0, 1, 5, 60]),
        onLookupFailure: random.pick(['refuse', 'accept']),
      }),
    );
  }

  async pause(): Promise<void> {
    await this.world.pass(this.random.pick(pauses));
  }

  /** The client of an idempotency key; created again if it was deleted. */
  async create(): Promise<void> {
    const { management, time } = this.world;
    const idempotencyKey = this.random.pick(['client-one', 'client-two']);
    const { client, existed } = await createClient(management, {
      name: 'Billing',
      serviceTrunkGroup: 'tg-1',
      scopes: ['messaging:view'],
      idempotencyKey,
    });
    if (existed) return;
    const { clientId } = client;
    this.#historyOf(clientId).creations.push(time.now);
    const { value = '' } = await createClientSecret(management, clientId, { idempotencyKey });
    this.#credentials.set(clientId, { clientId, secret: value });
  }

  async setEnabled(enabled: boolean): Promise<void> {
    await setClientEnabled(this.world.management, this.#anyClient(), enabled);
  }

  async remove(): Promise<void> {
    await deleteClient(this.world.management, this.#anyClient());
  }

  /** Runs while other events happen. */
  revoke(): void {
    const { management, time } = this.world;
    const clientId = this.#anyClient();
    const startedAt = time.now;
    revokeClientTokens(management, clientId).then(
      () => {
        this.counts.revocations += 1;
        this.#historyOf(clientId).revocations.push({ startedAt, completedAt: time.now });
      },
      (error: unknown) => {
        if (!isExpected(error)) throw error;
      },
    );
  }

  async request(): Promise<void> {
    const index = this.random.integer(0, this.#issuers.length - 1);
    const credentials = this.#credentials.get(this.#anyClient());
    const token = credentials && (await this.#issuers[index]?.request(credentials));
    if (credentials === undefined || token === undefined) return;
    this.counts.tokens += 1;
    const { clientId } = credentials;
    this.#tokens.set(token, { value: token, clientId, issuedAt: this.world.time.now });
  }

  async present(): Promise<void> {
    const { now } = this.world.time;
    const young = [...this.#tokens.values()].filter(({ issuedAt }) => now - issuedAt < longestAge);
    if (young.length === 0) return;
    const token = this.random.pick(young);
    const check = this.random.pick(this.#checks);
    const outcome = await check.present(token.value);
    this.counts.outcomes[outcome] += 1;
    const history = this.#historyOf(token.clientId);
    const violation = findViolation(outcome, { token, check, now }, this.world.records, history);
    if (violation === undefined) return;
    const { kind, cacheSeconds, onLookupFailure, region } = check;
    const facts = { now, token, kind, cacheSeconds, onLookupFailure, region, history };
    throw new Error(`violation: ${violation}: ${JSON.stringify(facts)}`);
  }

  setOutage(isDown: boolean): void {
    this.random.pick(this.world.regions).isDown = isDown;
  }

  #anyClient(): string {
    return this.random.pick([...this.#histories.keys()]);
  }

  #historyOf(clientId: string): ClientHistory {
    const known = this.#histories.get(clientId) ?? { creations: [], revocations: [] };
    this.#histories.set(clientId, known);
    return known;
  }
}

type Event = (play: Play) => Promise<void> | void;

/** Events, and how often each happens among the others. */
const weights: readonly (readonly [weight: number, event: Event])[] = [
  [8, (play) => play.pause()],
  [5, (play) => play.request()],
  [14, (play) => play.present()],
  [2, (play) => play.create()],
  [1, (play) => play.setEnabled(false)],
  [3, (play) => play.setEnabled(true)],
  [1, (play) => play.remove()],
  [2, (play) => play.revoke()],
  [1, (play) => play.setOutage(true)],
  [3, (play) => play.setOutage(false)],
];

const events = weights.flatMap(([weight, event]) => Array.from({ length: weight }, () => event));

const eventsPerHistory = 150;

/** @throws a violation, with what happened. */
export async function playHistory(seed: number, counts: RevocationCounts): Promise<void> {
  const play = new Play(Random.for(seed, 'revocation'), counts);
  await play.create();
  for (let count = 0; count < eventsPerHistory; count += 1) {
    try {
      await play.random.pick(events)(play);
    } catch (error) {
      if (!isExpected(error)) throw error;
    }
    counts.events += 1;
  }
}
