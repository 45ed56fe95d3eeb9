import type { AwsClientOptions } from '../../adapters/aws-client-options.ts';
import type { AccessKey } from '../emulator/aws-server/access-key.ts';

/** For clients of the DynamoDB, KMS and Lambda of a local run. */
export interface LocalAwsOptions extends AwsClientOptions {
  readonly region: string;
  /** A random access key of this run. Every call must be signed with it. */
  readonly credentials: AccessKey;
}
