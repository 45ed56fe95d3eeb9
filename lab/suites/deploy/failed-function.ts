import assert from 'node:assert/strict';
import type { UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import { functionName } from '../../../contract/function-names.ts';
import { managementAliases } from '../../../contract/management/roles.ts';
import { authctlCommand, type Cloud } from '../../ministack/cloud.ts';
import { eventually, policyOf, say } from '../../ministack/proof.ts';
import { codeBlocks, readPage } from '../../support/markdown.ts';
import { runCommand } from '../../support/run-command.ts';
import { type Credentials, requestToken } from '../../support/token-request.ts';

/** Deployment, and a client of it that has to be stopped. */
interface Failure {
  readonly cloud: Cloud;
  readonly configPath: string;
  readonly awsRegion: string;
  readonly tokenUrl: string;
  readonly client: Credentials;
}

const page = 'docs/procedures/stop-a-client-without-the-function.md';
const FunctionName = functionName('authorization-server', 'management');

/** A version whose code cannot start serves every alias. */
async function breakFunction({ cloud, awsRegion }: Failure): Promise<void> {
  const { lambda } = cloud.aws(awsRegion);
  const Handler = 'index.missing';
  await lambda.updateFunctionConfiguration({ FunctionName, Handler });
  const { Version } = await lambda.publishVersion({ FunctionName });
  for (const Name of managementAliases) {
    await lambda.updateAlias({ FunctionName, Name, FunctionVersion: Version });
  }
}

/** The command of the page for someone without `authctl`, as the SDK sends it. */
function documentedUpdate(clientId: string): UpdateItemCommandInput {
  const commands = codeBlocks(readPage(page)).map(({ lines }) => lines.join(' '));
  const command = commands.find((text) => text.includes('dynamodb update-item')) ?? '';
  const option = (name: string) => new RegExp(`--${name} (?:'([^']+)'|(\\S+))`).exec(command) ?? [];
  const text = (name: string) => option(name)[1] ?? option(name)[2] ?? '';
  return {
    TableName: text('table-name'),
    Key: JSON.parse(text('key').replace('CLIENT_ID', clientId)) as UpdateItemCommandInput['Key'],
    UpdateExpression: text('update-expression'),
    ConditionExpression: text('condition-expression'),
    ExpressionAttributeValues: JSON.parse(
      text('expression-attribute-values'),
    ) as UpdateItemCommandInput['ExpressionAttributeValues'],
  };
}

/** Stops a client as the page says, while the function fails. */
export async function proveStopWithoutFunction(failure: Failure): Promise<void> {
  const { cloud, configPath, awsRegion, tokenUrl, client } = failure;
  const { clientId } = client;
  await breakFunction(failure);
  const operator = policyOf('client-operator');
  const show = authctlCommand(configPath, 'client', 'show', clientId);
  const { code, output } = await runCommand(show, {
    onlyEnvironment: cloud.operatorEnvironment(awsRegion, operator),
  });
  assert.equal(code, 1);
  assert.match(output, /authorization-server-management:client-operator failed: /);
  const answers = (status: number) =>
    eventually(async () => assert.equal((await requestToken(tokenUrl, client)).status, status));
  const tables = ['--through', 'tables'] as const;
  const authctl = cloud.authctl(configPath, awsRegion, policyOf('break-glass-operator'));
  const onTables = (name: string) => authctl('client', name, clientId, ...tables);
  await answers(200);
  await cloud.permissions.record.expectDenials(
    ({ action }) => action.startsWith('dynamodb:'),
    async () => {
      const args = ['client', 'disable', clientId, ...tables];
      const without = cloud.authctl(configPath, awsRegion, operator);
      await assert.rejects(without(...args), /AccessDeniedException/);
    },
  );
  await answers(200);
  await onTables('disable');
  await answers(401);
  await onTables('enable');
  await answers(200);
  await cloud.aws(awsRegion).dynamodb.updateItem(documentedUpdate(clientId));
  await answers(401);
  assert.equal((await onTables('show'))['enabled'], false);
  say(
    `the management function fails; with --through tables the client is stopped: ${output.trim()}`,
  );
}
