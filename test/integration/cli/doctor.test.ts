import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import singleRegion from '../../../config/single-region.json' with { type: 'json' };
import { closeServer, listenOnLoopback } from '../../../lab/emulator/loopback-server.ts';
import { programEnvironment } from '../../../lab/support/program-environment.ts';
import { makeTemporaryDirectory } from '../lab/local/temporary-directory.ts';
import { runCli, useLocalCli } from './use-authctl.ts';

const { authctl, service } = useLocalCli();
const program = resolve(import.meta.dirname, '../../../cli/authctl.ts');
const folder = makeTemporaryDirectory();
afterAll(() => folder.remove());

interface Line {
  readonly name: string;
  readonly outcome: string;
  readonly seen: string;
  readonly todo?: string;
}

function writeConfig(name: string, change: object): string {
  const path = join(folder.path, name);
  writeFileSync(path, JSON.stringify({ ...singleRegion, ...change }));
  return path;
}

function outcomes(stdout: string): Readonly<Record<string, string>> {
  const { items } = JSON.parse(stdout) as { readonly items: readonly Line[] };
  return Object.fromEntries(items.map(({ name, outcome }) => [name, outcome]));
}

/** In a process of its own: the SDK finds credentials in the process's variables. */
function doctor(config: string, env: Readonly<Record<string, string>>, ...more: string[]) {
  const base = {
    ...programEnvironment(),
    HOME: '/nonexistent',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  return new Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>(
    (done) => {
      execFile(
        process.execPath,
        [program, 'doctor', '--config', config, ...more],
        { env: { ...base, ...env } },
        (error, stdout, stderr) => done({ code: Number(error?.code ?? 0), stdout, stderr }),
      );
    },
  );
}

describe('doctor of the local run', () => {
  it('finds nothing wrong', async () => {
    const { exitCode, stdout } = await authctl(['doctor', '--json']);
    expect(outcomes(stdout)).toEqual({
      node: 'ok',
      'local run': 'ok',
      ports: 'ok',
      credentials: 'ok',
      clock: 'ok',
      'config us-west-2': 'ok',
      'tables us-west-2': 'ok',
      'issuer us-west-2': 'ok',
    });
    expect(exitCode).toBe(0);
    expect(service().issuer).toContain('localhost');
  });

  it('names the difference of another config', async () => {
    const config = writeConfig('other.json', {
      name: 'local',
      defaultAudience: 'https://other.example.com',
    });
    const { exitCode, stdout } = await authctl(['doctor', '--config', config]);
    expect(stdout).toMatch(/^config us-west-2 +PROBLEM +another deployment than the config/m);
    expect(stdout).toContain(
      'defaultAudience: received "https://other.example.com"; allowed: "https://api.example.com", which is deployed',
    );
    expect(exitCode).toBe(1);
  });

  it('says that no service has the name of the config', async () => {
    const { stdout } = await authctl(['doctor', '--config', writeConfig('name.json', {})]);
    expect(stdout).toContain('no service with the name "authorization-server"');
  });

  it('looks at the ports of a folder without a config', async () => {
    const { exitCode, stdout } = await runCli(['doctor', '--local', '--json'], {
      cwd: folder.path,
    });
    expect(outcomes(stdout)).toMatchObject({ node: 'ok', 'local run': 'problem' });
    expect(exitCode).toBe(1);
  });
});

describe('doctor of a deployment', () => {
  const answers: Record<string, string | undefined> = {};
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const action = new URLSearchParams(Buffer.concat(chunks).toString()).get('Action');
      const target = request.headers['x-amz-target']?.toString().split('.')[1];
      const name = target ?? action ?? request.url?.replace(/\?.*/, '') ?? '';
      seen.push(
        `${name} ${/Credential=\w+\/\d+\/([\w-]+\/\w+)/.exec(request.headers.authorization ?? '')?.[1]}`,
      );
      const body = answers[name];
      if (body !== undefined) response.end(body);
      else response.writeHead(403, { 'x-amzn-errortype': 'AccessDeniedException' }).end('{}');
    });
  });
  let aws: Record<string, string>;
  beforeAll(async () => {
    const port = await listenOnLoopback(server);
    aws = {
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'secret',
    };
  });
  afterAll(() => closeServer(server));

  const config = writeConfig('mine.json', {});

  it('sees an account that is ready', async () => {
    const entry = (key: string, value: number) =>
      `<entry><key>${key}</key><value>${value}</value></entry>`;
    Object.assign(answers, {
      GetCallerIdentity: '<Arn>arn:aws:iam::111122223333:user/ann</Arn>',
      GetAccountSummary: [
        entry('RolesQuota', 1000),
        entry('PoliciesQuota', 1500),
        entry('AttachedPoliciesPerRoleQuota', 10),
      ].join(''),
      GetParameter: JSON.stringify({ Parameter: { Value: '28' } }),
      GetServiceQuota: JSON.stringify({ Quota: { Value: 1000 } }),
      '/2016-08-19/account-settings': JSON.stringify({
        AccountLimit: { ConcurrentExecutions: 1000, UnreservedConcurrentExecutions: 1000 },
      }),
      '/2015-03-31/functions/authorization-server-token/configuration': undefined,
      DescribeTable: JSON.stringify({ Table: { TableStatus: 'ACTIVE' } }),
    });
    const { code, stdout } = await doctor(config, aws, '--json');
    expect(outcomes(stdout)).toEqual({
      node: 'ok',
      credentials: 'ok',
      clock: 'ok',
      iam: 'ok',
      'bootstrap us-west-2': 'ok',
      'lambda us-west-2': 'ok',
      'kms us-west-2': 'ok',
      // The stub denies what it does not know.
      'config us-west-2': 'unseen',
      'tables us-west-2': 'warning',
    });
    expect(stdout).toContain('allow lambda:GetFunctionConfiguration, or ask someone who may');
    expect(code).toBe(1);
    expect(new Set(seen)).toContain('GetAccountSummary us-east-1/iam');
    expect(new Set(seen)).toContain('GetServiceQuota us-west-2/servicequotas');
  });

  it('says that AWS does not accept the credentials', async () => {
    for (const name of Object.keys(answers)) answers[name] = undefined;
    const { code, stdout } = await doctor(config, aws);
    expect(stdout).toMatch(
      /^credentials +not seen +sts:GetCallerIdentity \(AccessDeniedException\)/m,
    );
    expect(code).toBe(1);
  });

  it('says what it could not see without credentials', async () => {
    const { AWS_ENDPOINT_URL: endpoint = '' } = aws;
    const { code, stdout, stderr } = await doctor(config, { AWS_ENDPOINT_URL: endpoint });
    expect(stdout).toMatch(/^credentials +PROBLEM +there are no AWS credentials/m);
    expect(stdout.match(/ not seen /g)).toHaveLength(7);
    expect(stderr).toBe('Of 9 checks, problems: 1, warnings: 0, not seen: 7.\n');
    expect(code).toBe(1);
  });

  it('says what it could not see offline', async () => {
    const { code, stdout } = await doctor(config, {
      ...aws,
      AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
    });
    expect(stdout).toContain('sts:GetCallerIdentity (ECONNREFUSED)');
    expect(stdout.match(/run it again on a machine that reaches AWS/g)).toHaveLength(8);
    expect(code).toBe(1);
  });

  it('ends with 2 for a config that cannot be used', async () => {
    const { code, stdout, stderr } = await doctor(writeConfig('wrong.json', { regionz: 1 }), aws);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('regionz: unknown key');
  });
});
