import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { type EventPattern, matchesEvent } from '../support/event-pattern.ts';
import { evaluate, propertiesOf, singleRegion } from './synthesise.ts';

let template: Template;
beforeAll(() => {
  template = singleRegion();
});

function patternOf(eventName: string): EventPattern {
  const patterns = propertiesOf(template, 'AWS::Events::Rule').map(
    (properties) => evaluate(properties['EventPattern']) as EventPattern | undefined,
  );
  const found = patterns.find(
    (pattern) => pattern?.['detail'] && JSON.stringify(pattern).includes(`["${eventName}"]`),
  );
  if (found === undefined) throw new Error(`no rule looks at ${eventName}`);
  return found;
}

const account = '111122223333';

/** `userIdentity` of a call by code of a function, as CloudTrail records it. */
function byFunction(role: string, name: string, awsRegion = 'us-west-2') {
  return {
    type: 'AssumedRole',
    principalId: `AROAEXAMPLE:${name}`,
    arn: `arn:aws:sts::${account}:assumed-role/${role}/${name}`,
    accountId: account,
    sessionContext: {
      sessionIssuer: {
        type: 'Role',
        arn: `arn:aws:iam::${account}:role/${role}`,
        accountId: account,
        userName: role,
      },
      attributes: { mfaAuthenticated: 'false' },
    },
    inScopeOf: {
      issuerType: 'AWS::Lambda::Function',
      credentialsIssuedTo: `arn:aws:lambda:${awsRegion}:${account}:function:${name}`,
    },
  };
}

/** By someone who assumed the role, and chose a name for the session. */
function bySession(role: string, sessionName: string) {
  const { inScopeOf: _, ...identity } = byFunction(role, sessionName);
  return identity;
}

const tokenRole = 'authorization-server-slc-token';
const tokenFunction = 'authorization-server-token';
const canaryRole = 'authorization-server-slc-canary';
const canaryFunction = 'authorization-server-canary';
const rotationRole = 'authorization-server-slc-key-rotation';
const rotationFunction = 'authorization-server-key-rotation';

function isSeen(eventName: string, userIdentity: ReturnType<typeof bySession> | object): boolean {
  return matchesEvent(patternOf(eventName), {
    source: 'aws.kms',
    'detail-type': 'AWS API Call via CloudTrail',
    detail: { eventSource: 'kms.amazonaws.com', eventName, userIdentity },
  } as never);
}

const { inScopeOf: _, ...withoutScope } = byFunction(tokenRole, tokenFunction);

describe('the alarm on Sign', () => {
  it.each([
    ['the token function', byFunction(tokenRole, tokenFunction)],
    ['the canary', byFunction(canaryRole, canaryFunction)],
    ['the token function, if CloudTrail leaves inScopeOf out', withoutScope],
  ])('does not see %s', (_, identity) => {
    expect(isSeen('Sign', identity)).toBe(false);
  });

  it.each([
    ['another function with the role of the token function', byFunction(tokenRole, 'mine')],
    [
      'a function of the same name in another AWS region',
      byFunction(tokenRole, tokenFunction, 'eu-west-1'),
    ],
    ['the canary with the role of the token function', byFunction(tokenRole, canaryFunction)],
    ['someone who assumed the role of the token function', bySession(tokenRole, 'somebody')],
    ['the rotation', byFunction(rotationRole, rotationFunction)],
    ['a role that is not ours', byFunction('admin', 'somebody')],
    ['a user', { type: 'IAMUser', arn: `arn:aws:iam::${account}:user/someone` }],
    ['the root user', { type: 'Root', arn: `arn:aws:iam::${account}:root` }],
    ['another account', { type: 'AWSAccount', accountId: '999999999999' }],
  ])('sees %s', (_, identity) => {
    expect(isSeen('Sign', identity)).toBe(true);
  });
});

describe.each(['CreateKey', 'DisableKey', 'ScheduleKeyDeletion'])('the alarm on %s', (name) => {
  it('does not see the rotation, and sees another function with its role', () => {
    expect(isSeen(name, byFunction(rotationRole, rotationFunction))).toBe(false);
    expect(isSeen(name, byFunction(rotationRole, 'mine'))).toBe(true);
  });
});

describe.each(['PutKeyPolicy', 'CreateGrant'])('the alarm on %s', (name) => {
  it('sees everybody', () => {
    expect(isSeen(name, byFunction(rotationRole, rotationFunction))).toBe(true);
    expect(isSeen(name, byFunction(tokenRole, tokenFunction))).toBe(true);
  });
});

describe('the patterns', () => {
  // EventBridge's quota: characters of a pattern.
  it('fit into a rule, with the longest names', () => {
    const length = JSON.stringify(patternOf('Sign')).length;
    const longer = 6 * ('a'.repeat(32).length - 'authorization-server'.length);
    expect(length + longer).toBeLessThan(2048);
  });
});
