import { beforeEach, describe, expect, it } from 'vitest';
import type { CustomResourceAnswer } from '../../../contract/custom-resource.ts';
import type { RotationReport } from '../../../contract/function-events.ts';
import { deployForStack } from '../../../lambda/key-rotation/function.ts';
import { answerTime } from '../../../lambda/shared/answer-custom-resource.ts';
import { rotationInvocation } from '../../support/caller-proof.ts';

const event = {
  RequestType: 'Create',
  ResponseURL:
    'https://cloudformation-custom-resource-response-uswest2.s3.us-west-2.amazonaws.com/answer',
  StackId: 'stack',
  RequestId: 'request',
  LogicalResourceId: 'FirstSigningKey',
  ResourceProperties: { ServiceToken: 'arn' },
} as const;
const ids = {
  StackId: 'stack',
  RequestId: 'request',
  LogicalResourceId: 'FirstSigningKey',
  PhysicalResourceId: 'FirstSigningKey',
};
const report: RotationReport = {
  region: 'slc',
  status: 'signing',
  next: [],
  done: [],
  refused: [],
};

let answers: CustomResourceAnswer[] = [];
let runs: { readonly event: unknown; readonly remaining: number }[] = [];
beforeEach(() => {
  [answers, runs] = [[], []];
});

function handlerOf(result: () => RotationReport) {
  return deployForStack(
    async (given, context) => {
      runs.push({ event: given, remaining: context.getRemainingTimeInMillis() });
      return result();
    },
    { sendAnswer: async (_, answer) => void answers.push(answer), sleep: async () => {} },
  );
}

describe('the rotation as the function of a custom resource', () => {
  it.each(['Create', 'Update'] as const)(
    'deploys at %s, with time left to answer',
    async (type) => {
      await handlerOf(() => report)({ ...event, RequestType: type }, rotationInvocation);
      const remaining = rotationInvocation.getRemainingTimeInMillis() - answerTime;
      expect(runs).toEqual([{ event: { action: 'deploy' }, remaining }]);
      expect(answers).toEqual([{ ...ids, Status: 'SUCCESS', Reason: 'the token function signs' }]);
    },
  );

  it('says that a key waits', async () => {
    const handler = handlerOf(() => ({ ...report, status: 'waiting' }));
    await handler(event, rotationInvocation);
    expect(answers).toMatchObject([
      { Status: 'SUCCESS', Reason: 'the key is published, and does not sign yet' },
    ]);
  });

  it('keeps the keys when the stack is deleted', async () => {
    const handler = handlerOf(() => report);
    await handler(
      { ...event, RequestType: 'Delete', PhysicalResourceId: 'before' },
      rotationInvocation,
    );
    expect(runs).toEqual([]);
    expect(answers).toMatchObject([{ Status: 'SUCCESS', PhysicalResourceId: 'before' }]);
  });

  it('fails the deployment with the reason, and does not throw: Lambda would run it again', async () => {
    const handler = handlerOf(() => {
      throw new RangeError(`the deployment ran out of time: ${'x'.repeat(5000)}`);
    });
    await handler(event, rotationInvocation);
    const [answer] = answers;
    expect(answer).toMatchObject({ ...ids, Status: 'FAILED' });
    expect(answer?.Reason).toMatch(/^RangeError: the deployment ran out of time: x+$/);
    expect(JSON.stringify(answer).length).toBeLessThan(4096);
  });

  it('gives every other caller the report', async () => {
    const handler = handlerOf(() => report);
    expect(await handler({ action: 'reconcile' }, rotationInvocation)).toBe(report);
    expect(answers).toEqual([]);
  });

  it('refuses an event that CloudFormation does not send', async () => {
    const handler = handlerOf(() => report);
    await expect(handler({ RequestType: 'Create' }, rotationInvocation)).rejects.toThrow(
      'ResponseURL',
    );
    expect(runs).toEqual([]);
  });
});
