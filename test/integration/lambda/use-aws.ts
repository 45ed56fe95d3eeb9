import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { RunningService } from '../../../lab/emulator/aws-server/aws-server.ts';
import { startKms } from '../../../lab/emulator/kms/kms-server.ts';
import { type AwsClients, createAwsClients } from '../../../lab/support/aws-clients.ts';
import { createTables } from '../../../lab/support/create-tables.ts';
import { testAccessKey } from '../../support/test-access-key.ts';
import { type Dynalite, startDynalite, testAwsOptions } from '../adapters/dynalite.ts';

interface TestAws {
  readonly aws: AwsClients;
  /** Name of a deployment whose tables are empty. */
  readonly deployment: string;
}

/**
 * DynamoDB and KMS on loopback for the tests of a file.
 *
 * @param start gets the clients and a new deployment before each test.
 */
export function useAws(start: (test: TestAws) => void): void {
  let dynalite: Dynalite;
  let kms: RunningService;
  let aws: AwsClients;

  beforeAll(async () => {
    dynalite = await startDynalite();
    kms = await startKms({ accessKey: testAccessKey });
    aws = createAwsClients({ ...testAwsOptions(dynalite.endpoint), endpointKms: kms.endpoint });
  });
  afterAll(async () => {
    await dynalite.close();
    await kms.close();
  });
  beforeEach(async () => {
    const deployment = `test-${randomUUID().slice(0, 8)}`;
    await createTables(aws.dynamodb, deployment);
    start({ aws, deployment });
  });
}
