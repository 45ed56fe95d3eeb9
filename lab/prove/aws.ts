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

/** One AWS region, by the SDK. */
export interface Services {
  readonly stacks: CloudFormation;
  readonly alarms: CloudWatch;
  readonly logs: CloudWatchLogs;
  readonly tables: DynamoDB;
  readonly events: EventBridge;
  readonly iam: IAM;
  readonly kms: KMS;
  readonly lambda: Lambda;
  readonly buckets: S3;
  readonly queues: SQS;
  readonly sts: STS;
}

/** The services of an AWS region, the first of the run if left out. */
export type Aws = (awsRegion?: string) => Services;

/**
 * AWS with the credentials of the environment.
 *
 * @param calls file that gets each call before it is sent, a line of JSON. No input has a secret.
 */
export function createAws(first: string, calls: string): Aws {
  const made = new Map<string, Services>();
  const open = (region: string): Services => {
    const clients = {
      stacks: new CloudFormation({ region }),
      alarms: new CloudWatch({ region }),
      logs: new CloudWatchLogs({ region }),
      tables: new DynamoDB({ region }),
      events: new EventBridge({ region }),
      iam: new IAM({ region }),
      kms: new KMS({ region }),
      lambda: new Lambda({ region }),
      // An emulator has no name for each bucket.
      buckets: new S3({ region, forcePathStyle: process.env['AWS_ENDPOINT_URL'] !== undefined }),
      queues: new SQS({ region }),
      sts: new STS({ region }),
    };
    for (const { middlewareStack } of Object.values(clients)) {
      const write =
        (next: (call: never) => unknown, names: object) => (call: { input: object }) => {
          appendFileSync(calls, `${JSON.stringify({ ...names, region, input: call.input })}\n`);
          return next(call as never);
        };
      (middlewareStack.add as (middleware: unknown, options: object) => void)(
        (next: never, { clientName, commandName }: Record<string, string>) =>
          write(next, { clientName, commandName }),
        { step: 'initialize' },
      );
    }
    return clients;
  };
  return (awsRegion = first) => {
    const services = made.get(awsRegion) ?? open(awsRegion);
    made.set(awsRegion, services);
    return services;
  };
}
