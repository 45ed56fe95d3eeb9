import type { RegionId } from '../../../../contract/regions.ts';
import type { Alg } from '../../../../contract/signing-algorithms.ts';
import { keyListMaxAge, type SigningKeyPolicy } from '../../../../contract/signing-key-policy.ts';
import { SigningKeyUnusableError, UnavailableError } from '../../../../core/errors.ts';
import type { Sign } from '../../../../core/signing-key/sign-jws.ts';
import type { SigningKeyReader } from '../../../../core/signing-key/signing-key.ts';
import { JwksInstance } from './jwks-instance.ts';
import { type KeyCounter, MemoryKms } from './memory-kms.ts';
import type { MemoryRotationStore } from './memory-rotation-store.ts';
import { shareOfLag } from './policies.ts';
import type { Random } from './random.ts';
import { TokenInstance } from './token-instance.ts';
import type { TokenWatch } from './token-watch.ts';
import type { HostClock, VirtualTime } from './virtual-time.ts';

/** How a region is cut off from its tables. */
interface CutOff {
  readonly since: number;
  /** Reads succeed and show what was there when it was cut off; else they fail. */
  readonly readsAreStale: boolean;
}

/** What a region's copy of the deployment config says. */
interface RegionConfig {
  regions: readonly RegionId[];
  algs: readonly [Alg, ...Alg[]];
}

/** What a region needs of the world around it. */
interface RegionSurroundings {
  readonly options: RegionConfig;
  readonly policy: SigningKeyPolicy;
  readonly time: VirtualTime;
  readonly now: number;
  readonly store: Pick<MemoryRotationStore, 'listAsOf'>;
  readonly watch: TokenWatch;
  clock(name: string): HostClock;
  randomFor(...part: readonly string[]): Random;
  onToken(kid: string, regionId: RegionId, exp: number): void;
  onFailure(region: Region, instance: string, reason: string): void;
  checkServed(kid: string, region: Region, host: HostClock): void;
}

type InstanceKind = 'fresh' | 'usual' | 'slow';

/** One region: its functions' instances, its KMS, and what it can reach. */
export class Region {
  readonly id: RegionId;
  readonly kms: MemoryKms;
  readonly config: RegionConfig;
  readonly jwks: readonly JwksInstance[];
  readonly tokens: readonly TokenInstance[];
  /** Seconds by which the clock of every host of its rotation is wrong. */
  rotationJump = 0;
  readonly jwksClocks: HostClock[] = [];
  readonly tokenClocks: HostClock[] = [];
  cutOff: CutOff | undefined;
  /** When it was last cut off from its tables, or from KMS. */
  lastCutOff = Number.NEGATIVE_INFINITY;
  lastKmsOutage = Number.NEGATIVE_INFINITY;
  isKmsDown = false;
  /** Regions whose public addresses its canary cannot reach. */
  readonly unreachable = new Set<RegionId>();
  /** Whether its functions are there and are asked. */
  inService = false;
  /** Whether its rotation does not run on schedule. */
  missesRuns = false;
  readonly #world: RegionSurroundings;
  #isAsked = false;

  constructor(id: RegionId, world: RegionSurroundings, counter: KeyCounter) {
    this.id = id;
    this.#world = world;
    this.config = { regions: [...world.options.regions], algs: world.options.algs };
    this.kms = new MemoryKms(id, () => world.now, counter);
    const kinds: readonly InstanceKind[] = ['fresh', 'usual', 'slow'];
    this.jwks = kinds.map((kind) => this.#createJwks(kind));
    this.tokens = kinds.map((kind) => this.#createToken(kind));
  }

  /** The functions are there: a canary gets an answer. */
  deploy(): void {
    this.inService = true;
  }

  /** Requests arrive: verifiers find a region when its rotation has run for the first time. */
  join(): void {
    if (this.#isAsked || !this.inService) return;
    this.#isAsked = true;
    for (const instance of [...this.jwks, ...this.tokens]) instance.start();
  }

  leave(): void {
    this.inService = false;
    this.#isAsked = false;
    for (const instance of [...this.jwks, ...this.tokens]) instance.stop();
  }

  /** A fresh instance hears of a change at once. */
  async refresh(): Promise<void> {
    if (!this.#isAsked) return;
    await this.jwks[0]?.serve();
    await this.tokens[0]?.ask();
  }

  /** @throws {UnavailableError} if the region cannot reach its tables. */
  assertTables(): void {
    if (this.cutOff === undefined) return;
    this.lastCutOff = this.#world.now;
    throw new UnavailableError('the tables do not answer');
  }

  /** @throws {UnavailableError} if the region cannot reach KMS. */
  assertKms(): void {
    if (!this.isKmsDown) return;
    this.lastKmsOutage = this.#world.now;
    throw new UnavailableError('KMS does not answer');
  }

  /**
   * What an instance reads: at once, with the lag of replication, or with the longest lag. Nothing
   * arrives while the region is cut off.
   */
  #createReader(kind: InstanceKind, random: Random): SigningKeyReader {
    const world = this.#world;
    const { maxReplicationLag } = shareOfLag(world.policy);
    return {
      listSigningKeys: async () => {
        const lag = {
          fresh: 0,
          usual: random.integer(0, maxReplicationLag),
          slow: maxReplicationLag,
        };
        const seen = world.now - lag[kind];
        if (this.cutOff === undefined) return world.store.listAsOf(seen);
        if (!this.cutOff.readsAreStale) this.assertTables();
        this.lastCutOff = world.now;
        return world.store.listAsOf(Math.min(seen, this.cutOff.since));
      },
    };
  }

  /** What an instance of either function has. */
  #createHost(kind: InstanceKind, what: string, clocks: HostClock[]) {
    const world = this.#world;
    const { policy, time } = world;
    const name = `${this.id}'s ${kind} ${what} instance`;
    const clock = world.clock(name);
    clocks.push(clock);
    const random = world.randomFor(name);
    const reader = this.#createReader(kind, random);
    const intervals = { fresh: 0, usual: policy.keyListRefresh, slow: keyListMaxAge(policy) };
    return { name, clock, time, random, reader, refreshInterval: intervals[kind] };
  }

  #createJwks(kind: InstanceKind): JwksInstance {
    const world = this.#world;
    return new JwksInstance({
      ...this.#createHost(kind, 'JWKS', this.jwksClocks),
      watch: world.watch,
      maxKeys: world.policy.jwksMaxKeys,
      checkServed: (kid, host) => world.checkServed(kid, this, host),
    });
  }

  #createToken(kind: InstanceKind): TokenInstance {
    const world = this.#world;
    const host = this.#createHost(kind, 'token', this.tokenClocks);
    return new TokenInstance({
      ...host,
      regionId: this.id,
      policy: world.policy,
      sign: this.#sign,
      onToken: (kid, exp) => world.onToken(kid, this.id, exp),
      onFailure: (instance, reason) => world.onFailure(this, instance, reason),
    });
  }

  readonly #sign: Sign = async (key) => {
    this.assertKms();
    if (this.kms.canSign(key.kmsKeyArn)) return new Uint8Array();
    throw new SigningKeyUnusableError(`KMS refuses ${key.kid}`);
  };
}
