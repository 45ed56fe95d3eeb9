import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { programEnvironment } from '../../../lab/support/program-environment.ts';

const root = resolve(import.meta.dirname, '../../..');
const authctl = join(root, 'cli/authctl.ts');
const profiles = `
[profile sso]
sso_session = company
sso_account_id = 111122223333
sso_role_name = Operators
[sso-session company]
sso_region = us-west-2
sso_start_url = https://company.awsapps.com/start
[profile base]
aws_access_key_id = AKIAEXAMPLE
aws_secret_access_key = example
[profile mfa]
role_arn = arn:aws:iam::111122223333:role/operator
source_profile = base
mfa_serial = arn:aws:iam::111122223333:mfa/ada
[profile process]
credential_process = false
[profile empty]
region = us-west-2
`;

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'profiles-'));
  writeFileSync(join(home, 'config'), profiles);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

function environment(more: Record<string, string>): Record<string, string | undefined> {
  return {
    ...programEnvironment(),
    HOME: home,
    AWS_CONFIG_FILE: join(home, 'config'),
    AWS_SHARED_CREDENTIALS_FILE: join(home, 'credentials'),
    AWS_EC2_METADATA_DISABLED: 'true',
    AUTHCTL_CONFIG: join(root, 'config/single-region.json'),
    ...more,
  };
}

describe('credentials that authctl does not get', () => {
  it.each([
    ['sso', /aws sso login/],
    ['mfa', /multi-factor.*eval "\$\(aws configure export-credentials --format env\)"/],
    ['process', /or a `credential_process` that succeeds/],
    ['misspelt', /sign in, or set AWS_PROFILE to a profile of ~\/\.aws\/config with credentials/],
    ['empty', /sign in, or set AWS_PROFILE to a profile/],
  ])('have their cause, and what ends it: %s', (profile, cause) => {
    const { status, stderr } = spawnSync(process.execPath, [authctl, 'client', 'list'], {
      env: environment({ AWS_PROFILE: profile, AWS_REGION: 'us-west-2' }),
      encoding: 'utf8',
    });
    expect(stderr).toMatch(cause);
    expect(stderr).toContain(`; AWS_PROFILE is "${profile}"`);
    expect(stderr.split('\n')).toHaveLength(2);
    expect(status).toBe(1);
  });
});

describe('the way to AWS', () => {
  it('is the one of the proxy, and the region that of AWS_DEFAULT_REGION', async () => {
    const asked: string[] = [];
    const proxy = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(403).end();
    });
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const run = (more: Record<string, string>) =>
      new Promise((done) => {
        const env = environment({
          AWS_DEFAULT_REGION: 'eu-west-1',
          AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
          AWS_SECRET_ACCESS_KEY: 'example',
          AWS_ENDPOINT_URL: 'http://aws.invalid',
          AWS_ENDPOINT_URL_STS: 'http://aws.invalid',
          HTTP_PROXY: address,
          ...more,
        });
        execFile(process.execPath, [authctl, 'client', 'list'], { env }, (_, __, stderr) =>
          done(stderr),
        );
      });
    expect(await run({})).not.toContain('no AWS region');
    expect(asked[0]).toBe('http://aws.invalid/');
    const before = asked.length;
    await run({ NO_PROXY: 'aws.invalid' });
    expect(asked).toHaveLength(before);
    proxy.close();
  });
});
