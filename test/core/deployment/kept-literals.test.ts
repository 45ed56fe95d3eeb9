import { describe, expect, it } from 'vitest';
import type { CheckedLiterals, DeploymentLiterals } from '../../../contract/deployment-check.ts';
import {
  assertLiteralsKept,
  OtherDeploymentError,
} from '../../../core/deployment/kept-literals.ts';

const api = 'https://a1b2c3.execute-api.us-west-2.amazonaws.com/live';
const deployed = {
  issuer: 'https://auth.example.com',
  defaultAudience: 'https://api.example.com',
  clientsTable: 'authorization-server-clients',
} as const satisfies DeploymentLiterals;

function config(
  changed: Partial<DeploymentLiterals> = {},
  former: Partial<DeploymentLiterals> = {},
): CheckedLiterals {
  return { Literals: { ...deployed, ...changed }, Former: former };
}

/** The config of a service without a domain. */
const ofApi: CheckedLiterals = {
  Literals: { defaultAudience: deployed.defaultAudience, clientsTable: deployed.clientsTable },
  Former: {},
};

function check(asked: CheckedLiterals, live: Partial<typeof deployed> | object = {}) {
  return () => assertLiteralsKept({ config: asked, deployed: { ...deployed, ...live } });
}

describe('a config', () => {
  it('may have the literals of the deployed service', () => {
    expect(check(config())).not.toThrow();
    expect(check(ofApi, { issuer: api })).not.toThrow();
  });

  it.each<[string, CheckedLiterals, object, string]>([
    [
      'another issuer',
      config({ issuer: 'https://other.example.com' }),
      {},
      'issuer: received "https://other.example.com"; allowed: "https://auth.example.com", which is deployed, or "formerIssuer": "https://auth.example.com" if the change is meant',
    ],
    [
      'no domain',
      ofApi,
      {},
      'issuer: received nothing; allowed: "https://auth.example.com", which is deployed, or',
    ],
    [
      'a domain where the address of the API is deployed',
      config(),
      { issuer: api },
      `issuer: received "https://auth.example.com"; allowed: "${api}", which is deployed, or`,
    ],
    [
      'another audience',
      config({ defaultAudience: 'https://other.example.com' }),
      {},
      'defaultAudience: received "https://other.example.com"; allowed: "https://api.example.com", which is deployed, or "formerDefaultAudience"',
    ],
    [
      'other tables',
      config({ clientsTable: 'second-clients' }),
      {},
      'tablesName: received "second"; allowed: "authorization-server", which is deployed, or "formerTablesName": "authorization-server" if the change is meant',
    ],
  ])('is refused with %s', (_, asked, live, line) => {
    expect(check(asked, live)).toThrow(OtherDeploymentError);
    expect(check(asked, live)).toThrow(line);
  });

  it('names all that differs at once', () => {
    expect(check(config({ issuer: 'https://a.example', defaultAudience: 'urn:b' }))).toThrow(
      /^this is not the config of the deployed service, which continues unchanged:\n {2}issuer: .*\n {2}defaultAudience: /,
    );
  });

  it.each<[keyof typeof deployed, string]>([
    ['issuer', 'https://other.example.com'],
    ['defaultAudience', 'https://other.example.com'],
    ['clientsTable', 'second-clients'],
  ])('may change %s if it names the deployed value, and no other', (name, value) => {
    expect(check(config({ [name]: value }, { [name]: deployed[name] }))).not.toThrow();
    expect(check(config({ [name]: value }, { [name]: 'https://third.example.com' }))).toThrow(
      OtherDeploymentError,
    );
  });
});

describe('a rollback', () => {
  const changed = 'https://other.example.com';
  const failed = config({ issuer: changed }, { issuer: deployed.issuer });

  it('passes when the live version is already that of the config that failed', () => {
    const rollback = {
      config: config(),
      before: failed,
      deployed: { ...deployed, issuer: changed },
    };
    expect(() => assertLiteralsKept(rollback)).not.toThrow();
  });

  it('passes when a config without a domain comes back', () => {
    const before = config({}, { issuer: api });
    expect(() => assertLiteralsKept({ config: ofApi, before, deployed })).not.toThrow();
  });

  it('passes when the live version is still that of before', () => {
    expect(() => assertLiteralsKept({ config: config(), before: failed, deployed })).not.toThrow();
  });

  it('is not each update after a change: the config must name what it replaces', () => {
    const before = config({ issuer: changed });
    const update = { config: config(), before, deployed: { ...deployed, issuer: changed } };
    expect(() => assertLiteralsKept(update)).toThrow(OtherDeploymentError);
  });
});
