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

/** By the names that AWS's own models have. */
const clients = {
  cloudformation: CloudFormation,
  cloudwatch: CloudWatch,
  dynamodb: DynamoDB,
  events: EventBridge,
  iam: IAM,
  kms: KMS,
  lambda: Lambda,
  logs: CloudWatchLogs,
  s3: S3,
  sqs: SQS,
  sts: STS,
};

/** One AWS region, by the SDK. */
export type Services = {
  readonly [Name in keyof typeof clients]: InstanceType<(typeof clients)[Name]>;
};

/** Opens the services of each AWS region once. @param optionsOf options of the SDK's clients. */
export function openServices(optionsOf: (region: string) => object): (region: string) => Services {
  const made: Record<string, Services> = {};
  const open = (options: object) =>
    Object.entries(clients).map(([name, Client]) => [name, new Client(options)]);
  return (region) => {
    made[region] ??= Object.fromEntries(open({ region, ...optionsOf(region) })) as Services;
    return made[region];
  };
}
