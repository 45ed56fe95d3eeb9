import { describe, expect, it } from 'vitest';
import { describeDenial } from '../../adapters/aws-errors.ts';
import { SigningKeyUnusableError, UnavailableError } from '../../core/errors.ts';

function awsError(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

const role = 'User: arn:aws:sts::111122223333:assumed-role/auth-slc-key-rotation/auth-key-rotation';

describe('a denial by AWS', () => {
  it.each([
    [
      `${role} is not authorized to perform: kms:CreateKey on resource: * because no identity-based policy allows the kms:CreateKey action`,
      'IAM does not allow kms:CreateKey on *: no identity-based policy allows it',
    ],
    [
      `${role} is not authorized to perform: dynamodb:PutItem on resource: arn:aws:dynamodb:us-west-2:111122223333:table/auth-signing-keys because no permissions boundary allows the dynamodb:PutItem action`,
      'IAM does not allow dynamodb:PutItem on arn:aws:dynamodb:us-west-2:111122223333:table/auth-signing-keys: no permissions boundary allows it',
    ],
    [
      `${role} is not authorized to perform: kms:TagResource on resource: * with an explicit deny in a service control policy: arn:aws:organizations::111122223333:policy/o-1/service_control_policy/p-1`,
      'IAM does not allow kms:TagResource on *: explicit deny in a service control policy',
    ],
    [
      `${role} is not authorized to perform: kms:GetPublicKey`,
      'IAM does not allow kms:GetPublicKey',
    ],
    [
      'something else, with a value of the caller',
      'AccessDeniedException, without the name of a permission',
    ],
  ])('%s', (message, description) => {
    expect(describeDenial(awsError('AccessDeniedException', message))).toBe(description);
  });

  it('counts as one when it is the cause of an error of ours', () => {
    const cause = awsError('AccessDeniedException', `${role} is not authorized to perform: kms:X`);
    const error = new SigningKeyUnusableError('could not read', { cause });
    expect(describeDenial(error)).toBe('IAM does not allow kms:X');
  });

  it('counts as one when the role is too new for AWS to know its session', () => {
    expect(describeDenial(awsError('UnrecognizedClientException', 'the token is invalid'))).toBe(
      'UnrecognizedClientException, without the name of a permission',
    );
  });

  it.each([
    new UnavailableError('no answer'),
    awsError('ResourceNotFoundException', 'is not authorized to perform: kms:CreateKey'),
    'AccessDeniedException',
    undefined,
  ])('is not %s', (error) => {
    expect(describeDenial(error)).toBeUndefined();
  });
});
