import { describe, expect, it } from 'vitest';
import { kmsKeyPolicy, type PolicyStatement } from '../../contract/kms-key.ts';

const account = 'arn:aws:iam::111122223333:root';
const role = (name: string): string => `arn:aws:iam::111122223333:role/${name}`;
const principals = {
  account,
  rotationRole: role('key-rotation'),
  signingRoles: [role('token'), role('canary')],
};

function statement(sid: string, breakGlassRole?: string): PolicyStatement {
  const found = kmsKeyPolicy({ ...principals, breakGlassRole }).Statement.find(
    ({ Sid }) => Sid === sid,
  );
  if (found === undefined) throw new Error(`there is no statement ${sid}`);
  return found;
}

describe('the key policy of a signing key', () => {
  it('gives the account everything, without which CreateKey would lock the key up', () => {
    expect(statement('AccountDecidesByIam')).toEqual({
      Sid: 'AccountDecidesByIam',
      Effect: 'Allow',
      Principal: { AWS: account },
      Action: 'kms:*',
      Resource: '*',
    });
  });

  it('allows nothing else, and nothing to everyone', () => {
    const { Statement } = kmsKeyPolicy(principals);
    expect(Statement.filter(({ Effect }) => Effect === 'Allow')).toHaveLength(1);
    expect(Statement.map(({ Principal }) => Principal.AWS)).toEqual(Statement.map(() => account));
  });

  it.each([
    ['OnlySigningRolesSign', 'kms:Sign', [role('token'), role('canary'), account]],
    [
      'OnlyRotationRetires',
      ['kms:DisableKey', 'kms:ScheduleKeyDeletion', 'kms:TagResource', 'kms:UntagResource'],
      [role('key-rotation'), account],
    ],
    ['OnlyBreakGlassOpens', ['kms:PutKeyPolicy', 'kms:CreateGrant'], [account]],
  ])('%s: denies to all but these', (sid, action, exempt) => {
    expect(statement(sid)).toEqual({
      Sid: sid,
      Effect: 'Deny',
      Principal: { AWS: account },
      Action: action,
      Resource: '*',
      Condition: { ArnNotEquals: { 'aws:PrincipalArn': exempt } },
    });
  });

  it('denies a deletion that waits for less than 30 days', () => {
    expect(statement('DeletionWaits')).toMatchObject({
      Effect: 'Deny',
      Action: 'kms:ScheduleKeyDeletion',
      Condition: { NumericLessThan: { 'kms:ScheduleKeyDeletionPendingWindowInDays': '30' } },
    });
  });

  it('exempts a break-glass role in place of the root user', () => {
    const breakGlass = role('break-glass');
    expect(statement('OnlyBreakGlassOpens', breakGlass).Condition).toEqual({
      ArnNotEquals: { 'aws:PrincipalArn': [breakGlass] },
    });
    expect(JSON.stringify(statement('OnlySigningRolesSign', breakGlass).Condition)).not.toContain(
      ':root',
    );
  });

  it('selects no key by its tag, which a key policy cannot', () => {
    expect(JSON.stringify(kmsKeyPolicy(principals))).not.toContain('aws:ResourceTag');
  });
});
