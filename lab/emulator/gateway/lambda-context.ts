import type { Context } from 'aws-lambda';
import { localApi } from './request-context.ts';

function refuseCallback(): never {
  throw new Error('the local run takes promises, not callbacks');
}

/**
 * The context object that Lambda gives to a function.
 *
 * @param deadline milliseconds since the epoch.
 */
export function buildLambdaContext(
  functionName: string,
  requestId: string,
  deadline: number,
): Context {
  return {
    awsRequestId: requestId,
    callbackWaitsForEmptyEventLoop: false,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:us-west-2:${localApi.accountId}:function:${functionName}`,
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    memoryLimitInMB: '1024',
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    done: refuseCallback,
    fail: refuseCallback,
    succeed: refuseCallback,
  };
}
