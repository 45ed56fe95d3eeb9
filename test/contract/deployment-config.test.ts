import { RegionInfo } from 'aws-cdk-lib/region-info';
import { describe, expect, it } from 'vitest';
import {
  DeploymentConfigError,
  type DeploymentConfigInput,
  parseDeploymentConfig,
} from '../../contract/deployment-config.ts';
import { awsRegions, partitionOf } from '../../contract/partitions.ts';
import { proofAlgs } from '../../contract/proof-algorithms.ts';
import { authorizationPath, routesOf, throttlesOf } from '../../contract/routes.ts';

const single = {
  regions: { slc: { awsRegion: 'us-west-2' } },
  defaultAudience: 'https://api.example.com',
  scopes: [{ service: 'messaging', permission: 'view', description: 'Read messages' }],
} satisfies DeploymentConfigInput;

const calls = { service: 'calls', permission: 'view', description: 'Read calls' };

const domain = {
  name: 'auth.example.com',
  hostedZoneId: 'Z0123456789ABC',
  hostedZoneName: 'example.com',
};

const three = {
  ...single,
  domain,
  regions: {
    slc: { awsRegion: 'us-west-2' },
    dfw: { awsRegion: 'us-east-2' },
    pit: { awsRegion: 'us-east-1' },
  },
} satisfies DeploymentConfigInput;

const rolesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => `arn:aws:iam::111122223333:role/r${index}`);

const keyOf = (region: string) =>
  `arn:aws:kms:${region}:111122223333:key/11111111-2222-3333-4444-555555555555`;

describe('the token function', () => {
  it('is one vCPU whole, with no instance kept started, unless the config says otherwise', () => {
    expect(parseDeploymentConfig(single).tokenFunction).toEqual({ memory: 1769 });
  });

  it.each([
    [{ tokenFunction: { memory: 128 } }, 'tokenFunction.memory: received 128'],
    [{ tokenFunction: { provisionedConcurrency: 0 } }, 'allowed: 1 or more'],
    [
      { tokenFunction: { provisionedConcurrency: 2 }, reservedConcurrency: { token: 2 } },
      'tokenFunction.provisionedConcurrency: received 2; allowed: less than reservedConcurrency.token, which is 2: a deployment tests new code outside of the provisioned instances',
    ],
    [
      { reservedConcurrency: { token: 0 } },
      'reservedConcurrency.token: received 0; allowed: 1 or more',
    ],
  ])('is refused: %o', (different, message) => {
    expect(() => parseDeploymentConfig({ ...single, ...different })).toThrow(message);
  });
});

describe('a choice of few words', () => {
  it.each([
    ['tracing', ['on', 'off']],
    ['dashboard', ['on', 'off']],
    ['functionReports', ['all', 'failures']],
    ['audienceParameter', ['ignore', 'refuse', 'resource']],
  ])('%s is refused with what is allowed: %j', (key, words) => {
    for (const word of words) {
      expect(parseDeploymentConfig({ ...single, [key]: word })).toHaveProperty(key, word);
    }
    for (const wrong of ['On', '', true, null, ['on']]) {
      const parse = () => parseDeploymentConfig({ ...single, [key]: wrong });
      expect(parse, JSON.stringify(wrong)).toThrow(
        `${key}: received ${JSON.stringify(wrong)}; expected (`,
      );
      for (const word of words) expect(parse).toThrow(word);
    }
  });
});

describe('the authorization endpoint', () => {
  it.each([
    [{}, false],
    [{ authorizationEndpoint: false }, false],
    [{ authorizationEndpoint: true }, true],
  ])('is off unless the config has it: %o', (different, expected) => {
    const config = parseDeploymentConfig({ ...single, ...different });
    expect(config.authorizationEndpoint).toBe(expected);
    const paths = routesOf(config).map(({ path }) => path);
    expect(paths.includes(authorizationPath)).toBe(expected);
  });

  it.each(['true', 1, 'https://auth.example.com/authorize'])('is refused: %o', (value) => {
    expect(() => parseDeploymentConfig({ ...single, authorizationEndpoint: value })).toThrow(
      'authorizationEndpoint: received',
    );
  });
});

