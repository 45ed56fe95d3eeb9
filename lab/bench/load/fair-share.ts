import { maxReusableTokens, requestsOfExecution } from '../../../contract/limits.ts';
import { ClientLimitError, ServiceUnavailableError } from '../../../core/errors.ts';
import { FairShare, SignHistory } from '../../../core/token/fair-share.ts';
import { TokenReuse } from '../../../core/token/token-reuse.ts';
import { SeededRandom } from '../../emulator/faults/seeded-random.ts';
import { formatColumns } from '../../support/generated-parts.ts';
import { makeSigningKey } from '../../support/signing-keys.ts';

/*
 * `node lab/bench/load/fair-share.ts` plays three minutes of one region's token endpoint, second by
 * second, with the token function's own fair share and reuse of tokens: 2,000 clients that keep their
 * tokens, and next to them one that does not. It prints how many of the others' requests got a token
 * before there was a fair share, and get one now. KMS, the stage's throttle and the web ACL are a
 * model.
 */

const { key } = makeSigningKey('ES256');
const kmsQuota = 1000;
const clients = 2000;
/** Requests a second of all other clients. */
const others = 100;
const seconds = 180;
/** What is measured begins when every count has settled. */
const settled = 60;
const startedAt = 1_800_000_000;

/** WAF counts for a minute, and blocks some seconds after the limit is reached. */
const webAclModel = { window: 60, delay: 20, limit: 600 } as const;

const kinds = ['naive', 'other scopes each time', 'without credentials'] as const;

interface FloodPlan {
  readonly instances: number;
  readonly kind: (typeof kinds)[number];
  /** Requests a second of the flood. */
  readonly rate: number;
  /** Requests a second that the stage lets in. */
  readonly throttle: number;
  readonly isShared: boolean;
  readonly reuse?: boolean;
  readonly webAcl?: boolean;
}

interface Instance {
  readonly share: FairShare;
  readonly sign: () => Promise<Uint8Array>;
  readonly reuse: TokenReuse;
  served: number;
}

/** KMS of the region, whose quota all instances share. */
interface Kms {
  now: number;
  signed: number;
}

function createInstance(kms: Kms): Instance {
  const history = new SignHistory();
  const sign = history.watch(
    async () => {
      if (kms.signed >= kmsQuota) {
        throw new ServiceUnavailableError('KMS', 'throttled', { isThrottling: true });
      }
      kms.signed += 1;
      return Buffer.alloc(0);
    },
    () => kms.now * 1000,
  );
  return {
    share: new FairShare({ isEnforced: true, signsPerMinute: 240 }, history),
    sign: () => sign(key, Buffer.alloc(0)),
    reuse: new TokenReuse({ minimumRemainingShare: 0.5, maxTokens: maxReusableTokens }),
    served: 0,
  };
}

/** Requests in one second, by a Poisson process: the gaps are exponential. */
function drawCount(rate: number, random: SeededRandom): number {
  let count = 0;
  for (let at = -Math.log(1 - random.next()); at < rate; at -= Math.log(1 - random.next())) count++;
  return count;
}

function shuffle<T>(values: T[], random: SeededRandom): T[] {
  for (let index = values.length - 1; index > 0; index--) {
    const other = Math.floor(random.next() * (index + 1));
    [values[index], values[other]] = [values[other] as T, values[index] as T];
  }
  return values;
}

/** A free instance, or undefined: then Lambda throttles. */
function pickInstance(instances: readonly Instance[], random: SeededRandom): Instance | undefined {
  const first = Math.floor(random.next() * instances.length);
  for (let step = 0; step < instances.length; step++) {
    const instance = instances[(first + step) % instances.length] as Instance;
    if (instance.served < requestsOfExecution) {
      instance.served += 1;
      return instance;
    }
  }
  return undefined;
}

async function getsToken(
  instance: Instance,
  client: number,
  plan: FloodPlan,
  { now, scope }: { readonly now: number; readonly scope: string },
): Promise<boolean> {
  const clientId = `client_${client}`;
  const claims = {
    iss: 'i',
    sub: clientId,
    aud: 'a',
    client_id: clientId,
    iat: now,
    exp: now + 3600,
    jti: 'j',
    scope,
    service_trunk_group: 'g',
  };
  const sign = async () => {
    const signing = plan.isShared
      ? instance.share.take(clientId, { now, log: {} }, instance.sign)
      : instance.sign();
    await signing;
    return { jws: '', kid: key.kid, unusableKids: [], claims };
  };
  try {
    const request = { claims, secretHash: clientId, clientVersion: 1, kid: key.kid };
    await (plan.reuse === true ? instance.reuse.take(request, sign) : sign());
    return true;
  } catch (error) {
    if (error instanceof ClientLimitError || error instanceof ServiceUnavailableError) return false;
    throw error;
  }
}

