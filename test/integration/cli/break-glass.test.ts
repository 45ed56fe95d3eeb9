import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { DeploymentConfigInput } from '../../../contract/deployment-config.ts';
import { root } from '../../architecture/source-files.ts';
import { useLocalCli } from './use-authctl.ts';

const config = JSON.parse(
  readFileSync(join(root, 'config/single-region.json'), 'utf8'),
) as DeploymentConfigInput;

/** A mistake: the only role that the config names is gone. */
const management: DeploymentConfigInput['management'] = {
  reach: [{ principals: ['arn:aws:iam::111122223333:role/former'], trunkGroups: ['tg-1'] }],
  default: 'nothing',
};

const { authctl, service, requestToken } = useLocalCli({ config: { ...config, management } });

it('a reach that locks every operator out leaves the tables to stop a client, and to undo it', async () => {
  const { clientId, clientSecret } = service();
  const status = async () => (await requestToken(clientId, clientSecret)).status;
  const onTables = async (name: string) => {
    const { exitCode, stderr } = await authctl(['client', name, clientId, '--through', 'tables']);
    expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
  };
  for (const name of ['show', 'disable']) {
    const { exitCode, stderr } = await authctl(['client', name, clientId]);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(
        /allowed: a caller that management\.reach of the deployment config names, because management\.default is nothing/,
      ),
    ]);
  }
  expect(await status()).toBe(200);
  await onTables('disable');
  expect(await status()).toBe(401);
  await onTables('show');
  await onTables('enable');
  expect(await status()).toBe(200);
});

it.each([
  ['client', 'list'],
  ['audit', 'list'],
  ['provider', 'list'],
])('on the tables, %s %s is refused', async (...words) => {
  const { exitCode, stderr } = await authctl([...words, '--through', 'tables']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('--through tables: allowed for client show, disable, enable');
});
