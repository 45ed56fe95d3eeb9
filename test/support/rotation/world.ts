import * as v from 'valibot';
import type { CanaryVerdict } from '../../../contract/function-events.ts';
import { type RegionId, regionIds } from '../../../contract/regions.ts';
import {
  keyListMaxAge,
  resolveSigningKeyPolicy,
  signingKeyPolicySchema,
} from '../../../contract/signing-key-policy.ts';
import { UnavailableError } from '../../../core/errors.ts';
import { buildJwks } from '../../../core/jwks/jwks.ts';
import { regionsInService } from '../../../core/signing-key/regions-in-service.ts';
import { selectSigningKeys } from '../../../core/signing-key/select-signing-key.ts';
import type { SigningKey } from '../../../core/signing-key/signing-key.ts';
import { SigningKeyCache } from '../../../core/signing-key/signing-key-cache.ts';
import { type KeyCounter, MemoryKms } from './memory-kms.ts';
import { MemoryRotationStore } from './memory-rotation-store.ts';
import type { Random } from './random.ts';

/** Seconds in place of days. The lead is 155 s, the retention 105 s. */
export const policy = resolveSigningKeyPolicy(
  v.parse(signingKeyPolicySchema, {
    rotationPeriod: 300,
    jwksMaxAge: 20,
    edgeAge: 5,
    verifierCache: 100,
    propagationLag: 30,
    keyListRefresh: 10,
    leeway: 5,
    authorizerResultTtl: 10,
    deletionDelay: 60,
  }),
  60,
);

/** A + E + C: the oldest JWKS that a verifier may use. */
export const oldestJwks = policy.jwksMaxAge + policy.edgeAge + policy.verifierCache;

/** G is shared by the call that writes, the table's replication and the functions' own lists. */
export const maxCallTime = 5;
const maxReplicationLag = 10;

/** A token without bytes: who signed it with what, and until when it lives. */
interface Token {
  readonly kid: string;
  /** The key that KMS used: another than the kid's does not verify. */
  readonly signedWith: string;
  readonly regionId: RegionId;
  readonly iat: number;
  readonly exp: number;
}

interface Region {
  readonly id: RegionId;
  readonly kms: MemoryKms;
  /** What the token function and the JWKS function know. */
  readonly tokenKeys: SigningKeyCache;
  readonly jwksKeys: SigningKeyCache;
  /** Every JWKS that was served: public keys by kid. */
  readonly served: { readonly at: number; readonly keys: ReadonlyMap<string, string> }[];
  inService: boolean;
  /** Since when it sees nothing of what others write, and its rotation cannot write. */
  isolatedSince: number | undefined;
  /** Until when its view may still be that of its isolation. */
  blindUntil: number;
  /** Tokens asked for while a key signed in the region, and those that nobody could sign. */
  asked: number;
  unsigned: number;
}

/** What must never happen: the test fails with it. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/** Three regions on one clock: token and JWKS functions, and verifiers with caches of any age. */
export class World {
  now = 1_700_000_000;
  readonly random: Random;
  readonly store = new MemoryRotationStore(() => this.now);
  readonly regions: ReadonlyMap<RegionId, Region>;
  readonly counts = { issued: 0, verified: 0 };
  /** Kids whose tokens an operator chose to end, or to issue too early. */
  readonly sacrificed = new Set<string>();
  /** Keys whose private half somebody else disabled: their region may be without a signer. */
  sabotaged = false;
  readonly #live: Token[] = [];

