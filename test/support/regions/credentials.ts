import { expect } from 'vitest';
import type { AwsClientOptions } from '../../../adapters/aws-client-options.ts';
import { bindManagement } from '../../../adapters/management.ts';
import { createManagementContext } from '../../../adapters/management-tables.ts';
import type { DeploymentConfig } from '../../../contract/deployment-config.ts';

/** A client with a secret, and an API key. */
export async function addCredentials(config: DeploymentConfig, aws: AwsClientOptions) {
  const management = bindManagement(
    createManagementContext({ config, aws, actor: async () => 'test' }),
  );
  const named = { name: 'A', serviceTrunkGroup: 'tg' };
  const { client } = await management.createClient({ ...named, scopes: ['messaging:view'] });
  const { value: secret = '' } = await management.createClientSecret(client.clientId, {});
  const { value: apiKey = '' } = await management.createApiKey(named);
  return { clientId: client.clientId, secret, apiKey };
}

export function tokenOf({
  statusCode,
  body,
}: {
  readonly statusCode: number;
  readonly body: string;
}) {
  expect([statusCode, body]).toEqual([200, expect.stringContaining('access_token')]);
  return (JSON.parse(body) as { access_token: string }).access_token;
}
