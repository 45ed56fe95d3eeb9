import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeServer, listenOnLoopback } from '../../../../lab/emulator/loopback-server.ts';
import { programEnvironment } from '../../../../lab/support/program-environment.ts';
import { assertShareable } from '../../../../lab/tools/first-deployment/collect.ts';
import { makeTemporaryDirectory } from '../local/temporary-directory.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../../../..');
const account = '111122223333';
const arn = `arn:aws:lambda:us-west-2:${account}:function:authorization-server-token`;
const keyId = 'AKIAIOSFODNN7EXAMPLE';
const secret = 'cs_wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY';

/** Each answer has what must not get into the file. */
const answers: Readonly<Record<string, object>> = {
  StartQuery: { queryId: `${account}-q` },
  GetQueryResults: {
    status: 'Complete',
    results: [
      [
        { field: 'invocations', value: '120' },
        { field: 'starts', value: '3' },
        { field: 'start_p50', value: '412.26' },
        { field: 'lag_max', value: '2' },
        { field: '@message', value: `${arn} ${keyId} ${secret}` },
      ],
    ],
  },
  GetCostAndUsage: {
    ResultsByTime: [
      {
        Groups: [
          { Keys: ['AWS Lambda'], Metrics: { UnblendedCost: { Amount: '0.0123' } } },
          { Keys: [account], Metrics: { UnblendedCost: { Amount: '1' } } },
        ],
      },
    ],
  },
  configuration: {
    FunctionArn: arn,
    Runtime: 'nodejs24.x',
    MemorySize: 1769,
    Architectures: ['arm64'],
    Environment: { Variables: { SECRET: secret, AUTH_ISSUER: 'https://auth.example.com' } },
  },
};

const server = createServer((request, response) => {
  const target = request.headers['x-amz-target']?.toString().split('.')[1] ?? 'configuration';
  request.resume().on('end', () => response.end(JSON.stringify(answers[target] ?? {})));
});
const folder = makeTemporaryDirectory();
let endpoint: string;
beforeAll(async () => {
  endpoint = `http://127.0.0.1:${await listenOnLoopback(server)}`;
});
afterAll(async () => {
  await closeServer(server);
  folder.remove();
});

describe('the figures of a first deployment', () => {
  it('are in one file, without account ids, ARNs, keys and secrets', async () => {
    const config = join(folder.path, 'config.json');
    writeFileSync(config, readFileSync(join(root, 'config/single-region.json')));
    const out = join(folder.path, 'figures.json');
    const collect = (...more: string[]) =>
      run(
        process.execPath,
        [
          join(root, 'lab/tools/first-deployment/main.ts'),
          '--config',
          config,
          '--out',
          out,
          ...more,
        ],
        {
          env: {
            ...programEnvironment(),
            AWS_ENDPOINT_URL: endpoint,
            AWS_ACCESS_KEY_ID: keyId,
            AWS_SECRET_ACCESS_KEY: secret,
          },
        },
      );
    await collect();
    await collect('--bill');
    const text = readFileSync(out, 'utf8');
    for (const hidden of [account, arn, 'arn:', keyId, secret, 'auth.example.com']) {
      expect(text).not.toContain(hidden);
    }
    expect(text).not.toMatch(/\d{12}/);
    expect(JSON.parse(text)).toMatchObject({
      versions: { node: process.versions.node },
      run: {
        regions: [
          {
            aws_region: 'us-west-2',
            runtime: 'nodejs24.x',
            memory: 1769,
            architecture: 'arm64',
            functions: { token: { invocations: 120, starts: 3, start_p50: 412.3 } },
            replication_lag: { lag_max: 2 },
          },
        ],
      },
      bill: { dollars: { 'AWS Lambda': 0.0123 } },
    });
  });

  it.each([account, arn, keyId, secret, 'eyJhbGciOiJSUzI1NiJ9', 'auth.example.com'])(
    'are not written with %s',
    (text) => {
      expect(() => assertShareable(`{"x":"${text}"}`)).toThrow('nothing was written');
    },
  );
});
