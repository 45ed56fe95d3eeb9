import { appendFileSync } from 'node:fs';
import { CloudFormation } from '@aws-sdk/client-cloudformation';
import { CloudWatch } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogs } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { EventBridge } from '@aws-sdk/client-eventbridge';
import { IAM } from '@aws-sdk/client-iam';
import { KMS } from '@aws-sdk/client-kms';
import { Lambda } from '@aws-sdk/client-lambda';
import { S3 } from '@aws-sdk/client-s3';
import { SQS } from '@aws-sdk/client-sqs';
import { STS } from '@aws-sdk/client-sts';

const clients = {
  stacks: CloudFormation,
  alarms: CloudWatch,
  logs: CloudWatchLogs,
  tables: DynamoDB,
  events: EventBridge,
  iam: IAM,
  kms: KMS,
  lambda: Lambda,
  buckets: S3,
  queues: SQS,
  sts: STS,
};

/** One AWS region, by the SDK. */
export type Services = {
  readonly [Name in keyof typeof clients]: InstanceType<(typeof clients)[Name]>;
};

/** The services of an AWS region, the first of the run if left out. */
export type Aws = (awsRegion?: string) => Services;

/** What a client of the SDK gives to a middleware: what is next, and the names of the call. */
type AddMiddleware = (
  middleware: (next: (call: { input: object }) => unknown, names: object) => typeof next,
  options: object,
) => void;

/**
 * AWS with the credentials of the environment.
 *
 * @param calls file that gets each call before it is sent, a line of JSON. No input has a secret.
 */
export function createAws(first: string, calls: string): Aws {
  const made = new Map<string, Services>();
  // An emulator has no name for each bucket.
  const forcePathStyle = process.env['AWS_ENDPOINT_URL'] !== undefined;
  const open = (region: string) =>
    Object.entries(clients).map(([name, Client]) => {
      const client = new Client({ region, forcePathStyle });
      const add = client.middlewareStack.add.bind(client.middlewareStack) as AddMiddleware;
      const write: Parameters<AddMiddleware>[0] = (next, names) => (call) => {
        const { clientName, commandName } = names as Record<string, string>;
        const line = JSON.stringify({ clientName, commandName, region, input: call.input });
        appendFileSync(calls, `${line}\n`);
        return next(call);
      };
      add(write, { step: 'initialize' });
      return [name, client];
    });
  return (awsRegion = first) => {
    const services = made.get(awsRegion) ?? (Object.fromEntries(open(awsRegion)) as Services);
    made.set(awsRegion, services);
    return services;
  };
}
