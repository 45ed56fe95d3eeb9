import { createDynamoDbRotationStore } from '../../adapters/dynamodb/stores/rotation-store.ts';
import { inspectKey } from '../../adapters/kms/kms-keys.ts';
import { SigningKeyUnusableError, UnavailableError } from '../../core/errors.ts';
import { type PublisherSettings, publishKey } from '../../core/key-rotation/publish-key.ts';
import type { PublishKey } from '../../core/key-rotation/rotation-ports.ts';
import type { AwsClients } from '../../lab/support/aws-clients.ts';

interface Publisher extends PublisherSettings {
  readonly aws: Pick<AwsClients, 'dynamodb' | 'kms'>;
  readonly table: string;
  /** Seconds since the epoch. */
  readonly now: () => number;
}

/** What the canary function does to publish a key, without the function. */
export function createPublisher({ aws, table, now, ...settings }: Publisher): PublishKey {
  const store = createDynamoDbRotationStore(aws.dynamodb, table);
  const ports = { store, inspectKey: (arn: string) => inspectKey(aws.kms, arn), now };
  return async (request) => {
    try {
      return await publishKey(request, settings, ports);
    } catch (error) {
      // An invocation tells only that the function failed.
      if (error instanceof SigningKeyUnusableError) throw new UnavailableError(error.message);
      throw error;
    }
  };
}