describe('a slip of the person who writes a config', () => {
  const scope = '{"service":"messaging","permission":"view","description":"Read messages"}';

  it.each([
    [{ alarmEmail: 'ops@example.com' }, 'alarmEmail: unknown key; did you mean alarmEmails?'],
    [{ regions: { eu: {} } }, 'regions.eu: unknown key; allowed: slc, dfw, pit'],
    [
      { clientKeys: { jwks: 1 } },
      'clientKeys.jwks: unknown key; allowed: algorithms, only, maxAge',
    ],
    [{ regions: { slc: 'us-west-2' } }, 'expected an object, e.g. {"awsRegion":"us-west-2"}'],
    [
      { regions: { slc: { awsRegion: 'eu-cental-1' } } },
      /awsRegion: received "eu-cental-1"; allowed: an AWS region: af-south-1, .*; did you mean eu-central-1\?$/,
    ],
    [
      { scopes: ['messaging:view'] },
      `scopes.0: received "messaging:view"; expected an object, e.g. ${scope}`,
    ],
    [{ scopes: 'messaging:view' }, `expected a list, e.g. [${scope}]`],
    [{ alarmEmails: 'ops@example.com' }, 'expected a list, e.g. ["ops@example.com"]'],
    [
      { domain: 'auth.example.com' },
      'expected an object, e.g. {"name":"auth.example.com","hostedZoneId":',
    ],
    [{ tokenLifetime: 60 }, 'expected an object with default, minimum, maximum'],
  ])('gets what is allowed, the nearest name or an example: %j', (slip, message) => {
    expect(() => parseDeploymentConfig({ ...single, ...slip })).toThrow(message);
  });

  it.each([
    [{ colour: 1 }, true],
    [{ alarmEmail: 'ops@example.com' }, false],
    [{ regions: { eu: {} } }, false],
  ])('may be a key of another release only if it resembles none: %j', (slip, isOfAnother) => {
    const parse = () => parseDeploymentConfig({ ...single, ...slip });
    if (isOfAnother) expect(parse).toThrow('may be of another release');
    else expect(parse).not.toThrow('may be of another release');
  });
});

describe('assertions of workloads', () => {
  it('are off unless the config has them, and then accepted for an hour', () => {
    expect(parseDeploymentConfig(single).federatedClients).toBeUndefined();
    const { federatedClients } = parseDeploymentConfig({ ...single, federatedClients: {} });
    expect(federatedClients).toEqual({ maxAge: 3600, ownProviders: false });
  });

  it.each([
    [{ federatedClients: true }, 'federatedClients: received true'],
    [{ federatedClients: { maxAge: 59 } }, 'federatedClients.maxAge: received 59'],
    [{ federatedClients: { maxAge: 86_401 } }, 'federatedClients.maxAge: received 86401'],
    [{ federatedClients: { audience: 'a b' } }, 'federatedClients.audience: received "a b"'],
    [{ federatedClients: { keys: [] } }, 'federatedClients.keys: unknown key'],
    [
      { federatedClients: { audience: single.defaultAudience } },
      'defaultAudience: received "https://api.example.com", which federatedClients takes for assertions; allowed: the name of an API',
    ],
    [
      { ...three, federatedClients: {}, defaultAudience: 'https://auth.example.com' },
      'defaultAudience: received "https://auth.example.com"',
    ],
    [
      {
        ...three,
        federatedClients: {},
        defaultAudience: 'https://dfw.auth.example.com/api/v1/oauth/token',
      },
      'defaultAudience: received "https://dfw.auth.example.com/api/v1/oauth/token"',
    ],
  ])('are refused: %o', (different, message) => {
    expect(() => parseDeploymentConfig({ ...single, ...different })).toThrow(message);
  });
});

