import { describe, expect, it } from 'vitest';
import { renderAwsError } from '../../../../lab/emulator/aws-server/aws-error.ts';
import { accessDenied, type DecidedRequest } from '../../../../lab/emulator/iam/authorizer.ts';

const principal = 'arn:aws:sts::000000000000:assumed-role/r/f';
const request: DecidedRequest = {
  principal,
  action: 'kms:Sign',
  resource: 'arn:aws:kms:us-west-2:000000000000:key/k',
  account: '000000000000',
  context: {},
  policies: { identity: [] },
  result: 'ImplicitlyDenied',
  statements: [],
  ignoredKeys: [],
};
const start = `User: ${principal} is not authorized to perform: kms:Sign on resource: ${request.resource}`;
const allow = (type: 'identity' | 'resource') =>
  ({ type, policy: 'p', index: 0, effect: 'Allow' }) as const;
const deny = (type: 'identity' | 'resource' | 'serviceControl' | 'boundary') =>
  ({ type, policy: 'p', index: 0, effect: 'Deny' }) as const;

describe('the message of a denial', () => {
  it.each([
    [[], 'because no identity-based policy allows the kms:Sign action'],
    [[allow('identity')], 'because no permissions boundary allows the kms:Sign action'],
  ] as const)('for %j names what allows nothing', (statements, reason) => {
    const { message } = accessDenied({ ...request, statements }, ['identity', 'boundary']);
    expect(message).toBe(`${start} ${reason}`);
  });

  it.each([
    ['identity', 'an identity-based policy'],
    ['boundary', 'a permissions boundary'],
    ['resource', 'a resource-based policy'],
    ['serviceControl', 'a service control policy'],
  ] as const)('names %s if it denies', (type, name) => {
    const statements = [allow('identity'), deny(type)];
    const denied = { ...request, statements, result: 'ExplicitlyDenied' } as const;
    expect(accessDenied(denied, ['identity']).message).toBe(
      `${start} with an explicit deny in ${name}`,
    );
  });
});

describe('the answer to a denial', () => {
  it.each([
    ['dynamodb', 400, { __type: 'com.amazon.coral.service#AccessDeniedException' }, undefined],
    ['kms', 400, { __type: 'AccessDeniedException' }, undefined],
    ['lambda', 403, {}, 'AccessDeniedException'],
  ] as const)('of %s has the status, type and member that it has in AWS', (...expected) => {
    const [service, status, type, header] = expected;
    const error = accessDenied({ ...request, action: `${service}:Sign` }, ['identity']);
    const answer = renderAwsError(service, error);
    expect(answer.status).toBe(status);
    expect(answer.headers['x-amzn-errortype']).toBe(header);
    expect(JSON.parse(answer.body.toString())).toEqual({ ...type, Message: error.message });
  });
});
