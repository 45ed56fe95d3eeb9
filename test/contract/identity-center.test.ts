import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDeploymentConfig } from '../../contract/deployment-config.ts';
import { kmsKeyPolicy } from '../../contract/kms-key.ts';
import { findReachEntry } from '../../contract/reach.ts';

const root = resolve(import.meta.dirname, '../..');
const single = JSON.parse(readFileSync(`${root}/config/single-region.json`, 'utf8'));
const iam = 'arn:aws:iam::111122223333:role/';
const path = `${iam}aws-reserved/sso.amazonaws.com/`;
const session = (name: string) => `arn:aws:sts::111122223333:assumed-role/${name}/jane`;

describe('a role of Identity Center', () => {
  it.each([
    `${path}AWSReservedSSO_Support_0123456789abcdef`,
    `${path}eu-west-1/AWSReservedSSO_Support_*`,
  ])('is reached with any suffix, in its account only: %s', (principal) => {
    const entry = { principals: [principal], trunkGroups: ['tg-1'] };
    const { management } = parseDeploymentConfig({
      ...single,
      management: { default: 'everything', reach: [entry] },
    });
    const find = (arn: string) => findReachEntry(management.reach, arn);
    expect(find(session('AWSReservedSSO_Support_fedcba9876543210'))).toBeDefined();
    expect(find(session('AWSReservedSSO_Support_2_fedcba9876543210'))).toBeUndefined();
    expect(find(session('AWSReservedSSO_Other_0123456789abcdef'))).toBeUndefined();
    const other = session('AWSReservedSSO_Support_fedcba9876543210').replace('1111', '9999');
    expect(find(other)).toBeUndefined();
  });

  it.each([
    `${path}AWSReservedSSO_BreakGlass_0123456789abcdef`,
    `${path}AWSReservedSSO_BreakGlass_*`,
  ])('opens a key with any suffix, if the config names it as break-glass: %s', (arn) => {
    const { breakGlassRoleArn } = parseDeploymentConfig({ ...single, breakGlassRoleArn: arn });
    const { Statement } = kmsKeyPolicy({
      account: 'arn:aws:iam::111122223333:root',
      rotationRole: `${iam}rotation`,
      signingRoles: [],
      breakGlassRole: breakGlassRoleArn,
    });
    expect(Statement.find(({ Sid }) => Sid === 'OnlyBreakGlassOpens')?.Condition).toEqual({
      ArnNotLike: { 'aws:PrincipalArn': [`${path}AWSReservedSSO_BreakGlass_${'?'.repeat(16)}`] },
    });
  });

  it.each([
    ['without its path', `${iam}AWSReservedSSO_BreakGlass_0123456789abcdef`],
    ['with another path', `${iam}people/AWSReservedSSO_BreakGlass_0123456789abcdef`],
    ['without a suffix', `${path}AWSReservedSSO_BreakGlass`],
    ['with a short suffix', `${path}AWSReservedSSO_BreakGlass_0123`],
    ['with a wildcard as its name', `${path}*`],
    ['of another kind with a wildcard', `${iam}break-glass-*`],
  ])('is refused %s, which cannot exist or means many', (_, arn) => {
    const reach = [{ principals: [arn], trunkGroups: ['tg-1'] }];
    const parse = (more: object) => () => parseDeploymentConfig({ ...single, ...more });
    const allowed = 'or a role of Identity Center as "arn:aws:iam::';
    expect(parse({ breakGlassRoleArn: arn })).toThrow(allowed);
    expect(parse({ management: { default: 'everything', reach } })).toThrow(allowed);
  });

  it('gets no alias, whose policy names a role exactly', () => {
    const principals = [
      'arn:aws:iam::999999999999:role/aws-reserved/sso.amazonaws.com/AWSReservedSSO_X_*',
    ];
    const reach = [{ principals, aliases: ['auditor'], trunkGroups: ['tg-1'] }];
    expect(() =>
      parseDeploymentConfig({ ...single, management: { default: 'nothing', reach } }),
    ).toThrow('and none is of Identity Center');
  });

  it('fits into the service control policy', () => {
    const policy = readFileSync(`${root}/docs/service-control-policy.json`, 'utf8');
    const named = policy.replaceAll('role/break-glass', 'role/aws-reserved/*SSO_BreakGlass_*');
    expect(named).not.toBe(policy);
    expect(JSON.stringify(JSON.parse(named)).length).toBeLessThanOrEqual(5120);
  });
});
