import { describe, expect, it } from 'vitest';
import {
  DeploymentConfigError,
  type DeploymentConfigInput,
  parseDeploymentConfig,
} from '../../contract/deployment-config.ts';
import { readLogo } from '../../contract/portal-look.ts';
import { portalConfig } from '../../lab/support/portal-config.ts';

type Changes = Readonly<Record<string, unknown>>;

const config: DeploymentConfigInput = {
  regions: { slc: { awsRegion: 'us-west-2' } },
  defaultAudience: 'https://api.example.com',
  scopes: [{ service: 'messaging', permission: 'view', description: 'Read messages' }],
};

function problemsOf(portal: unknown, more: Changes = {}): readonly string[] {
  try {
    parseDeploymentConfig({ ...config, portal, ...more });
    return [];
  } catch (error) {
    if (error instanceof DeploymentConfigError) return error.problems;
    throw error;
  }
}

const login = (changes: Changes) => ({
  ...portalConfig,
  login: { ...portalConfig.login, ...changes },
});
const people = (changes: Changes) => ({
  ...portalConfig,
  people: { ...portalConfig.people, ...changes },
});
const role = (changes: Changes) => people({ role: { claim: 'groups', ...changes } });
const look = (changes: Changes) => ({ ...portalConfig, look: changes });
const domain = (name: string) => ({ ...portalConfig, domain: { ...portalConfig.domain, name } });

const svg = (length: number) =>
  `data:image/svg+xml;base64,${Buffer.from('<svg/>'.padEnd(length)).toString('base64')}`;

const secret = (awsRegion: string) =>
  `arn:aws:secretsmanager:${awsRegion}:111122223333:secret:login-AbCdEf`;

