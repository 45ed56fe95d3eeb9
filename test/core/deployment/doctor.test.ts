import { describe, expect, it } from 'vitest';
import singleRegion from '../../../config/single-region.json' with { type: 'json' };
import threeRegions from '../../../config/three-regions.json' with { type: 'json' };
import { addressesOf } from '../../../contract/addresses.ts';
import { parseDeploymentConfig } from '../../../contract/deployment-config.ts';
import { tokenEnvironment } from '../../../contract/function-environments.ts';
import { reservationsOf } from '../../../contract/reservations.ts';
import {
  type Check,
  examine,
  type Facts,
  type RegionFacts,
} from '../../../core/deployment/doctor.ts';
import { assertReservable } from '../../../core/deployment/reserved-concurrency.ts';
import { portalConfig } from '../../../lab/support/portal-config.ts';

const config = parseDeploymentConfig(singleRegion);
const issuer = 'https://a1b2c3.execute-api.us-west-2.amazonaws.com/live';
const live = tokenEnvironment({
  config,
  regionId: 'slc',
  addresses: addressesOf(config, issuer),
  toJson: JSON.stringify,
}) as Record<string, string>;
const unseen = { unseen: 'some:Action (AccessDenied)', todo: 'allow some:Action' };

const region: RegionFacts = {
  id: 'slc',
  awsRegion: 'us-west-2',
  quotas: {
    bootstrap: { seen: 28 },
    concurrency: { seen: { limit: 1000, unreserved: 1000, held: 0 } },
    signQuota: { seen: 1000 },
  },
  live: { seen: live },
  tables: { seen: { 'authorization-server-clients': 'ACTIVE' } },
  issuer: { seen: undefined },
};

const iam = {
  Roles: 10,
  RolesQuota: 1000,
  Policies: 10,
  PoliciesQuota: 1500,
  AttachedPoliciesPerRoleQuota: 10,
};

type Deployment = NonNullable<Facts['deployment']>;

function facts(change: Partial<RegionFacts> = {}, more: Partial<Deployment> = {}): Facts {
  return {
    node: { running: '24.1.0', oldest: '22.12.0' },
    deployment: {
      config,
      caller: { seen: { arn: 'arn:aws:iam::111122223333:user/ann' } },
      clockAhead: { seen: 1 },
      iam: { seen: iam },
      regions: [{ ...region, ...change }],
      ...more,
    },
  };
}

const quotas = (change: Partial<NonNullable<RegionFacts['quotas']>>) =>
  facts({ quotas: { ...(region.quotas as NonNullable<RegionFacts['quotas']>), ...change } });

const find = (given: Facts, name: string): Check | undefined =>
  examine(given).find((check) => check.name === name);

