import { describe, expect, it } from 'vitest';
import { createInvokeFunction } from '../../../adapters/lambda/invoke-function.ts';
import { createLambdaClient } from '../../../adapters/lambda/lambda-client.ts';
import { localUserArn } from '../../../lab/emulator/sts-server.ts';
import { useLocalCli } from './use-authctl.ts';

const { authctl: run, json: runJson, service } = useLocalCli();
const env = { AUTHCTL_THROUGH: 'function' };
const authctl: typeof run = (args, input) => run(args, { env, ...input });
const json: typeof runJson = (args, input) => runJson(args, { env, ...input });

async function createClient(...more: readonly string[]): Promise<string> {
  const args = ['client', 'create', '--name', 'Billing', '--trunk-group', 'tg-1001'];
  const created = await json([...args, '--scope', 'messaging:view', ...more]);
  return String(created['client_id']);
}

describe('authctl through the management function', () => {
  it('is named in the audit as AWS names it', async () => {
    const id = await createClient();
    await authctl(['client', 'disable', id], { env });
    const { items } = await json(['audit', 'list', '--subject', id]);
    expect(items).toContainEqual(
      expect.objectContaining({ actor: localUserArn(), action: 'client.disable', subject: id }),
    );
  });
});

describe('the Lambda API of the local run', () => {
  it('takes no event that is larger than Lambda’s', async () => {
    const call = createInvokeFunction(createLambdaClient(service().aws));
    const large = call('local-management:auditor', { request: 'x'.repeat(7_000_000) });
    await expect(large).rejects.toThrow('longer than 6291456 bytes');
  });
});
