import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbAuditLog } from '../../../adapters/dynamodb/stores/audit-log.ts';
import { listenOnLoopback } from '../../../lab/emulator/loopback-server.ts';
import { createAwsClients } from '../../../lab/support/aws-clients.ts';
import { programEnvironment } from '../../../lab/support/program-environment.ts';
import { useLocalCli } from './use-authctl.ts';

const { authctl, json, service } = useLocalCli();
const run = promisify(execFile);
const program = resolve(import.meta.dirname, '../../../cli/authctl.ts');
const create = ['client', 'create', '--name', 'A', '--trunk-group', 'tg', '--scope', 'calls:view'];

function dynamodb() {
  return createAwsClients(service().aws).dynamodb;
}

describe('a record that cannot be read', () => {
  const id = 'client_00000000000000000000zz';

  beforeAll(async () => {
    await dynamodb().send(
      new PutItemCommand({
        TableName: 'local-clients',
        Item: { client_id: { S: id }, name: { S: 'half' } },
      }),
    );
  });

  it('is left out of lists, with a warning', async () => {
    const { exitCode, stdout, stderr } = await authctl(['client', 'list', '--json']);
    expect(exitCode).toBe(0);
    expect(stdout).not.toContain(id);
    expect(stderr).toContain(`left out: the item of client "${id}"`);
  });

  it('is named if it is asked for', async () => {
    const { exitCode, stderr } = await authctl(['client', 'show', id]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(id);
    expect(stderr).not.toContain('    at ');
  });
});

describe('the caller on AWS, on the tables', () => {
  const arn = 'arn:aws:sts::123456789012:assumed-role/operator/ada';
  let answer: { readonly status: number; readonly body: string };
  let sts: Server;
  let port: number;

  beforeAll(async () => {
    sts = createServer((_, response) => {
      response.writeHead(answer.status, { 'content-type': 'text/xml' }).end(answer.body);
    });
    port = await listenOnLoopback(sts);
  });

  afterAll(() => {
    sts.close();
  });

  function runWithSts(args: readonly string[]) {
    const env = {
      ...service().environment,
      ...programEnvironment(),
      AUTHCTL_THROUGH: 'tables',
      AWS_ENDPOINT_URL_STS: `http://127.0.0.1:${port}`,
    };
    return run(process.execPath, [program, ...args], { env });
  }

  it('is the actor of the audit', async () => {
    answer = {
      status: 200,
      body: `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult><Arn>${arn}</Arn><UserId>x</UserId><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`,
    };
    const { client_id: id } = await json(create);
    const { stdout } = await runWithSts(['client', 'disable', String(id), '--quiet']);
    const actors = new Set<string>();
    const day = new Date().toISOString().slice(0, 10);
    for await (const record of createDynamoDbAuditLog(dynamodb(), 'local-audit').listAudit(day)) {
      const isOwn = record.subject === stdout.trim() && record.action !== 'client.create';
      if (isOwn) actors.add(record.actor);
    }
    expect([...actors]).toEqual([arn]);
  });

  it('must be known before anything is changed', async () => {
    answer = {
      status: 403,
      body: '<ErrorResponse><Error><Type>Sender</Type><Code>InvalidClientTokenId</Code><Message>no</Message></Error></ErrorResponse>',
    };
    const { client_id: id } = await json(create);
    const before = await json(['client', 'list']);
    await expect(runWithSts(['client', 'disable', String(id)])).rejects.toMatchObject({
      code: 1,
      stderr: 'authctl: AWS does not know these credentials (InvalidClientTokenId)\n',
    });
    expect(await json(['client', 'list'])).toEqual(before);
  });

  it('is not asked for by what changes nothing', async () => {
    answer = { status: 500, body: '' };
    const { client_id: id } = await json(create);
    const { stdout } = await runWithSts(['client', 'show', String(id), '--quiet']);
    expect(stdout).toContain('client_');
  });
});