describe('doctor', () => {
  it('has a line for each thing that a deployment needs, and each is good', () => {
    expect(examine(facts()).map(({ name, outcome }) => [name, outcome])).toEqual([
      ['node', 'ok'],
      ['credentials', 'ok'],
      ['clock', 'ok'],
      ['iam', 'ok'],
      ['bootstrap us-west-2', 'ok'],
      ['lambda us-west-2', 'ok'],
      ['kms us-west-2', 'ok'],
      ['config us-west-2', 'ok'],
      ['tables us-west-2', 'ok'],
      ['issuer us-west-2', 'ok'],
    ]);
  });

  const rows: readonly (readonly [string, Facts, string, Partial<Check>])[] = [
    [
      'an old Node',
      { node: { running: '22.9.1', oldest: '22.12.0' } },
      'node',
      { outcome: 'problem', seen: '22.9.1', todo: 'install Node 22.12.0 or newer' },
    ],
    [
      'no credentials',
      facts({}, { caller: { seen: { refused: 'there are none' } } }),
      'credentials',
      { outcome: 'problem', seen: 'there are none' },
    ],
    [
      'a clock that is late',
      facts({}, { clockAhead: { seen: -600 } }),
      'clock',
      { outcome: 'problem', seen: '600 s behind AWS' },
    ],
    [
      'a clock that is a bit early',
      facts({}, { clockAhead: { seen: 90 } }),
      'clock',
      { outcome: 'warning', seen: '90 s ahead of AWS' },
    ],
    [
      'no bootstrap',
      quotas({ bootstrap: { seen: undefined } }),
      'bootstrap us-west-2',
      {
        outcome: 'problem',
        seen: 'none',
        todo: 'npx cdk bootstrap aws://ACCOUNT/us-west-2 -c config=FILE',
      },
    ],
    [
      'an old bootstrap',
      quotas({ bootstrap: { seen: 5 } }),
      'bootstrap us-west-2',
      { outcome: 'problem', seen: 'version 5' },
    ],
    [
      'a new account',
      quotas({ concurrency: { seen: { limit: 10, unreserved: 10, held: 0 } } }),
      'lambda us-west-2',
      { outcome: 'warning', seen: '10, of which 10 unreserved' },
    ],
    [
      'a low quota of KMS',
      quotas({ signQuota: { seen: 500 } }),
      'kms us-west-2',
      {
        outcome: 'problem',
        seen: '500 a second',
        todo: 'request 1000 in Service Quotas, or set "kmsSignQuota": 500, which the throttle follows',
      },
    ],
    [
      'no room in IAM',
      facts({}, { iam: { seen: { ...iam, Roles: 990 } } }),
      'iam',
      { outcome: 'problem', seen: 'room for 10 roles and 1490 policies, 10 policies for one role' },
    ],
    [
      'a role that takes few policies',
      facts({}, { iam: { seen: { ...iam, AttachedPoliciesPerRoleQuota: 5 } } }),
      'iam',
      { outcome: 'warning' },
    ],
    [
      'nothing deployed',
      facts({ live: { seen: undefined }, tables: { seen: {} } }),
      'config us-west-2',
      { outcome: 'ok', seen: 'nothing is deployed yet' },
    ],
    [
      'tables of an earlier deployment',
      facts({ live: { seen: undefined } }),
      'tables us-west-2',
      {
        outcome: 'warning',
        todo: 'an earlier deployment left them: deploy with --import-existing-resources',
      },
    ],
    [
      'a missing table',
      facts({ tables: { seen: { a: 'ACTIVE', b: undefined } } }),
      'tables us-west-2',
      { outcome: 'problem', seen: 'a ACTIVE, b missing' },
    ],
    [
      'no table of the last use of API keys, as in a deployment of 0.2.0',
      facts({ tables: { seen: { a: 'ACTIVE', 'authorization-server-api-key-uses': undefined } } }),
      'tables us-west-2',
      {
        outcome: 'warning',
        seen: 'a ACTIVE, authorization-server-api-key-uses missing',
        todo: 'deploy: it has the last use of API keys, which nothing records without it',
      },
    ],
    [
      'a config of another service',
      facts({ live: { seen: { ...live, AUTH_DEFAULT_AUDIENCE: 'https://other.example.com' } } }),
      'config us-west-2',
      {
        outcome: 'problem',
        todo: 'this is not the config of the deployed service, which continues unchanged:\n  defaultAudience: received "https://api.example.com"; allowed: "https://other.example.com", which is deployed, or "formerDefaultAudience": "https://other.example.com" if the change is meant',
      },
    ],
    [
      'a config that is not deployed yet',
      facts({ live: { seen: { ...live, AUTH_MAX_TOKEN_LIFETIME: '60' } } }),
      'config us-west-2',
      {
        outcome: 'warning',
        todo: 'a deployment would change AUTH_MAX_TOKEN_LIFETIME: deploy, or take the config of the deployment',
      },
    ],
    [
      'an issuer that does not answer',
      facts({ issuer: { seen: 'no' } }),
      'issuer us-west-2',
      { outcome: 'problem', seen: 'no' },
    ],
    [
      'what could not be seen',
      facts({ live: unseen }),
      'config us-west-2',
      { outcome: 'unseen', seen: unseen.unseen, todo: unseen.todo },
    ],
    [
      'a port that another program has',
      { node: facts().node, local: { isThere: false, ports: [{ port: 8080, state: 'taken' }] } },
      'ports',
      { outcome: 'problem', seen: '8080 taken', needed: 'free' },
    ],
    [
      'a local run that has ended',
      { node: facts().node, local: { isThere: true, ports: [{ port: 8080, state: 'silent' }] } },
      'ports',
      { outcome: 'problem', todo: 'start the local run with npm start' },
    ],
  ];

  it.each(rows)('says so of %s', (_, given, name, expected) => {
    expect(find(given, name)).toMatchObject(expected);
  });
});

describe('reserved concurrency', () => {
  const wanted = reservationsOf(parseDeploymentConfig(threeRegions), 'slc');

  it.each([
    ['room', { limit: 1000, unreserved: 1000 }, 0],
    ['what is deployed, also after the quota was lowered', { limit: 500, unreserved: 0 }, 800],
    ['exactly as much as Lambda leaves', { limit: 1000, unreserved: 900 }, 0],
  ])('is accepted with %s', (_, account, held) => {
    const limited = { ...account };
    expect(() => assertReservable({ account: limited, reservations: wanted, held })).not.toThrow();
  });

  it.each([
    [{ limit: 10, unreserved: 10 }, 0, 0, 0, 10],
    [{ limit: 50, unreserved: 50 }, 0, 0, 0, 50],
    [{ limit: 1000, unreserved: 899 }, 0, 799, 101, 100],
    [{ limit: 1000, unreserved: 400 }, 400, 700, 200, 100],
  ])('is refused with %j', (account, held, most, others, least) => {
    expect(() => assertReservable({ account, reservations: wanted, held })).toThrow(
      `reservedConcurrency.token (400) + reservedConcurrency.discovery (200) + reservedConcurrency.jwks (200): received 800 reserved executions; allowed: at most ${most}, because the account has a Lambda quota of ${account.limit} concurrent executions in this AWS region, other functions reserve ${others}, and Lambda keeps ${least} unreserved: request a higher quota (Service Quotas, "Concurrent executions"), or reserve less in these keys: without the key or with "none", a function reserves nothing`,
    );
  });

  it('counts the portal in its own region only', () => {
    const withPortal = parseDeploymentConfig({ ...threeRegions, portal: portalConfig });
    const keys = (id: 'slc' | 'dfw') =>
      reservationsOf(withPortal, id).map(({ key, executions }) => `${key} ${executions}`);
    expect(keys('dfw')).toHaveLength(3);
    expect(keys('slc').slice(3)).toEqual([
      'reservedConcurrency.management 20',
      'portal.reservedConcurrency 50',
    ]);
  });
});
