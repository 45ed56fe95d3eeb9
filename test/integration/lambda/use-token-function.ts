import { afterAll, beforeAll } from 'vitest';
import { createAwsJsonClients } from '../../../adapters/aws-json-clients.ts';
import { createDynamoDbClientStore } from '../../../adapters/dynamodb/stores/client-store.ts';
import { createDynamoDbSigningKeyStore } from '../../../adapters/dynamodb/stores/rotation-store.ts';
import { createKmsClient } from '../../../adapters/kms/kms-client.ts';
import { createKmsKeys } from '../../../adapters/kms/kms-keys.ts';
import type { Settings } from '../../../contract/function-settings.ts';
import { publicJwkFromSpki } from '../../../core/signing-key/public-jwk.ts';
import type { SigningKey } from '../../../core/signing-key/signing-key.ts';
import type { RunningService } from '../../../lab/emulator/aws-server/aws-server.ts';
import { startKms } from '../../../lab/emulator/kms/kms-server.ts';
import { toVariables } from '../../../lab/support/aws-clients.ts';
import { clientIdOf, makeClient, makeSecret, secretValueOf } from '../../../lab/support/clients.ts';
import { lambdaContext, proxyEvent } from '../../../lab/support/proxy-event.ts';
import { basic } from '../../../lab/support/token-request.ts';
import { tokenEnvironment } from '../../../lab/support/token-settings.ts';
import { createTokenHandler } from '../../../lambda/token/function.ts';
import { keyPolicy } from '../../support/key-policy.ts';
import { recordTelemetry } from '../../support/recorded-telemetry.ts';
import { testAccessKey } from '../../support/test-access-key.ts';
import { tokenRequest } from '../../support/token-world.ts';
import { testAwsOptions } from '../adapters/dynalite.ts';
import { startTables, type TestTables } from '../adapters/dynamodb-tables.ts';

/** Of the one client. */
const secret = secretValueOf(7);

/** The token function as it is deployed, but for where AWS is, for the tests of a file. */
export function useTokenFunction() {
  const now = Math.floor(Date.now() / 1000);
  let kms: RunningService;
  let tables: TestTables;

  function environment(): Settings<'token'> {
    return {
      ...tokenEnvironment,
      clientsTable: tables.nameOf('clients'),
      signingKeysTable: tables.nameOf('signingKeys'),
      keyListRefresh: 0,
    };
  }

  function optionsAt(endpoints: { readonly dynamodb?: string; readonly kms?: string } = {}) {
    return {
      ...testAwsOptions(''),
      endpointDynamoDb: endpoints.dynamodb ?? tables.endpoint,
      endpointKms: endpoints.kms ?? kms.endpoint,
    };
  }

  function awsAt(endpoints: Parameters<typeof optionsAt>[0] = {}) {
    return createAwsJsonClients(toVariables(optionsAt(endpoints)));
  }

  function tokenFunction(
    endpoints: Parameters<typeof awsAt>[0] = {},
    different: Partial<ReturnType<typeof environment>> = {},
  ) {
    const { telemetry, reports } = recordTelemetry();
    const variables = { ...environment(), ...different };
    const handler = createTokenHandler(variables, awsAt(endpoints), { telemetry });
    return {
      reports,
      issue: () => {
        const headers = { Authorization: basic(clientIdOf(1), secret) };
        return handler(proxyEvent(tokenRequest({ headers })), lambdaContext());
      },
    };
  }

  async function addSigningKey(): Promise<void> {
    const publishedAt = now - 10_000;
    const keys = createKmsKeys(createKmsClient(optionsAt()), { deploymentName: 'test', keyPolicy });
    const kmsKeyArn = await keys.createKey({ intentId: 'current', alg: 'ES256', description: '-' });
    const publicJwk = publicJwkFromSpki(await keys.getPublicKey(kmsKeyArn), 'ES256');
    const key: SigningKey = {
      kid: publicJwk.kid,
      regionId: 'slc',
      alg: 'ES256',
      kmsKeyArn,
      publicJwk,
      state: 'current',
      publishedAt,
      activatedAt: publishedAt,
      version: 1,
    };
    const store = createDynamoDbSigningKeyStore(tables.dynamodb, tables.nameOf('signingKeys'));
    await store.createSigningKey(key);
  }

  beforeAll(async () => {
    [kms, tables] = await Promise.all([startKms({ accessKey: testAccessKey }), startTables()]);
    await addSigningKey();
    const store = createDynamoDbClientStore(tables.dynamodb, tables.nameOf('clients'));
    await store.create(makeClient({ secrets: [makeSecret(secret)] }));
  });
  afterAll(() => Promise.all([kms.close(), tables.close()]));

  return { awsAt, tokenFunction, tables: () => tables };
}