  constructor(random: Random) {
    this.random = random;
    const counter: KeyCounter = { made: 0 };
    this.regions = new Map(regionIds.map((id) => [id, this.#createRegion(id, counter)]));
  }

  region(id: RegionId): Region {
    const region = this.regions.get(id);
    if (region === undefined) throw new RangeError(id);
    return region;
  }

  #createRegion(id: RegionId, counter: KeyCounter): Region {
    const reader = {
      listSigningKeys: async () => {
        if (this.random.chance(0.02)) throw new UnavailableError('the table does not answer');
        const seen = this.now - this.random.integer(0, maxReplicationLag);
        return this.store.listAsOf(Math.min(seen, this.region(id).isolatedSince ?? seen));
      },
    };
    const { keyListRefresh: refreshInterval } = policy;
    const tokenSettings = { refreshInterval, maxAge: keyListMaxAge(policy) };
    const jwksSettings = { refreshInterval, maxAge: Number.POSITIVE_INFINITY };
    const kms = new MemoryKms(id, () => this.now, counter);
    kms.onRemoval = (arn, how) => this.#checkRemoval(arn, how);
    return {
      id,
      kms,
      tokenKeys: new SigningKeyCache(reader, tokenSettings),
      jwksKeys: new SigningKeyCache(reader, jwksSettings),
      served: [],
      inService: false,
      isolatedSince: undefined,
      blindUntil: 0,
      asked: 0,
      unsigned: 0,
    };
  }

  /** Lets time pass, in steps so short that nothing is missed. */
  async pass(seconds: number): Promise<void> {
    for (let left = seconds; left > 0; ) {
      const step = Math.min(left, this.random.integer(1, 7));
      this.now += step;
      left -= step;
      await this.#observe();
    }
  }

  /** What happens everywhere at one instant. */
  async #observe(): Promise<void> {
    for (const region of this.#inService()) await this.#serveJwks(region);
    for (const region of this.#inService()) {
      if (this.random.chance(0.5)) await this.#issue(region);
    }
    this.#verifySome();
  }

  #inService(): readonly Region[] {
    return [...this.regions.values()].filter((region) => region.inService);
  }

  async #serveJwks(region: Region): Promise<void> {
    const keys = await region.jwksKeys.listSigningKeys(this.now).catch(() => undefined);
    if (keys === undefined) return;
    if (region.isolatedSince !== undefined) region.blindUntil = this.now + policy.propagationLag;
    const kids = new Set(buildJwks(keys, this.now).keys.map(({ kid }) => kid));
    const published = keys.filter((key) => kids.has(key.kid));
    this.#checkJwks(published, region);
    region.served.push({
      at: this.now,
      keys: new Map(published.map((key) => [key.kid, key.kmsKeyArn])),
    });
  }

  /** The JWKS that a region serves now, for the canary. */
  async currentJwks(regionId: RegionId): Promise<ReadonlySet<string> | undefined> {
    const region = this.region(regionId);
    const keys = await region.jwksKeys.listSigningKeys(this.now).catch(() => undefined);
    return keys && new Set(buildJwks(keys, this.now).keys.map(({ kid }) => kid));
  }

  async #issue(region: Region): Promise<void> {
    const keys = await region.tokenKeys.listSigningKeys(this.now).catch(() => undefined);
    if (keys === undefined) return;
    const lifetime = this.random.integer(1, policy.maxTokenLifetime);
    const exp = this.now + lifetime;
    const need = { regionId: region.id, now: this.now, expiresAt: exp, ...policy };
    const candidates = selectSigningKeys(keys, need);
    const hasKey = keys.some((key) => key.regionId === region.id && key.state === 'current');
    if (hasKey) region.asked += 1;
    const key = candidates.find((candidate) => region.kms.canSign(candidate.kmsKeyArn));
    if (key === undefined) {
      if (hasKey) region.unsigned += 1;
      return;
    }
    const signedWith = key.kmsKeyArn;
    const token = { kid: key.kid, signedWith, regionId: region.id, iat: this.now, exp };
    this.#checkLead(key);
    this.counts.issued += 1;
    this.#live.push(token);
    // The worst verifiers for a young token: those whose JWKS is as old as may be.
    for (const verifier of this.#inService()) this.#verify(token, verifier, oldestJwks);
  }

