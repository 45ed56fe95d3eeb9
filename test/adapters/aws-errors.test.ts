import { describe, expect, it } from 'vitest';
import { callAws, callWithKey } from '../../adapters/aws-errors.ts';
import { describeError, ServiceUnavailableError } from '../../core/errors.ts';

const sdkError = (name: string, more: object = {}) =>
  Object.assign(new Error('detail'), { name, ...more });

const failing = (error: Error) =>
  callAws('DynamoDB', 'read it', async () => {
    throw error;
  });

describe('an error of an AWS call', () => {
  it.each([
    ['the deadline', sdkError('AbortError')],
    ['a throttle', sdkError('ThrottlingException')],
    ['a throttle of a table', sdkError('ProvisionedThroughputExceededException')],
    ['a throttle of an account', sdkError('RequestLimitExceeded')],
    ['status 500', sdkError('Other', { $metadata: { httpStatusCode: 500 } })],
    ['status 501', sdkError('Other', { $metadata: { httpStatusCode: 501 } })],
    ['a timeout', sdkError('TimeoutError')],
    ['a connection refused', sdkError('Error', { code: 'ECONNREFUSED' })],
    ['a name that is not found', sdkError('Error', { code: 'ENOTFOUND' })],
    ['a conflict of replicas', sdkError('ReplicatedWriteConflictException', { $retryable: {} })],
  ])('that passes by itself is ServiceUnavailableError: %s', async (_, error) => {
    const caught = await failing(error).catch((reason: unknown) => reason);
    expect(caught).toBeInstanceOf(ServiceUnavailableError);
    expect(caught).toMatchObject({
      service: 'DynamoDB',
      message: `could not read it: ${error.name}`,
      cause: error,
    });
  });

  it('says which address does not answer', async () => {
    const refused = (address: string) =>
      Object.assign(new Error(`connect ECONNREFUSED ${address}:1`), {
        code: 'ECONNREFUSED',
        syscall: 'connect',
      });
    await expect(failing(refused('127.0.0.1'))).rejects.toThrow(
      /^could not read it: connect ECONNREFUSED 127\.0\.0\.1:1$/,
    );
    const both = Object.assign(new AggregateError([refused('::1'), refused('127.0.0.1')]), {
      code: 'ECONNREFUSED',
    });
    await expect(failing(both)).rejects.toThrow(
      /^could not read it: connect ECONNREFUSED ::1:1, connect ECONNREFUSED 127\.0\.0\.1:1$/,
    );
  });

  it('that is not there is named, as AWS does not say which table or function is missing', async () => {
    const error = sdkError('ResourceNotFoundException', { $metadata: { httpStatusCode: 400 } });
    const caught = await failing(error).catch((reason: unknown) => reason);
    expect(caught).toMatchObject({
      name: 'ResourceNotFoundException',
      message: 'could not read it: it does not exist in this AWS region',
      cause: error,
    });
  });

  it.each([
    sdkError('AccessDeniedException', { $metadata: { httpStatusCode: 400 } }),
    sdkError('ValidationException', { $metadata: { httpStatusCode: 400 } }),
    sdkError('ConditionalCheckFailedException', { $metadata: { httpStatusCode: 400 } }),
    new TypeError('a bug'),
  ])('that does not comes as it is: %s', async (error) => {
    await expect(failing(error)).rejects.toBe(error);
  });
});

describe('a key that KMS refuses', () => {
  const requestId = '5c2d3a5e-0f1b-4a53-9a14-3f7b1c1f8a10';
  const denied = 'User: arn:aws:sts::1:x is not authorized to perform: kms:Sign on resource: arn:k';
  const cases: readonly (readonly [name: string, message: string, reason: string])[] = [
    ['DisabledException', 'arn:k is disabled.', ''],
    ['KMSInvalidStateException', 'arn:k is pending deletion.', ''],
    ['AccessDeniedException', 'something else', ''],
    [
      'AccessDeniedException',
      `${denied} with an explicit deny in a resource-based policy`,
      ', IAM does not allow kms:Sign on arn:k: explicit deny in a resource-based policy',
    ],
    [
      'AccessDeniedException',
      `${denied} because no identity-based policy allows the kms:Sign action`,
      ', IAM does not allow kms:Sign on arn:k: no identity-based policy allows it',
    ],
  ];

  it.each(cases)('is named with the reason and the request: %s, %s', async (name, text, reason) => {
    const cause = Object.assign(new Error(text), { name, $metadata: { requestId } });
    const error = await callWithKey('sign with arn:k', () => Promise.reject(cause)).catch(
      (caught: unknown) => caught,
    );
    expect(describeError(error)).toMatchObject({
      error_name: `SigningKeyUnusableError < ${name}`,
      error_message: `could not sign with arn:k: ${name}${reason} (request ${requestId})`,
      aws_request_id: requestId,
    });
  });
});
