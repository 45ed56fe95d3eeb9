import type { AwsClientOptions } from '../../adapters/aws-client-options.ts';
import { callProfiles } from '../../adapters/call-profile.ts';
import type { AccessKey } from '../emulator/aws-server/access-key.ts';

/** For clients of the DynamoDB, KMS and Lambda of a local run. */
export interface LocalAwsOptions extends AwsClientOptions {
  readonly region: string;
  /** A random access key of this run. Every call must be signed with it. */
  readonly credentials: AccessKey;
}

/** Milliseconds that a call of the set-up may take. */
const setUpTimeout = 60_000;

/**
 * For the calls that a run makes while it starts. No caller waits for them, and a disk that is busy,
 * as after an installation, takes seconds for a table: with the limits of a function, the run failed
 * on it.
 */
export function forSetUp(options: AwsClientOptions): AwsClientOptions {
  return { ...options, profile: { ...callProfiles.background, requestTimeout: setUpTimeout } };
}
