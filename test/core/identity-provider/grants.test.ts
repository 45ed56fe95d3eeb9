import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { awsRegions, partitionOf } from '../../../contract/partitions.ts';
import { findPatternProblem, patternsOf } from '../../../core/client/provider-client-id.ts';
import { isCognitoIssuer } from '../../../core/identity-provider/application-rule.ts';
import {
  findIssuerGrant,
  findIssuerGrantProblem,
  findSharedHostProblem,
  findSharedSubjects,
  findSubjectGrant,
  findSubjectProblem,
  type Grant,
  issuersOverlap,
  replaceGrant,
  subjectsOverlap,
} from '../../../core/identity-provider/grant.ts';

/** Ids of few parts, so that prefixes of one another are common. */
const part = fc.constantFrom('repo', 'globex', 'Globex', 'globex-evil', 'app', '%2F', '');
const delimiter = fc.constantFrom('/', ':', '//');
const id = fc
  .array(fc.tuple(part, delimiter), { minLength: 1, maxLength: 4 })
  .chain((pairs) => part.map((last) => pairs.flat().join('') + last))
  .filter((text) => text !== '');
const values = fc.array(id, { minLength: 1, maxLength: 8 });
const groups = fc.uniqueArray(fc.constantFrom('tg-1', 'tg-2', 'tg-3'), { maxLength: 2 });

/** Grants that were given one after another, each only if it overlaps with no other one. */
function giveAll(
  given: readonly Grant[],
  overlaps: (value: string, other: string) => boolean,
): readonly Grant[] {
  return given.reduce<readonly Grant[]>((grants, grant) => {
    const others = grants.filter(({ value }) => value !== grant.value);
    return others.some(({ value }) => overlaps(value, grant.value))
      ? grants
      : replaceGrant(grants, grant);
  }, []);
}

describe('grants of client ids', () => {
  const given = fc.array(fc.record({ value: id, trunkGroups: groups }), { maxLength: 12 });

  it('never overlap: each id has one at most, in any order', () => {
    fc.assert(
      fc.property(given, id, (list, subject) => {
        const grants = giveAll(list, subjectsOverlap);
        const of = grants.filter((one) => findSubjectGrant([one], subject) !== undefined);
        expect(of.length).toBeLessThanOrEqual(1);
        expect(new Set(grants.map(({ value }) => value)).size).toBe(grants.length);
        expect(grants.every(({ trunkGroups }) => trunkGroups.length > 0)).toBe(true);
      }),
    );
  });

  it('have a pattern only if they have every id that it matches', () => {
    fc.assert(
      fc.property(values, id, (granted, subject) => {
        const grants = giveAll(
          granted.map((value) => ({ value, trunkGroups: ['tg-1'] })),
          subjectsOverlap,
        );
        for (const pattern of patternsOf(subject)) {
          const ofPattern = findSubjectGrant(grants, pattern);
          if (ofPattern !== undefined) expect(findSubjectGrant(grants, subject)).toBe(ofPattern);
          const ofId = findSubjectGrant(grants, subject);
          if (ofId !== undefined) expect(findSharedSubjects(grants, pattern)).toContain(ofId);
        }
      }),
    );
  });

  it.each([
    ['repo:globex/', 'repo:globex/app:ref:refs/heads/main', true],
    ['repo:globex/', 'repo:globex/app:ref:refs/heads/*', true],
    ['repo:globex/app:ref:refs/heads/', 'repo:globex/app:ref:refs/heads/*', true],
    ['repo:globex/', 'repo:globex-evil/app:ref:refs/heads/main', false],
    ['repo:globex/', 'repo:Globex/app:ref:refs/heads/main', false],
    ['repo:globex/', 'repo:globex', false],
    ['repo:globex/', 'repo:globex%2Fapp', false],
    ['repo:globex/', 'repo:/globex/app', false],
    ['repo:globex/', 'repo:globex//app', true],
    ['repo:globex/app', 'repo:globex/app:ref:refs/heads/main', false],
    ['repo:globex/app', 'repo:globex/application', false],
    ['repo:globex/app:', 'repo:globex/app:environment:production', true],
    ['repo:globex/app:', 'repo:globex/*', false],
    ['system:serviceaccount:voice:', 'system:serviceaccount:voice:*', true],
    ['system:serviceaccount:voice:', 'system:serviceaccount:*', false],
    ['107517467455664443765', '107517467455664443765', true],
    ['107517467455664443765', '1075174674556644437650', false],
  ])('%s and %s: %s', (value, subject, expected) => {
    const grants = [{ value, trunkGroups: ['tg-1'] }];
    expect(findSubjectGrant(grants, subject) !== undefined).toBe(expected);
  });

  it.each([
    ['repo:*', 'no "*"'],
    ['repo:globex/*', 'no "*"'],
    ['repo:', 'at least 2 parts'],
    ['spiffe://', 'at least 2 parts'],
    ['/', 'at least 2 parts'],
  ])('are not %s', (value, problem) => {
    expect(findSubjectProblem(value)).toContain(problem);
  });

  it.each(['repo:globex/', 'erp', 'spiffe://example.org/ns/voice/', 'project_path:acme/', 'a%2Fb'])(
    'can be %s',
    (value) => {
      expect(findSubjectProblem(value)).toBeUndefined();
    },
  );

  it('compare every pattern that can be registered as the ids below its prefix', () => {
    const pattern = 'repo:acme/app:ref:refs/heads/*';
    expect(findPatternProblem(pattern)).toBeUndefined();
    expect(subjectsOverlap('repo:acme/app:ref:refs/heads/', pattern.slice(0, -1))).toBe(true);
  });
});