describe('keys of clients', () => {
  it('are off, and restrict nothing if they are on', () => {
    expect(parseDeploymentConfig(single).clientKeys).toBeUndefined();
    expect(parseDeploymentConfig({ ...single, clientKeys: {} }).clientKeys).toEqual({
      algorithms: ['ES256', 'ES384', 'Ed25519', 'PS256', 'RS256', 'RS384'],
      only: false,
      maxAge: 120,
      tokenEndpointAudience: false,
    });
  });

  it.each([
    [{ algorithms: [] }, 'clientKeys.algorithms'],
    [{ algorithms: ['ES256', 'ES256'] }, 'clientKeys.algorithms'],
    [{ algorithms: ['HS256'] }, 'clientKeys.algorithms.0: received "HS256"'],
    [{ algorithms: ['EdDSA'] }, 'clientKeys.algorithms.0: received "EdDSA"'],
    [{ maxAge: 29 }, 'clientKeys.maxAge: received 29'],
    [{ maxAge: 601 }, 'clientKeys.maxAge: received 601'],
    [{ only: 'yes' }, 'clientKeys.only: received "yes"'],
    [{ jwksUri: true }, 'clientKeys.jwksUri: unknown key'],
  ])('are refused: %o', (clientKeys, message) => {
    const config = { ...single, clientKeys };
    expect(() => parseDeploymentConfig(config)).toThrow(message);
  });
});

describe('tokens that are bound to keys', () => {
  const audiences = { 'https://api.example.com/voice': 'required' };

  it('are off, and take every algorithm if they are on', () => {
    expect(parseDeploymentConfig(single).dpop).toBeUndefined();
    expect(parseDeploymentConfig({ ...single, dpop: { audiences } }).dpop).toEqual({
      audiences,
      algorithms: [...proofAlgs],
    });
  });

  it.each([
    [{}, 'dpop: received {"audiences":{}'],
    [{ audiences: {} }, 'allowed: one audience or more, or a default'],
    [{ default: 'always' }, 'received "always"'],
    [{ audiences: { 'https://a.example': 'always' } }, 'received "always"'],
    [{ audiences: { api: 'required' } }, 'an absolute URI'],
    [{ audiences: ['https://a.example'] }, 'dpop.audiences'],
    [{ audiences, algorithms: ['HS256'] }, 'dpop.algorithms.0: received "HS256"'],
    [{ audiences, algorithms: [] }, 'dpop.algorithms'],
    [{ audiences, clients: [] }, 'dpop.clients: unknown key'],
  ])('are refused: %o', (dpop, message) => {
    expect(() => parseDeploymentConfig({ ...single, dpop })).toThrow(message);
  });
});

