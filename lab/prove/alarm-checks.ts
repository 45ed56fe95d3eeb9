import type { MetricAlarm } from '@aws-sdk/client-cloudwatch';
import { functionName, liveAlias } from '../../contract/function-names.ts';
import { alarmName } from '../../lib/monitoring/service-alarm.ts';
import { basic } from '../support/token-request.ts';
import { eventually } from './clean.ts';
import { regionId } from './deployment.ts';
import { createKey } from './figure-checks.ts';
import { flood } from './gateway-checks.ts';
import { type Check, expect, requestToken, secondsSince, type World } from './world.ts';

/** Names of the alarms that are on. @throws {Error} if there are no alarms. */
async function listRinging(world: World, id = ''): Promise<readonly string[]> {
  const AlarmNamePrefix = alarmName({ deploymentName: world.name, regionId }, id);
  const all: MetricAlarm[] = [];
  let NextToken: string | undefined;
  do {
    const page = await world.aws().alarms.describeAlarms({ AlarmNamePrefix, NextToken });
    all.push(...(page.MetricAlarms ?? []));
    ({ NextToken } = page);
  } while (NextToken !== undefined);
  expect(all.length > 0, `there is no alarm ${AlarmNamePrefix}`);
  return all.flatMap(({ AlarmName = '', StateValue }) => (StateValue === 'ALARM' ? AlarmName : []));
}

/** Which alarms ring because they are new, and for how long. */
export const alarmsAtCreation: Check = async (world) => {
  const rang = new Set<string>();
  const startedAt = world.clock();
  await eventually(world, 'no alarm is on', 35, async () => {
    const ringing = await listRinging(world);
    for (const name of ringing) rang.add(name);
    return ringing.length === 0;
  });
  const names = [...rang].sort().join(', ') || 'none';
  return { 'rang at creation': names, 'all off after s': secondsSince(world, startedAt) };
};

/** Does what is bad, again and again, until the alarm is on. */
async function ring(world: World, id: string, minutes: number, doBad: () => Promise<unknown>) {
  const startedAt = world.clock();
  await eventually(world, `the alarm ${id} rings`, minutes, async () => {
    await doBad();
    await world.pause(10);
    return (await listRinging(world, id)).length > 0;
  });
  return { alarm: id, 'rang after s': secondsSince(world, startedAt) };
}

/** CloudTrail, EventBridge and the metric of a rule. */
export const ringsDisabledKey: Check = async (world) => {
  const KeyId = await createKey(world, 'RSA_2048');
  return ring(world, 'signing-key-disabled', 20, () => world.aws().kms.disableKey({ KeyId }));
};

/** The access log, its metric filter and the metric. */
export const ringsFlood: Check = (world) =>
  ring(world, 'gateway-throttled', 12, () => flood(world, 60));

export const ringsMath: Check = (world) =>
  ring(world, 'invalid-client-share', 12, async () => {
    const headers = { authorization: basic(world.client.clientId, 'not-the-secret') };
    for (let left = 10; left > 0; left -= 1) await requestToken(world, world.tokenUrl, { headers });
  });

/** No request makes a function end with an error, so its caller is not API Gateway. */
export const ringsThrownError: Check = (world) =>
  ring(world, 'jwks-function-errors', 25, async () => {
    const FunctionName = functionName(world.name, 'jwks');
    const call = { FunctionName, Qualifier: liveAlias, Payload: Buffer.from('"no request"') };
    const { FunctionError } = await world.aws().lambda.invoke(call);
    expect(FunctionError !== undefined, 'the function took what is no request');
  });

/** SNS may publish what CloudWatch tells it. */
export const alarmArrives: Check = async (world) => {
  const request = { QueueUrl: world.probe['AlarmQueue'], WaitTimeSeconds: 5 };
  const alarm = await eventually(world, 'a message about an alarm', 5, async () => {
    const { Messages: [message] = [] } = await world.aws().queues.receiveMessage(request);
    return /AlarmName\\?":\s*\\?"([^"\\]+)/.exec(message?.Body ?? '')?.[1];
  });
  return { alarm };
};
