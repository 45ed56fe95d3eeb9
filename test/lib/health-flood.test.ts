import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../../lab/suites/rotation/simulation/random.ts';
import { readConfigFile, resourcesOf, synthesise } from './synthesise.ts';

/** What stands between a flood of /health and Route 53's health checks. */
interface Defences {
  /** Requests a second, and at once, that API Gateway lets through to /health. */
  readonly rateLimit: number;
  readonly burstLimit: number;
  /** Requests from one address in `windowSeconds`, above which the web ACL blocks it. */
  readonly addressRate: number;
  readonly windowSeconds: number;
  /** Of a health checker. */
  readonly intervalSeconds: number;
  readonly failureThreshold: number;
  readonly checkers: number;
}

/** AWS: usually less than this passes until a rate rule blocks an address. */
const usualDelay = 30;
/** Route 53 has 2 checkers or more in each region from which it asks. */
const checkersOfRegion = 2;
/** Route 53 takes an endpoint for healthy if more than this share of the checkers does. */
const healthyShare = 0.18;

let defences: Defences;
beforeAll(() => {
  const { templates } = synthesise(readConfigFile('three-regions'));
  defences = readDefences(templates['AuthorizationServer-slc'] as Template);
});

interface RateRule {
  readonly Name: string;
  readonly Statement: {
    readonly RateBasedStatement?: { readonly Limit: number; readonly EvaluationWindowSec: number };
  };
}

function readDefences(template: Template): Defences {
  const [stage] = Object.values(resourcesOf(template, 'AWS::ApiGateway::Stage'));
  const [acl] = Object.values(resourcesOf(template, 'AWS::WAFv2::WebACL'));
  const [check] = Object.values(resourcesOf(template, 'AWS::Route53::HealthCheck'));
  const methods = stage?.Properties['MethodSettings'] as readonly Record<string, unknown>[];
  const method = methods.find(
    ({ ResourcePath, HttpMethod }) => ResourcePath === '/~1health' && HttpMethod === 'GET',
  );
  const rules = acl?.Properties['Rules'] as readonly RateRule[];
  const rule = rules.find(({ Name }) => Name === 'health-rate')?.Statement.RateBasedStatement;
  const { RequestInterval, FailureThreshold, Regions } =
    check?.Properties['HealthCheckConfig'] ?? {};
  return {
    rateLimit: Number(method?.['ThrottlingRateLimit']),
    burstLimit: Number(method?.['ThrottlingBurstLimit']),
    addressRate: rule?.Limit ?? Number.POSITIVE_INFINITY,
    windowSeconds: rule?.EvaluationWindowSec ?? 300,
    intervalSeconds: RequestInterval,
    failureThreshold: FailureThreshold,
    checkers: Regions.length * checkersOfRegion,
  };
}

/** A flood from addresses that each send so many requests a second. */
interface Flood {
  readonly addresses: number;
  readonly perSecond: number;
}

/** Plays ten minutes. @returns the smallest share of checkers that took the region for healthy. */
function play(flood: Flood, given: Defences): number {
  const random = new Random(7);
  const { checkers } = given;
  const exceeds = flood.perSecond * given.windowSeconds > given.addressRate;
  const blockedFrom = exceeds
    ? given.addressRate / flood.perSecond + usualDelay
    : Number.POSITIVE_INFINITY;
  const failures = Array.from({ length: checkers }, () => 0);
  let tokens = given.burstLimit;
  let worst = 1;
  for (let second = 0; second < 600; second += 1) {
    const flooding = second < blockedFrom ? flood.addresses * flood.perSecond : 0;
    const asking = failures.flatMap((_, at) =>
      second % given.intervalSeconds === at % given.intervalSeconds ? [at] : [],
    );
    const requests = flooding + asking.length;
    tokens = Math.min(given.burstLimit, tokens) + given.rateLimit;
    const admitted = Math.min(1, tokens / requests);
    tokens = Math.max(0, tokens - requests);
    for (const at of asking) failures[at] = random.chance(admitted) ? 0 : (failures[at] ?? 0) + 1;
    const healthy = failures.filter((count) => count < given.failureThreshold).length;
    worst = Math.min(worst, healthy / checkers);
  }
  return worst;
}

describe('a region under a flood of /health', () => {
  it.each([300, 1000, 5000, 20_000])(
    'stays healthy while one address sends %d requests a second',
    (perSecond) => {
      expect(play({ addresses: 1, perSecond }, defences)).toBeGreaterThan(healthyShare);
    },
  );

  it('stays healthy under 500 addresses that each stay below the limit', () => {
    const perSecond = defences.addressRate / defences.windowSeconds;
    const share = play({ addresses: 500, perSecond }, defences);
    expect(share).toBeGreaterThan(healthyShare);
  });

  it('would look dead without the rule: the model sees a flood', () => {
    const open = { ...defences, addressRate: Number.POSITIVE_INFINITY };
    const share = play({ addresses: 1, perSecond: 20_000 }, open);
    expect(share).toBeLessThanOrEqual(healthyShare);
  });

  it('does not block a health checker, which asks for several regions and checks', () => {
    const asked = defences.windowSeconds / defences.intervalSeconds;
    expect(defences.addressRate).toBeGreaterThanOrEqual(5 * asked);
  });
});
