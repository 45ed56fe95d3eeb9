import { requestsOfExecution } from '../../../contract/bounds.ts';
import { ServiceUnavailableError, ThrottledError } from '../../../core/errors.ts';
import { SignHistory } from '../../../core/signing-key/sign-history.ts';
import { FairShare } from '../../../core/token/fair-share.ts';
import { SeededRandom } from '../../emulator/faults/seeded-random.ts';
import { makeSigningKey } from '../../support/signing-keys.ts';

/*
 * Three minutes of one region's token endpoint, second by second, with the token function's own fair
 * share: 2,000 clients of 200 customers that keep their tokens, and next to them some of one customer
 * that do not. KMS, the stage's throttle and the web ACL are a model.
 */

const { key } = makeSigningKey('ES256');
const kmsQuota = 1000;
const clients = 2000;
const clientsOfGroup = 10;
/** Requests a second of all other clients. */
const others = 100;
const seconds = 180;
/** What is measured begins when every count has settled. */
const settled = 60;
const startedAt = 1_800_000_000;

/** WAF counts for a minute, and blocks some seconds after the limit is reached. */
const webAclModel = { window: 60, delay: 20, limit: 600 } as const;

interface FloodPlan {
  readonly instances: number;
  /** Requests a second of the flood. */
  readonly rate: number;
  /** Clients of one customer that make the flood together; one if left out. */
  readonly hostile?: number;
  readonly webAcl?: boolean;
}

interface Instance {
  readonly share: FairShare;
  readonly sign: () => Promise<Uint8Array>;
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

async function getsToken({ share, sign }: Instance, client: number, now: number): Promise<boolean> {
  try {
    const group = client <= 0 ? 'hostile' : `group_${Math.floor(client / clientsOfGroup)}`;
    const asking = { clientId: `client_${client}`, serviceTrunkGroup: group };
    await share.take(asking, { now, log: {} }, sign);
    return true;
  } catch (error) {
    if (error instanceof ThrottledError || error instanceof ServiceUnavailableError) return false;
    throw error;
  }
}

/** Requests a second that the stage lets in. */
function throttleOf(instances: number): number {
  return Math.min(2 * kmsQuota, 4000, requestsOfExecution * instances);
}

/** @returns percent of the requests of the other clients that get a token. */
export async function simulateFlood(plan: FloodPlan): Promise<number> {
  const random = new SeededRandom(42);
  const kms: Kms = { now: startedAt, signed: 0 };
  const instances = Array.from({ length: plan.instances }, () => createInstance(kms));
  let asked = 0;
  let issued = 0;
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
    const passing = Array.from(
      { length: isBlocked ? 0 : flood },
      // None below 1 is a client of the others.
      () => -Math.floor(random.next() * (plan.hostile ?? 1)),
    );
    const requests = shuffle([...polite, ...passing], random);
    const isMeasured = second >= settled;
    if (isMeasured) asked += polite.length;
    for (const client of requests.slice(0, throttleOf(plan.instances))) {
      const instance = pickInstance(instances, random);
      if (instance === undefined) break;
      const isIssued = await getsToken(instance, client, kms.now);
      if (isMeasured && isIssued && client > 0) issued += 1;
    }
  }
  return (100 * issued) / asked;
}
