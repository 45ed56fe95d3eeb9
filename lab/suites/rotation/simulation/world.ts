import type { CanaryFinding } from '../../../../contract/function-events.ts';
import { type RegionId, regionIds } from '../../../../contract/regions.ts';
import type { Alg } from '../../../../contract/signing-algorithms.ts';
import type { SigningKeyPolicy } from '../../../../contract/signing-key-policy.ts';
import { regionsInService } from '../../../../core/key-rotation/canary.ts';
import { findCurrentKey, wantedAlg } from '../../../../core/key-rotation/plan.ts';
import { eligibleAt } from '../../../../core/signing-key/select-signing-key.ts';
import type { SigningKey } from '../../../../core/signing-key/signing-key.ts';
import type { KeyCounter } from './memory-kms.ts';
import { MemoryRotationStore } from './memory-rotation-store.ts';
import { oldestJwks, policy } from './policies.ts';
import { Random } from './random.ts';
import { Region } from './region.ts';
import { TokenWatch, Violation } from './token-watch.ts';
import { HostClock, VirtualTime } from './virtual-time.ts';

interface WorldOptions {
  readonly policy: SigningKeyPolicy;
  /** Chance decides over lags, skews and orders by it. */
  readonly seed: number;
  readonly algs: readonly [Alg, ...Alg[]];
  /** Of the deployment config. */
  readonly regions: readonly RegionId[];
  /** Whether hosts' clocks differ, by L at the most. */
  readonly clocksDiffer: boolean;
  /** Seconds between two runs of each region's rotation. */
  readonly interval: number;
}

const start = 1_700_000_000;

/** Three regions: their functions, their KMS, the tables, and verifiers with caches of any age. */
export class World {
  readonly options: WorldOptions;
  readonly time = new VirtualTime(start);
  readonly store = new MemoryRotationStore(() => this.now);
  readonly watch: TokenWatch;
  /** Of tests; each part of a history has one of its own. */
  readonly random: Random;
  readonly regions: ReadonlyMap<RegionId, Region>;
  /** What happened, for the message of a violation. */
  readonly log: string[] = [];
  readonly #names = new Map<string, string>();

  constructor(options: Partial<WorldOptions> = {}) {
    this.options = {
      policy,
      seed: 1,
      algs: ['ES256', 'ES384'],
      regions: regionIds,
      clocksDiffer: false,
      interval: 10,
      ...options,
    };
    this.random = new Random(this.options.seed);
    this.watch = new TokenWatch(oldestJwks(this.policy));
    this.watch.nameOf = (kid) => this.nameOf(kid);
    const counter: KeyCounter = { made: 0 };
    this.regions = new Map(regionIds.map((id) => [id, new Region(id, this, counter)]));
    for (const region of this.regions.values()) {
      region.kms.onRemoval = (arn, how) => this.#checkRemoval(arn, how);
    }
    this.store.onChange = (key, before) => this.#onChange(key, before);
  }

  get now(): number {
    return this.time.now;
  }

  get policy(): SigningKeyPolicy {
    return this.options.policy;
  }

  region(id: RegionId): Region {
    const region = this.regions.get(id);
    if (region === undefined) throw new RangeError(id);
    return region;
  }

  randomFor(...part: readonly (string | number)[]): Random {
    return Random.for(this.options.seed, ...part);
  }

  /** A host's clock: no two differ by more than L. */
  clock(name: string): HostClock {
    const half = Math.floor(this.policy.leeway / 2);
    const skew = this.options.clocksDiffer ? this.randomFor('clock', name).integer(-half, half) : 0;
    return new HostClock(this.time, skew);
  }

  pass(seconds: number): Promise<void> {
    return this.time.pass(seconds);
  }

  /** A short name for a key, in the order of their publication. */
  nameOf(kid: string): string {
    const region = this.store.find(kid)?.regionId ?? '?';
    const count = [...this.#names.values()].filter((name) => name.startsWith(region)).length;
    const name = this.#names.get(kid) ?? `${region}#${count + 1}`;
    this.#names.set(kid, name);
    return name;
  }

  note(what: string): void {
    this.log.push(`+${this.now - start} ${what}`);
  }

  /** A region keeps a key for an emergency until another is eligible that nothing else takes. */
  #checkReserve(key: SigningKey, before: SigningKey | undefined): void {
    const region = this.region(key.regionId);
    const wasNext = before?.state === 'next' && region.kms.canSign(key.kmsKeyArn);
    const wasSabotaged = region.lastKmsOutage > this.now - this.options.interval;
    if (key.state !== 'previous' || !wasNext || wasSabotaged || !this.#isEligible(key)) return;
    const own = this.store.keys.filter(({ regionId }) => regionId === key.regionId);
    const current = findCurrentKey(own, key.regionId);
    const wanted = wantedAlg(region.config.algs, this.store.choice);
    const isAboutToSign = ({ alg }: SigningKey) =>
      current !== undefined && current.alg !== wanted && alg === wanted;
    const hasOther = own.some(
      (other) => other.state === 'next' && this.#isEligible(other) && !isAboutToSign(other),
    );
    if (hasOther) return;
    throw new Violation(`${this.nameOf(key.kid)} is retired, and no key is left for an emergency`);
  }

  #isEligible(key: SigningKey): boolean {
    const { leeway } = this.policy;
    return eligibleAt(key, this.policy) - leeway <= this.now;
  }