describe('the throttles', () => {
  it('leave a fifth of the Sign quota unless the config says otherwise', () => {
    const documents = { rateLimit: 2000, burstLimit: 1000 };
    const of = (more: object) => throttlesOf(parseDeploymentConfig({ ...single, ...more }));
    expect(of({})).toMatchObject({ token: { rateLimit: 800, burstLimit: 400 }, documents });
    expect(of({ kmsSignQuota: 4000 }).token).toEqual({ rateLimit: 3200, burstLimit: 1600 });
    expect(of({ kmsSignQuota: 10_000 }).token).toEqual({ rateLimit: 4000, burstLimit: 2000 });
    expect(of({ apiGatewayQuota: 1000 }).token).toEqual({ rateLimit: 400, burstLimit: 200 });
    expect(of({ kmsSignQuota: 1 }).token).toEqual({ rateLimit: 1, burstLimit: 1 });
    const throttles = { token: { rateLimit: 900, burstLimit: 100 } };
    expect(of({ throttles })).toMatchObject({ ...throttles, documents });
    const newer = { regions: { slc: { awsRegion: 'eu-south-1' } } };
    expect(of(newer).documents).toEqual({ rateLimit: 500, burstLimit: 250 });
    expect(of({ ...newer, apiGatewayQuota: 10_000 }).documents).toEqual(documents);
    expect(of({ apiGatewayQuota: 40_000 }).documents).toEqual(documents);
  });

  it('let twice the Sign quota in if executions are reserved, because the function protects KMS', () => {
    const rateOf = (more: object) =>
      throttlesOf(parseDeploymentConfig({ ...single, ...more })).token.rateLimit;
    const reservedConcurrency = { token: 330 };
    expect(rateOf({ reservedConcurrency })).toBe(2000);
    expect(rateOf({ reservedConcurrency: { token: 130 } })).toBe(1300);
    expect(rateOf({ reservedConcurrency, apiGatewayQuota: 3000 })).toBe(1200);
    expect(rateOf({ reservedConcurrency, regions: { slc: { awsRegion: 'eu-south-1' } } })).toBe(
      1000,
    );
    for (const mode of ['count', 'off']) {
      expect(rateOf({ reservedConcurrency, fairShare: { mode } })).toBe(800);
      expect(rateOf({ reservedConcurrency: { token: 20 }, fairShare: { mode } })).toBe(200);
    }
  });

  it.each([
    [4001, {}, 'at most 4000, which is four times kmsSignQuota (1000)'],
    [3001, { apiGatewayQuota: 7500 }, 'at most 3000, which is 40 % of apiGatewayQuota (7500)'],
    [
      901,
      { reservedConcurrency: { token: 90 } },
      'at most 900, which is 10 for each of reservedConcurrency.token (90)',
    ],
    [
      1001,
      { fairShare: { mode: 'count' } },
      'at most kmsSignQuota, which is 1000, unless fairShare.mode is "enforce"',
    ],
  ])('of the token path may not be %d with %o', (rateLimit, more, allowed) => {
    const parse = (rate: number) =>
      parseDeploymentConfig({
        ...single,
        ...more,
        throttles: { token: { rateLimit: rate, burstLimit: 100 } },
      });
    expect(() => parse(rateLimit)).toThrow(
      `throttles.token.rateLimit: received ${rateLimit}; allowed: ${allowed}`,
    );
    expect(parse(rateLimit - 1).throttles.token?.rateLimit).toBe(rateLimit - 1);
  });

  it.each([
    [{ token: { rateLimit: 0, burstLimit: 1 } }, 'throttles.token.rateLimit: received 0'],
    [{ token: { rateLimit: 5 } }, 'throttles.token.burstLimit'],
    [{ documents: { rateLimit: 1.5, burstLimit: 1 } }, 'allowed: a whole number'],
    [{ health: { rateLimit: 1, burstLimit: 1 } }, 'throttles.health'],
    [
      { documents: { rateLimit: 3001, burstLimit: 1 } },
      'throttles.documents.rateLimit: received 3001; allowed: at most 3000, which is 30 % of apiGatewayQuota (10000)',
    ],
  ])('are refused: %o', (throttles, message) => {
    expect(() => parseDeploymentConfig({ ...single, throttles })).toThrow(message);
  });
});

describe('AWS regions', () => {
  it('are those that the CDK knows', () => {
    const known = RegionInfo.regions.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const rows = awsRegions.map((name) => [name, partitionOf(name).id, partitionOf(name).domain]);
    expect(rows).toEqual(known.map((one) => [one.name, one.partition, one.domainSuffix]));
  });

  it.each(['us-west-9', 'us-east', 'uswest2', 'US-WEST-2'])('do not include %s', (awsRegion) => {
    expect(() => parseDeploymentConfig({ ...single, regions: { slc: { awsRegion } } })).toThrow(
      `regions.slc.awsRegion: received "${awsRegion}"; allowed: an AWS region: af-south-1`,
    );
  });

  it.each(['us-iso-east-1', 'us-isob-west-1', 'eu-isoe-west-1', 'us-isof-south-1'])(
    'of an isolated partition, as %s, are refused with the reason',
    (awsRegion) => {
      expect(() => parseDeploymentConfig({ ...single, regions: { slc: { awsRegion } } })).toThrow(
        `received "${awsRegion}"; allowed: a region outside of ${partitionOf(awsRegion).id}: the functions need arm64`,
      );
    },
  );

  it.each(['arn:aws:iam::111122223333:role/break-glass', 'arn:aws-cn:iam::111122223333:role/x'])(
    'are in one partition with every ARN: %s is not',
    (breakGlassRoleArn) => {
      const regions = { slc: { awsRegion: 'eusc-de-east-1' } };
      const portalReach = { principals: [breakGlassRoleArn], trunkGroups: ['tg-1'] };
      const management = { default: 'nothing' as const, reach: [portalReach] };
      const problem = (key: string) =>
        `${key}: received "${breakGlassRoleArn}"; allowed: an ARN of the partition "aws-eusc", which eusc-de-east-1 is in`;
      const parse = () =>
        parseDeploymentConfig({ ...single, regions, breakGlassRoleArn, management });
      expect(parse).toThrow(problem('breakGlassRoleArn'));
      expect(parse).toThrow(problem('management.reach.0.principals.0'));
    },
  );

  it('of GovCloud have no domain', () => {
    const regions = { slc: { awsRegion: 'us-gov-west-1' } };
    expect(parseDeploymentConfig({ ...single, regions }).domain).toBeUndefined();
    expect(() => parseDeploymentConfig({ ...single, regions, domain })).toThrow(
      'domain: received "auth.example.com" with us-gov-west-1; allowed: no domain in AWS GovCloud (US)',
    );
  });
});