  #verifySome(): void {
    const { random } = this;
    for (let index = this.#live.length - 1; index >= 0; index -= 1) {
      const token = this.#live[index];
      if (token === undefined) continue;
      if (token.exp <= this.now) this.#live.splice(index, 1);
      else if (random.chance(0.15)) {
        // A fresh JWKS is the first to lack a key that has left; any age lies between.
        const age = random.chance(0.5) ? 0 : random.integer(0, oldestJwks);
        this.#verify(token, random.pick(this.#inService()), age);
      }
    }
  }

  /** Verifies a token as a verifier does that fetched its JWKS so many seconds ago. */
  #verify(token: Token, verifier: Region, age: number): void {
    const jwks = findSince(verifier.served, this.now - age);
    if (jwks === undefined || this.sacrificed.has(token.kid)) return;
    this.counts.verified += 1;
    if (jwks.keys.get(token.kid) === token.signedWith) return;
    throw new Violation(
      `a token of ${token.regionId} that lives from ${token.iat} to ${token.exp} does not verify at ${this.now} through the JWKS of ${verifier.id} of ${jwks.at}: ${token.kid} ${JSON.stringify(this.store.find(token.kid))}`,
    );
  }

  #checkLead(key: SigningKey): void {
    const recordedAt = this.store.recordedAt.get(key.kid) ?? Number.POSITIVE_INFINITY;
    const isFirst = this.store.intents.some((intent) => intent.publicJwk?.kid === key.kid);
    if (isFirst || this.sacrificed.has(key.kid)) return;
    if (this.now - recordedAt >= policy.publicationLead) return;
    throw new Violation(`${key.kid} signs ${this.now - recordedAt} s after it was published`);
  }

  #checkJwks(published: readonly SigningKey[], region: Region): void {
    if (published.length === 0) throw new Violation(`the JWKS of ${region.id} is empty`);
    for (const { kid } of published) {
      const key = this.store.find(kid);
      // Every key but one that is withdrawn in an emergency leaves at a time known beforehand.
      const goneAt = this.sacrificed.has(kid)
        ? (key?.withdrawnAt ?? this.now) + policy.propagationLag
        : (key?.withdrawAt ?? key?.withdrawnAt ?? this.now);
      if (key !== undefined && this.now <= goneAt) continue;
      // What it did not hear of cannot end there.
      if (this.now <= region.blindUntil) continue;
      throw new Violation(`${region.id} publishes ${kid} ${this.now - goneAt} s after its end`);
    }
  }

  /** KMS is told to disable or delete only what no verifier can need. */
  #checkRemoval(kmsKeyArn: string, how: 'disable' | 'delete'): void {
    const key = this.store.keys.find((candidate) => candidate.kmsKeyArn === kmsKeyArn);
    if (key === undefined) return;
    const since = how === 'disable' ? key.withdrawnAt : key.disabledAt;
    const wait = how === 'disable' ? oldestJwks : policy.deletionDelay;
    const isDue = since !== undefined && since + wait <= this.now;
    const isEmergency = this.sacrificed.has(key.kid) && key.withdrawnAt !== undefined;
    if (isDue || (isEmergency && how === 'disable')) return;
    throw new Violation(`${how} of ${key.kid}, which is "${key.state}"`);
  }

  /** What a canary token of a key finds out, region by region. */
  async prove(kid: string, asking: RegionId): Promise<readonly CanaryVerdict[]> {
    const heartbeats = await this.store.listHeartbeats();
    const regions = regionsInService(asking, regionIds, heartbeats, this.now);
    const key = this.store.find(kid);
    const verdicts: CanaryVerdict[] = [];
    for (const region of regions) {
      const jwks = await this.currentJwks(region);
      const signs = key !== undefined && this.region(key.regionId).kms.canSign(key.kmsKeyArn);
      const problem =
        jwks === undefined
          ? 'unreachable'
          : !signs
            ? 'not_signed'
            : jwks.has(kid)
              ? undefined
              : 'absent';
      verdicts.push({ kid, region, ok: problem === undefined, problem });
    }
    return verdicts;
  }
}

/** The first of what was served at a time or later; the list is in the order of time. */
function findSince<T extends { readonly at: number }>(
  served: readonly T[],
  time: number,
): T | undefined {
  let index = served.length;
  while (index > 0 && (served[index - 1]?.at ?? 0) >= time) index -= 1;
  return served[index];
}
