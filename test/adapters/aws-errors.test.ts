import { describe, expect, it } from 'vitest';
import { callAws } from '../../adapters/aws-errors.ts';
import { ServiceUnavailableError } from '../../core/errors.ts';

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