describe('the portal of a config', () => {
  it('is absent by default', () => {
    expect(parseDeploymentConfig(config).portal).toBeUndefined();
  });

  it('has defaults', () => {
    expect(parseDeploymentConfig({ ...config, portal: portalConfig }).portal).toMatchObject({
      login: {
        scopes: ['openid', 'profile', 'email'],
        idTokenAlgorithm: 'RS256',
        acceptsPromptLogin: false,
      },
      sessionEpoch: 1,
      requestsPerFiveMinutes: 1000,
      look: { name: 'Authorization server' },
    });
  });

  it.each([
    [
      'administrators',
      role({ administrator: ['staff'] }),
      { management: { portalReach: { administrators: true } } },
    ],
    [
      'groups of trunk groups',
      people({ trunkGroups: { claim: 'org', groups: { acme: ['tg-1'] } } }),
      {},
    ],
    [
      'no limit next to a management function without one',
      { ...portalConfig, reservedConcurrency: 'none' },
      { reservedConcurrency: { management: 'none' } },
    ],
    ['a support address', look({ support: 'help@example.com' }), {}],
    ['a support page', look({ support: 'https://example.com/help?x=1' }), {}],
    ['a logo', look({ logo: svg(32 * 1024) }), {}],
    ['a dark colour', look({ accentColour: '#767676' }), {}],
    ['a notice', look({ notice: 'Maintenance on Sunday, 02:00–04:00 UTC' }), {}],
    [
      'the issuer’s parent domain',
      domain('portal.example.com'),
      {
        domain: {
          name: 'auth.example.com',
          hostedZoneId: 'Z0123456789ABC',
          hostedZoneName: 'example.com',
        },
      },
    ],
  ])('may have %s', (_, portal, more) => {
    expect(problemsOf(portal, more)).toEqual([]);
  });

  it.each([
    [{ ...portalConfig, region: undefined }, 'portal.region: missing'],
    [{ ...portalConfig, scopes: [] }, 'portal.scopes: unknown key'],
    [{ ...portalConfig, region: 'dfw' }, 'portal.region: received "dfw"; allowed: one of slc'],
    [
      domain('portal.example.org'),
      'portal.domain.name: received "portal.example.org"; allowed: a name in the zone "example.com"',
    ],
    [
      login({ issuer: 'http://login.example.com' }),
      'portal.login.issuer: received "http://login.example.com"; allowed: an https URL without query and fragment',
    ],
    [
      login({ issuer: 'https://login.example.com/?tenant=1' }),
      'allowed: an https URL without query and fragment',
    ],
    [
      login({ clientId: 'pörtal' }),
      'portal.login.clientId: received "pörtal"; allowed: 1 to 255 printable ASCII characters',
    ],
    [login({ clientSecret: 'x' }), 'portal.login.clientSecret: unknown key'],
    [
      login({ clientSecretArn: 'a-secret' }),
      'allowed: the whole ARN of a secret in Secrets Manager',
    ],
    [
      login({ clientSecretArn: secret('eu-west-1') }),
      'portal.login.clientSecretArn: received a secret in eu-west-1; allowed: one in us-west-2, which is portal.region',
    ],
    [
      login({ scopes: ['email'] }),
      'portal.login.scopes: received ["email"]; allowed: "openid" and others',
    ],
    [login({ idTokenAlgorithm: 'none' }), 'portal.login.idTokenAlgorithm: received "none"'],
    [login({ idTokenAlgorithm: 'HS256' }), 'portal.login.idTokenAlgorithm: received "HS256"'],
    [role({}), 'portal.people.role: received no groups; allowed: groups of one role or more'],
    [role({ viewer: [] }), 'portal.people.role.viewer: received []; allowed: one or more'],
    [role({ manager: ['a', 'a'] }), 'allowed: each once'],
    [role({ operator: ['a'] }), 'portal.people.role.operator: unknown key'],
    [
      role({ administrator: ['staff'] }),
      'portal.people.role.administrator: received ["staff"]; allowed: no value unless management.portalReach.administrators is true',
    ],
    [
      people({ trunkGroups: { claim: 'org', groups: { acme: ['tg 1'] } } }),
      'portal.people.trunkGroups.groups.acme.0: received "tg 1"; allowed: a service trunk group',
    ],
    [{ ...portalConfig, sessionEpoch: 0 }, 'portal.sessionEpoch: received 0; allowed: 1 or more'],
    [
      { ...portalConfig, requestsPerFiveMinutes: 9 },
      'portal.requestsPerFiveMinutes: received 9; allowed: 10 or more',
    ],
    [look({ name: 'a‮b' }), 'allowed: printable characters'],
    [look({ name: '' }), 'portal.look.name: received ""; allowed: not empty'],
    [look({ logo: 'https://cdn.example.com/logo.svg' }), 'allowed: data:image/svg+xml;base64,…'],
    [look({ logo: 'data:text/html;base64,PGI+' }), 'allowed: data:image/svg+xml;base64,…'],
    [
      look({ logo: 'data:image/svg+xml;base64,PGI+' }),
      'allowed: an image that begins with <svg or <?xml',
    ],
    [look({ logo: svg(32 * 1024 + 1) }), 'allowed: an image of at most 32768 characters'],
    [
      look({ accentColour: 'red' }),
      'portal.look.accentColour: received "red"; allowed: a lower-case colour as #rrggbb',
    ],
    [
      look({ support: 'javascript:alert(1)' }),
      'portal.look.support: received "javascript:alert(1)"; allowed: an email address or an https URL',
    ],
  ])('is refused: %#', (portal, problem) => {
    expect(problemsOf(portal)).toEqual([expect.stringContaining(problem)]);
  });

  it.each([
    [51, {}, 50, 60],
    ['none', {}, 50, 60],
    [undefined, { management: 59 }, 49, 59],
  ] as const)(
    'is refused with %s executions that operators need',
    (received, management, most, all) => {
      const portal = { ...portalConfig, reservedConcurrency: received };
      expect(problemsOf(portal, { reservedConcurrency: management })).toEqual([
        `portal.reservedConcurrency: received ${JSON.stringify(received ?? 50)}; allowed: at most ${most}, which is reservedConcurrency.management (${all}) less 10 for operators, so that pages never keep them from stopping something`,
      ]);
    },
  );

  it.each(['auth.example.com', 'slc.auth.example.com'])(
    'is not on a host of the issuer: %s',
    (name) => {
      const issuer = { ...portalConfig.domain, name: 'auth.example.com' };
      expect(problemsOf(domain(name), { domain: issuer })).toEqual([
        `portal.domain.name: received "${name}"; allowed: a host that is not the issuer's, which serves no pages with cookies`,
      ]);
    },
  );
});

describe('the reach of a portal', () => {
  it('names scopes of the catalogue', () => {
    const management = { portalReach: { scopes: ['messaging:view', 'calls:view'] } };
    expect(problemsOf(undefined, { management })).toEqual([
      'management.portalReach.scopes: received "calls:view"; allowed: a scope of the catalogue',
    ]);
  });
});

describe('a logo', () => {
  it('is what the text says', () => {
    const text = '<svg><title>Ünïcode</title></svg>';
    expect(readLogo(`data:image/svg+xml;base64,${Buffer.from(text).toString('base64')}`)).toBe(
      text,
    );
  });

  it.each([
    '',
    'data:image/svg+xml;base64,a',
    'data:image/svg+xml;base64,=aaa',
    'data:image/png;base64,aaaa',
  ])('is not %o', (text) => {
    expect(readLogo(text)).toBeUndefined();
  });
});