/** @returns percent of the requests of the other clients, and of the flood, that get a token. */
export async function simulateFlood(plan: FloodPlan) {
  const random = new SeededRandom(42);
  const kms: Kms = { now: startedAt, signed: 0 };
  const instances = Array.from({ length: plan.instances }, () => createInstance(kms));
  const asked = { others: 0, flood: 0 };
  const issued = { others: 0, flood: 0 };
  const floods: number[] = [];
  for (let second = 0; second < seconds; second++) {
    kms.now = startedAt + second;
    kms.signed = 0;
    for (const instance of instances) instance.served = 0;
    const flood = drawCount(plan.rate, random);
    floods.push(flood);
    const polite = Array.from({ length: drawCount(others, random) }, () =>
      Math.ceil(random.next() * clients),
    );
    const { window, delay, limit } = webAclModel;
    const counted = floods.slice(Math.max(0, second - window - delay), Math.max(0, second - delay));
    const isBlocked = plan.webAcl === true && counted.reduce((sum, each) => sum + each, 0) > limit;
    const passing = isBlocked ? [] : Array.from({ length: flood }, () => 0);
    const requests = shuffle([...polite, ...passing], random);
    const isMeasured = second >= settled;
    if (isMeasured) {
      asked.others += polite.length;
      asked.flood += flood;
    }
    for (const client of requests.slice(0, plan.throttle)) {
      const instance = pickInstance(instances, random);
      if (instance === undefined) break;
      const isFlood = client === 0;
      if (isFlood && plan.kind === 'without credentials') continue;
      const varies = isFlood && plan.kind === 'other scopes each time';
      const scope = varies ? String(random.next()) : 'all';
      const isIssued = await getsToken(instance, client, plan, { now: kms.now, scope });
      if (isMeasured && isIssued) issued[isFlood ? 'flood' : 'others'] += 1;
    }
  }
  return {
    others: (100 * issued.others) / asked.others,
    flood: asked.flood === 0 ? 0 : (100 * issued.flood) / asked.flood,
  };
}

/** What the stage lets in: before, and since the function protects KMS. */
export function throttleOf(instances: number, isShared: boolean): number {
  return isShared ? Math.min(2 * kmsQuota, 4000, requestsOfExecution * instances) : 800;
}

type Load = Pick<FloodPlan, 'kind' | 'rate' | 'reuse' | 'webAcl'>;

/** A flood below the throttle in three forms, and above it. */
function loadsFor(instances: number): readonly Load[] {
  const rate = Math.floor(throttleOf(instances, true) * 0.93) - others;
  return [
    { kind: 'naive', rate },
    { kind: 'other scopes each time', rate, reuse: true },
    { kind: 'without credentials', rate },
    { kind: 'naive', rate: 3000 },
    { kind: 'naive', rate: 3000, webAcl: true },
  ];
}

async function main(): Promise<void> {
  const rows = [];
  for (const instances of [30, 130, 330]) {
    for (const load of loadsFor(instances)) {
      const plan = (isShared: boolean) => {
        const throttle = throttleOf(instances, isShared);
        return { instances, ...load, isShared, throttle };
      };
      const before = await simulateFlood({ ...plan(false), webAcl: false });
      rows.push({ instances, load, before, after: await simulateFlood(plan(true)) });
    }
  }
  const percent = (value: number) => `${value.toFixed(1)} %`;
  const table = formatColumns(rows, {
    instances: ({ instances }) => String(instances),
    flood: ({ load: { kind, rate } }) => `${kind}, ${rate} a second`,
    with: ({ load: { reuse, webAcl } }) =>
      [reuse === true && 'tokenReuse', webAcl === true && 'webAcl'].filter(Boolean).join(', '),
    'others got': ({ before }) => percent(before.others),
    'others get': ({ after }) => percent(after.others),
    'flood gets': ({ after }) => percent(after.flood),
  });
  process.stdout.write(`${table}\n`);
}

if (import.meta.main) await main();