describe('the name of the tables that regions share', () => {
  it('is one that a deployment could have', () => {
    expect(parseDeploymentConfig({ ...single, tablesName: 'second' }).tablesName).toBe('second');
    expect(() => parseDeploymentConfig({ ...single, tablesName: 'Second' })).toThrow(
      'tablesName: received "Second"; allowed: 3 to 32 characters',
    );
  });

  it.each([
    [{ formerTablesName: 'authorization-server' }],
    [{ tablesName: 'second', formerTablesName: 'second' }],
  ])('is not that of the tables before: %j', (names) => {
    expect(() => parseDeploymentConfig({ ...single, ...names })).toThrow(
      `formerTablesName: received "${names.formerTablesName}"; allowed: the first part of the names of other tables`,
    );
  });
});

describe('a former literal', () => {
  it.each([
    [{ formerIssuer: 'https://auth.example.com', domain }, 'formerIssuer: received "https://auth'],
    [{ formerDefaultAudience: single.defaultAudience }, 'formerDefaultAudience: received "https:'],
    [{ formerIssuer: 'http://auth.example.com' }, 'formerIssuer: received "http://auth'],
  ])('is another one than the present: %j', (keys, message) => {
    expect(() => parseDeploymentConfig({ ...single, ...keys })).toThrow(message);
  });
});

