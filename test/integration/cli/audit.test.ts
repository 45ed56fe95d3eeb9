import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createDynamoDbAuditLog } from '../../../adapters/dynamodb/stores/audit-log.ts';
import type { AuditRecord } from '../../../core/audit/audit-log.ts';
import { localUserArn } from '../../../lab/emulator/sts-server.ts';
import { createAwsClients } from '../../../lab/support/aws-clients.ts';
import { temporaryDirectory } from '../lab/local/temporary-directory.ts';
import { useLocalCli } from './use-authctl.ts';

const { authctl, json, service } = useLocalCli();

async function readAudit(): Promise<readonly AuditRecord[]> {
  const { dynamodb } = createAwsClients(service().aws);
  const records: AuditRecord[] = [];
  const day = new Date().toISOString().slice(0, 10);
  for await (const record of createDynamoDbAuditLog(dynamodb, 'local-audit').listAudit(day)) {
    records.push(record);
  }
  return records;
}

it('records every change: who, what, before and after, and no secret', async () => {
  const { client_id: clientId } = await json(
    'client create --name A --trunk-group tg --scope calls:view'.split(' '),
  );
  const id = String(clientId);
  const secret = await json(['client-secret', 'create', id]);
  await json(['client', 'update', id, '--name', 'B']);
  const key = await json(
    'api-key create --name K --trunk-group tg --allow a=10.0.0.0/8'.split(' '),
  );
  await json(['api-key', 'disable', String(key.key_id)]);
  await json(['client', 'delete', id, '--yes']);
  const records = await readAudit();
  const subjects = [id, secret.secret_id, key.key_id];
  const mine = records.filter((record) => subjects.includes(record.subject));
  expect(mine.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
    'client.create intended',
    'client.create done',
    'client_secret.create intended',
    'client_secret.create done',
    'client.update intended',
    'client.update done',
    'api_key.create intended',
    'api_key.create done',
    'api_key.disable intended',
    'api_key.disable done',
    'client.delete intended',
    'client.delete done',
  ]);
  expect(new Set(mine.map(({ actor }) => actor))).toEqual(new Set([localUserArn()]));
  expect(mine[5]).toMatchObject({ before: { name: 'A' }, after: { name: 'B' } });
  const text = JSON.stringify(records);
  expect(text).not.toContain(secret.client_secret);
  expect(text).not.toContain(key.api_key);
  expect(text).not.toContain('sha256$');
});

it('leaves no record of what was refused before anything was tried', async () => {
  const before = await readAudit();
  await authctl(['client', 'create', '--name', '', '--trunk-group', 'tg', '--scope', 'calls:view']);
  await authctl(['client', 'delete', 'client_0000000000000000000000', '--yes']);
  expect(await readAudit()).toHaveLength(before.length);
});

it('goes to a file as well if one is named', async () => {
  const path = join(temporaryDirectory(), 'audit.jsonl');
  const { client_id: id } = await json(
    ['client', 'create', '--name', 'A', '--trunk-group', 'tg', '--scope', 'calls:view'],
    { env: { AUTHCTL_AUDIT_FILE: path } },
  );
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({ action: 'client.create', subject: id, outcome: 'intended' }),
    expect.objectContaining({ action: 'client.create', subject: id, outcome: 'done' }),
  ]);
});
