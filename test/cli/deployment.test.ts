import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { callProfiles } from '../../adapters/call-profile.ts';
import { getDeployment } from '../../cli/deployment.ts';
import { formatDemoEnvironment } from '../../lab/local/demo-environment.ts';
import { buildLocalDeployment } from '../../lab/local/local-deployment.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const stream = new PassThrough();

it('gives a call to the local run as long as one to AWS: its disk may be busy', () => {
  const cwd = temporaryDirectory();
  mkdirSync(join(cwd, '.local'));
  const config = join(cwd, '.local', 'config.json');
  writeFileSync(config, JSON.stringify(buildLocalDeployment('http://localhost:8080', {}).input));
  const variables = {
    AUTHCTL_CONFIG: config,
    AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8081',
    AWS_REGION: 'us-west-2',
  };
  writeFileSync(join(cwd, '.local', 'demo.env'), formatDemoEnvironment(variables));
  const io = { stdin: stream, stdout: stream, stderr: stream, env: {}, cwd };
  const { connectionTimeout, requestTimeout } = callProfiles.background;
  expect(getDeployment(io, { local: true }).aws.profile).toMatchObject({
    connectionTimeout,
    requestTimeout,
  });
});