describe('parseDeploymentConfig', () => {
  it('fills in every default', () => {
    const config = parseDeploymentConfig(single);
    expect(config).toMatchObject({
      name: 'authorization-server',
      issuer: undefined,
      signingAlgorithms: ['RS256'],
      tokenLifetime: { default: 3600, minimum: 60, maximum: 86_400 },
      signingKeyPolicy: { publicationLead: 87_060, retention: 87_120 },
    });
  });

  it('keeps keys for a day of tokens, also if the maximum is lower', () => {
    const tokenLifetime = { default: 300, maximum: 300 };
    const { signingKeyPolicy } = parseDeploymentConfig({ ...single, tokenLifetime });
    expect(signingKeyPolicy).toMatchObject({ maxTokenLifetime: 300, retention: 87_120 });
  });

  it('derives the issuer from the domain', () => {
    expect(parseDeploymentConfig(three).issuer).toBe('https://auth.example.com');
  });

  /** What a config of one region, or of three, is refused for. */
  const refusals: readonly (readonly [changed: unknown, message: string])[] = [
    ...[
      'https://api.example.com/é',
      'urn:a b',
      'https://api.example.com/\u0000',
      '/api',
      'https://a#b',
    ].map(
      (defaultAudience) => [{ ...single, defaultAudience }, 'defaultAudience: received '] as const,
    ),
    [{ ...single, signingAlgorithm: 'RS256' }, 'signingAlgorithm: unknown key'],
    [{ ...single, scopes: undefined }, 'scopes: missing'],
    [{ ...single, regions: {} }, 'allowed: at least one of slc, dfw, pit'],
    [{ ...single, regions: { lax: { awsRegion: 'us-west-1' } } }, 'regions.lax: unknown key'],
    [
      { ...three, domain: { ...domain, hostedZoneName: 'example.org' } },
      'domain.name: received "auth.example.com"; allowed: a name in the zone "example.org"',
    ],
    [
      { ...single, breakGlassRoleArn: 'admin' },
      'breakGlassRoleArn: received "admin"; allowed: the ARN of an IAM role',
    ],
    [
      { ...single, reservedConcurrency: { authorizer: 5 } },
      'reservedConcurrency.authorizer: unknown key',
    ],
    [
      { ...single, webAcl: { tokenRequestsPerFiveMinutes: 5 } },
      'webAcl.tokenRequestsPerFiveMinutes: received 5; allowed: 10 or more',
    ],
    [
      { ...single, alarmEmails: ['on-call'] },
      'alarmEmails.0: received "on-call"; allowed: an email address',
    ],
    [
      { ...single, backup: { retentionDays: 3 } },
      'backup.retentionDays: received 3; allowed: 7 days or more',
    ],
    [
      { ...single, apiGatewayLogRole: 'none' },
      'apiGatewayLogRole: received "none"; expected ("create" | "existing")',
    ],
    [
      { ...single, logRetentionDays: 100 },
      'logRetentionDays: received 100; expected (30 | 60 | 90 | 120 | 150 | 180 | 365 | 400 | 545 | 731 | 1096 | 1827 | 2192 | 2557 | 2922 | 3288 | 3653)',
    ],
    [
      { ...single, reservedConcurrency: { management: 0 } },
      'reservedConcurrency.management: received 0; allowed: a whole number of 1 or more, or "none"',
    ],
    [
      { ...single, regions: { slc: { awsRegion: 'us-west-2', encryptionKeyArn: 'alias/logs' } } },
      'regions.slc.encryptionKeyArn: received "alias/logs"; allowed: the ARN of a KMS key, not of an alias',
    ],
    [
      {
        ...single,
        regions: { slc: { awsRegion: 'us-west-2', encryptionKeyArn: keyOf('us-east-1') } },
      },
      `regions.slc.encryptionKeyArn: received "${keyOf('us-east-1')}"; allowed: a key of us-west-2`,
    ],
    [
      {
        ...three,
        regions: {
          ...three.regions,
          dfw: { awsRegion: 'us-east-2', encryptionKeyArn: keyOf('us-east-2') },
          pit: { awsRegion: 'us-east-1', encryptionKeyArn: keyOf('us-east-1') },
        },
      },
      'regions.slc.encryptionKeyArn: received nothing; allowed: a key in every region, or in none',
    ],
    [
      {
        ...single,
        management: {
          default: 'everything',
          reach: [{ principals: rolesOf(100), aliases: ['auditor'], trunkGroups: ['tg-1'] }],
        },
      },
      'management.reach: received 100 roles for the alias auditor, whose policy can take 38990 bytes; allowed: 20480 bytes. Let several callers assume one role',
    ],
    [{ ...three, issuer: 'https://auth.example.com' }, 'issuer: unknown key'],
    [
      { ...three, regions: { slc: three.regions.slc, dfw: three.regions.dfw } },
      'witnessAwsRegion: received nothing',
    ],
    [
      { ...three, regions: { ...three.regions, pit: { awsRegion: 'ca-central-1' } } },
      'strongly consistent tables need three different AWS regions of one set',
    ],
    [
      { ...three, regions: { ...three.regions, pit: { awsRegion: 'us-east-2' } } },
      'two platform regions are on us-east-2',
    ],
    [{ ...three, domain: undefined }, 'several regions share one issuer, so they need one'],
    [
      { ...single, tokenLifetime: { maximum: 90_000 } },
      'tokenLifetime.maximum: received 90000; allowed: at most 86400 seconds (24 hours)',
    ],
    [
      { ...single, tokenLifetime: { default: 30 } },
      'tokenLifetime: received minimum 60, default 30, maximum 86400; allowed: minimum <= default <= maximum',
    ],
    [
      { ...single, signingAlgorithms: ['HS256'] },
      'signingAlgorithms.0: received "HS256"; expected ("RS256" | "PS256" | "ES256" | "ES384" | "ML-DSA-44" | "ML-DSA-65" | "ML-DSA-87")',
    ],
    [
      { ...single, signingKeyPolicy: { publicationLead: 600 } },
      'publicationLead must be at least jwksMaxAge + edgeAge + verifierCache + propagationLag + leeway: 600 < 300 + 0 + 86400 + 300 + 60 = 87060 s',
    ],
    [
      { ...single, signingKeyPolicy: { retention: 600 } },
      'retention must be at least maxTokenLifetime + 2 * leeway + authorizerResultTtl + propagationLag: 600 < 86400 + 2 * 60 + 300 + 300 = 87120 s',
    ],
    [
      { ...single, signingKeyPolicy: { verifierCache: 29 } },
      "verifierCache must be at least the cooldown of this project's verifier, which fetches a JWKS for an unknown kid once in 30 s: 29 < 30 s",
    ],
    [
      { ...single, signingKeyPolicy: { keyListRefresh: 151 } },
      'keyListRefresh must be at most half of propagationLag: 151 > 300 / 2 = 150 s',
    ],
    [
      { ...single, scopes: [...single.scopes, ...single.scopes] },
      'scopes: messaging:view is listed twice',
    ],
    [
      { ...single, ignoredScopes: ['messaging:view'] },
      'ignoredScopes: received "messaging:view"; allowed: a scope that is not in the catalogue',
    ],
    [
      { ...single, ignoredScopes: ['openid profile'] },
      'ignoredScopes.0: received "openid profile"; allowed: a scope token of RFC 6749 §3.3, at most 1400 characters',
    ],
    [
      { ...single, scopes: [{ ...single.scopes[0], value: 'api/read all' }] },
      'scopes.0.value: received "api/read all"; allowed: a scope token of RFC 6749 §3.3, at most 1400 characters',
    ],
    [
      { ...single, scopes: [...single.scopes, { ...calls, value: 'messaging:view' }] },
      'scopes: messaging:view is listed twice',
    ],
    [
      { ...single, scopes: [{ ...single.scopes[0], value: 'synthetic-check' }] },
      'scopes: received "synthetic-check", which only the synthetic check has',
    ],
    [
      { ...single, clientImport: { maxLifetimeDays: 181 } },
      'clientImport.maxLifetimeDays: received 181; allowed: at most 180',
    ],
    [
      { ...single, clientImport: {}, clientKeys: { only: true } },
      'clientKeys.only: received true next to clientImport; allowed: one of them, as an imported client has a secret',
    ],
    [
      { ...single, clientSecretPost: true, clientKeys: { only: true } },
      'clientKeys.only: received true next to clientSecretPost; allowed: one of them, as no secret authenticates a client',
    ],
    [
      { ...single, ignoredScopes: ['openid', 'openid'] },
      'ignoredScopes: received ["openid","openid"]; allowed: each scope once',
    ],
    [
      { ...three, domain: { ...domain, name: `${'a'.repeat(53)}.example.com` } },
      'allowed: at most 64 characters, which is all that a certificate takes',
    ],
    [
      { ...single, alarmEmails: ['a@example.com', 'a@example.com'] },
      'alarmEmails: received ["a@example.com","a@example.com"]; allowed: each address once',
    ],
    [{ ...single, tags: { 'aws:team': 'x' } }, 'allowed: a name that does not begin with "aws:"'],
    [
      { ...single, signingAlgorithms: ['RS256', 'RS256'] },
      'signingAlgorithms: received ["RS256","RS256"]; allowed: each algorithm once',
    ],
    ['slc', 'the document: received "slc"'],
  ];

  it.each(refusals.map(([input, message]) => [message, input]))('%s', (message, input) => {
    expect(() => parseDeploymentConfig(input)).toThrow(DeploymentConfigError);
    expect(() => parseDeploymentConfig(input)).toThrow(message);
  });

  it('allows an http issuer on loopback if the caller says so, and no other', () => {
    const parse = (issuer: string) =>
      parseDeploymentConfig({ ...single, issuer }, { allowLoopbackIssuer: true }).issuer;
    expect(parse('http://localhost:8080')).toBe('http://localhost:8080');
    for (const other of ['https://auth.example.com', 'http://localhost:8080/', 'ftp://localhost']) {
      expect(() => parse(other)).toThrow(
        `issuer: received "${other}"; allowed: an http origin on loopback`,
      );
    }
  });
});