  #onChange(key: SigningKey, before: SigningKey | undefined): void {
    this.#checkReserve(key, before);
    const name = this.nameOf(key.kid);
    if (before?.state !== key.state) this.note(`${name} (${key.alg}) is ${key.state}`);
    this.time.at(this.now, async () => {
      for (const region of this.regions.values()) await region.refresh();
    });
  }

  /** A token was signed: the slowest clock of a verifier may be L/2 behind the true time. */
  onToken(kid: string, regionId: RegionId, exp: number): void {
    const end = exp + (this.options.clocksDiffer ? Math.floor(this.policy.leeway / 2) : 0);
    this.#checkPromoted(kid, regionId);
    this.watch.issued(kid, { regionId, signedAt: this.now, end });
  }

  /** A region's first key signs when it is proved and promoted, and not as a fallback. */
  #checkPromoted(kid: string, regionId: RegionId): void {
    const hasSigned = this.store.keys.some(
      (key) => key.regionId === regionId && key.activatedAt !== undefined,
    );
    if (!hasSigned) throw new Violation(`${this.nameOf(kid)} signs before it is promoted`);
  }

  /** A region that reaches its tables and KMS, and has a key that KMS signs with, must issue. */
  onFailure(region: Region, instance: string, reason: string): void {
    const { propagationLag } = this.policy;
    const settled = this.now - propagationLag;
    if (region.lastCutOff > settled || region.lastKmsOutage > settled || region.isKmsDown) return;
    const keys = [settled, this.now].map((time) =>
      findCurrentKey(this.store.listAsOf(time), region.id),
    );
    const canSign = keys.every((key) => key !== undefined && region.kms.canSign(key.kmsKeyArn));
    if (canSign) throw new Violation(`${instance} issues nothing: ${reason}`);
  }

  /** A withdrawn key may be served until each instance has read the list again. */
  checkServed(kid: string, region: Region, host: HostClock): void {
    const key = this.store.find(kid);
    const { propagationLag, leeway } = this.policy;
    if (region.lastCutOff > this.now - propagationLag) return;
    const goneAt =
      key?.withdrawAt === undefined
        ? (key?.withdrawnAt ?? this.now) + propagationLag
        : Math.min(key.withdrawAt, (key.withdrawnAt ?? Number.POSITIVE_INFINITY) + propagationLag);
    // A host whose clock is behind keeps a key for longer.
    if (this.now <= goneAt + Math.max(leeway, -host.offset)) return;
    throw new Violation(
      `${region.id} publishes ${this.nameOf(kid)} ${this.now - goneAt} s after its end`,
    );
  }

  /** KMS is told to disable or delete only what no verifier can need. */
  #checkRemoval(kmsKeyArn: string, how: 'disable' | 'delete'): void {
    const key = this.store.keys.find((candidate) => candidate.kmsKeyArn === kmsKeyArn);
    if (key === undefined) return;
    const since = how === 'disable' ? key.withdrawnAt : key.disabledAt;
    const wait = how === 'disable' ? oldestJwks(this.policy) : this.policy.deletionDelay;
    const isDue = since !== undefined && since + wait <= this.now + this.policy.leeway;
    const isEmergency = this.watch.sacrificed.has(key.kid) && key.withdrawnAt !== undefined;
    if (isDue || (isEmergency && how === 'disable')) return;
    throw new Violation(`${how} of ${this.nameOf(key.kid)}, which is "${key.state}"`);
  }

  /** What the canary of a region finds out about a key, region by region. */
  async prove(kid: string, asking: Region): Promise<readonly CanaryFinding[]> {
    const heartbeats = await this.store.listHeartbeats();
    const { regions } = asking.config;
    const asked = regionsInService({
      own: asking.id,
      configured: regions,
      heartbeats,
      silence: 6 * this.options.interval,
    });
    const key = this.store.find(kid);
    const findings: CanaryFinding[] = [];
    for (const id of asked) {
      const problem = await this.#findProblem(key, asking, this.region(id));
      findings.push({ kid, region: id, ok: problem === undefined, problem });
    }
    return findings;
  }

  async #findProblem(
    key: SigningKey | undefined,
    asking: Region,
    asked: Region,
  ): Promise<CanaryFinding['problem']> {
    if (key === undefined || !asking.kms.canSign(key.kmsKeyArn)) return 'not_signed';
    const isKnown = asking.config.regions.includes(asked.id);
    if (!isKnown || !asked.inService || asking.unreachable.has(asked.id)) return 'unreachable';
    const instance = this.randomFor('canary', key.kid, asked.id, this.now).pick(asked.jwks);
    const has = await instance.serve();
    if (has === undefined) return 'unreachable';
    return has(key.kid) ? undefined : 'absent';
  }
}
