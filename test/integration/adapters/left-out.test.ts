import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { openJsonDynamoDb } from '../../../adapters/dynamodb/clients/json-documents.ts';
import { openManagementTables } from '../../../adapters/management-tables.ts';
import { tableName } from '../../../contract/tables.ts';
import { toVariables } from '../../../lab/support/aws-clients.ts';
import { createManagementHandler } from '../../../lambda/management/function.ts';
import { proofOf } from '../../support/caller-proof.ts';
import { testConfig } from '../../support/management.ts';
import { managementArn } from '../../support/management-function.ts';
import { startIndexedTables } from './dynamodb-tables.ts';

const text = (S: string) => ({ S });

async function start() {
  const { aws, dynamodb } = await startIndexedTables({});
  const put = (table: 'clients' | 'identityProviders', item: Record<string, { S: string }>) =>
    dynamodb.send(new PutItemCommand({ TableName: tableName(testConfig.name, table), Item: item }));
  for (const group of ['tg-1', 'tg-2']) {
    await put('clients', {
      client_id: text(`client_broken_of_${group}`),
      service_trunk_group: text(group),
      name: text('A'),
    });
  }
  await put('identityProviders', { issuer: text('https://secret-partner.example') });
  const handler = createManagementHandler({
    createContext: openManagementTables({
      config: testConfig,
      open: openJsonDynamoDb(toVariables(aws), 'request'),
    }),
    authenticateCaller: async () => 'arn:aws:iam::000000000000:user/op',
    clock: Date.now,
    telemetry: { report: () => undefined },
  });
  return async (operation: string, limited: boolean) => {
    const groups = limited ? { trunk_groups: ['tg-1'] } : {};
    const request = JSON.stringify({ operation, input: {}, ...groups });
    const event = { request, caller_proof: proofOf(Math.floor(Date.now() / 1000)) };
    const invocation = { invokedFunctionArn: `${managementArn}:administrator` };
    return (await handler(event, invocation)).left_out.join('\n');
  };
}

it('names records that cannot be read only to a caller whose they are, or who has no limit', async () => {
  const ask = await start();
  expect(await ask('listClients', true)).toContain('client_broken_of_tg-1');
  expect(await ask('listClients', true)).not.toContain('tg-2');
  expect(await ask('listProviders', true)).toBe('');
  expect(await ask('listClients', false)).toContain('client_broken_of_tg-2');
  expect(await ask('listProviders', false)).toContain('https://secret-partner.example');
});