describe('grants of issuers', () => {
  const segment = fc.constantFrom('realms', 'globex', 'globex2', 'Globex', 'v2.0');
  const issuer = fc
    .tuple(
      fc.constantFrom('https://a.example', 'https://a.example:8443', 'https://a.example.evil'),
      fc.array(segment, { maxLength: 3 }),
    )
    .map(([origin, path]) => [origin, ...path].join('/'));

  it('never overlap: each issuer has one at most, in any order', () => {
    const given = fc.array(fc.record({ value: issuer, trunkGroups: groups }), { maxLength: 12 });
    fc.assert(
      fc.property(given, issuer, (list, registered) => {
        const grants = giveAll(list, issuersOverlap);
        const of = grants.filter((one) => findIssuerGrant([one], registered) !== undefined);
        expect(of.length).toBeLessThanOrEqual(1);
      }),
    );
  });

  it.each([
    ['https://sso.example/realms/globex', 'https://sso.example/realms/globex', true],
    ['https://sso.example/realms/globex', 'https://sso.example/realms/globex/', true],
    ['https://sso.example/realms/globex', 'https://sso.example/realms/globex/v2.0', true],
    ['https://sso.example/realms/globex', 'https://sso.example/realms/globex2', false],
    ['https://sso.example/realms/globex', 'https://sso.example/realms/Globex', false],
    ['https://sso.example/realms/globex', 'https://sso.example/realms', false],
    ['https://sso.example', 'https://sso.example/realms/globex', true],
    ['https://sso.example', 'https://sso.example./realms/globex', false],
    ['https://sso.example', 'https://sso.example.evil', false],
    ['https://sso.example', 'https://sso.example:8443', false],
    ['https://sso.example:8443', 'https://sso.example:8443/a', true],
    ['https://sso.example', 'http://sso.example', false],
    ['https://sso.example', 'https://evil@sso.example', false],
    ['https://sso.example', 'https://sso.example?realm=x', false],
    ['https://sso.example/realms/globex', 'https://sso.example/realms/acme/../globex', false],
    ['https://sso.example/realms/globex', 'https://sso.example/realms//globex', false],
    ['https://sso.example/realms/globex', 'https://sso.example/realms/%67lobex', false],
    ['https://sso.example/realms/acme', 'https://sso.example/realms/acme/..%2fglobex', false],
    ['https://sso.example/realms/acme', 'https://sso.example/realms/acme/%2e%2e/globex', false],
  ])('%s and %s: %s', (value, registered, expected) => {
    const grants = [{ value, trunkGroups: ['tg-1'] }];
    expect(findIssuerGrant(grants, registered) !== undefined).toBe(expected);
  });

  it.each([
    'https://gitlab.com',
    'https://accounts.google.com',
    'https://token.actions.githubusercontent.com',
    'https://login.microsoftonline.com',
    'https://login.microsoftonline.com/common/v2.0',
    'https://login.microsoftonline.com/organizations',
    'https://tokens.sts.global.api.aws',
    'https://auth0.com',
    'https://us.auth0.com',
    'https://login.us.auth0.com',
    'https://manage.auth0.com',
    'https://okta.com',
    'https://issuer-cognito-idp.us-west-2.amazonaws.com',
    'https://oidc.prod-aks.azure.com',
    'https://westeurope.oic.prod-aks.azure.com',
    'https://vstoken.dev.azure.com',
    'https://container.googleapis.com/v1/projects',
    'https://oidc.circleci.com/org',
    'https://api.bitbucket.org/2.0/workspaces',
    'https://agent.buildkite.com',
    'https://app.terraform.io',
    'https://app.eu.terraform.io',
    'https://auth.pingone.com',
    'https://auth.pingone.com.au',
    'https://oauth.id.jumpcloud.com',
    'https://openid-connect-eu.onelogin.com/oidc',
    'https://securetoken.google.com',
  ])('cannot be %s, which has tenants of every customer', (value) => {
    expect(findIssuerGrantProblem(value)).toContain('tenants of every customer');
    expect(findSharedHostProblem(`${value}/`)).toBeDefined();
  });

  it.each(awsRegions)('cannot be a host of AWS in %s without the tenant', (region) => {
    const { domain, dualStackDomain } = partitionOf(region);
    for (const suffix of [domain, dualStackDomain]) {
      const pool = `https://cognito-idp.${region}.${suffix}`;
      const eks = `https://oidc.eks.${region}.${suffix}/id`;
      for (const value of [pool, eks, `https://s3.${region}.${suffix}`, `https://${suffix}`]) {
        expect(findIssuerGrantProblem(value), value).toContain('tenants of every customer');
      }
      expect(findIssuerGrantProblem(`https://tokens.sts.global.${suffix}`)).toBeDefined();
      expect(findIssuerGrantProblem(`${pool}/${region}_EXAMPLE1`)).toBeUndefined();
      expect(findIssuerGrantProblem(`${eks}/A1B2C3D4`)).toBeUndefined();
      expect(isCognitoIssuer(`${pool}/${region}_EXAMPLE1`)).toBe(true);
      expect(isCognitoIssuer(`${pool}.evil.example`)).toBe(false);
    }
  });

  it.each([
    'https://login.microsoftonline.com/72f988bf-0000-4000-8000-2d7cd011db47',
    'https://cognito-idp.us-west-2.amazonaws.com/us-west-2_EXAMPLE1',
    'https://oidc.eks.us-west-2.amazonaws.com/id/A1B2C3D4E5F60718293A4B5C6D7E8F90',
    'https://3f1c9a52-0b7e-4f3a-9d15-6f2d8c1b7a40.tokens.sts.global.api.aws',
    'https://issuer-cognito-idp.us-west-2.amazonaws.com/us-west-2_EXAMPLE1',
    'https://example.us.auth0.com',
    'https://example.auth0.com',
    'https://example.onelogin.com/oidc/2',
    'https://auth.pingone.eu/abfba8f6-49eb-49f5-a5d9-80ad5c98f9f6/as',
    'https://oidc.prod-aks.azure.com/72f988bf-0000-4000-8000-2d7cd011db47',
    'https://westeurope.oic.prod-aks.azure.com/72f988bf-0000-4000-8000-2d7cd011db47/6f9619ff',
    'https://vstoken.dev.azure.com/6f9619ff-8b86-4011-b42d-00cf4fc964ff',
    'https://container.googleapis.com/v1/projects/acme/locations/us-central1/clusters/voice',
    'https://oidc.circleci.com/org/6f9619ff-8b86-4011-b42d-00cf4fc964ff',
    'https://api.bitbucket.org/2.0/workspaces/acme/pipelines-config/identity/oidc',
    'https://token.actions.githubusercontent.com/acme',
    'https://securetoken.google.com/acme',
    'https://example.okta.com/oauth2/default',
    'https://sso.example.com/realms/acme',
    'https://gitlab.acme.example',
  ])('can be %s', (value) => {
    expect(findIssuerGrantProblem(value)).toBeUndefined();
  });

  it.each([
    'https://SSO.example',
    'https://sso.example/',
    'https://sso.example:443',
    'https://sso.example/a//b',
    'https://sso.example/a/../b',
    'https://sso.example/%61',
    'https://sso.example./a',
    'https://sso.example/a?b',
  ])('are in one form only: not %s', (value) => {
    expect(findIssuerGrantProblem(value)).toContain('normal form');
  });
});
