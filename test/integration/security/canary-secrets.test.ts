import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { tableKeys, tableName } from '../../../contract/tables.ts';
import { hashSecret } from '../../../core/credential/credential-value.ts';
import type { FaultRuleInput } from '../../../lab/emulator/faults/fault-script.ts';
import { Faults } from '../../../lab/emulator/faults/faults.ts';
import { examplePath } from '../../../lab/local/example-api.ts';
import type { LocalRun } from '../../../lab/local/start-local.ts';
import { basic } from '../../../lab/support/token-request.ts';
import { captureOutput } from '../../support/captured-output.ts';
import { figure } from '../../support/figure.ts';
import { useLocalCli } from '../cli/use-authctl.ts';

const faults = new Faults();
const postConfig = {
  name: 'local',
  regions: { slc: { awsRegion: 'us-west-2' } },
  defaultAudience: 'https://api.example.com',
  scopes: [{ service: 'messaging', permission: 'view', description: 'Read' }],
  clientSecretPost: true,
};
const deployments = [
  ['', useLocalCli({ faults })],
  [' with clientSecretPost', useLocalCli({ faults, config: postConfig })],
] as const;

/** A word that is nowhere but in what these tests send. */
const word = `CANARY${randomBytes(9).toString('hex')}`;

/** The same text as base64 shows it, wherever in a longer text it begins. */
function base64Forms(text: string): readonly string[] {
  return [0, 1, 2].map((shift) => {
    const encoded = Buffer.from('x'.repeat(shift) + text).toString('base64');
    // The first and last characters mix with what stands next to.
    return encoded.slice(shift === 0 ? 0 : 4, -4).replace(/=/g, '');
  });
}

/** Every form in which a credential could be found. */
function formsOf(secret: string): readonly string[] {
  const hash = createHash('sha256').update(secret).digest();
  return [
    secret,
    ...base64Forms(secret),
    Buffer.from(secret).toString('hex'),
    hash.toString('hex'),
    hash.toString('base64'),
    hashSecret(secret),
  ];
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

const situations: readonly (readonly FaultRuleInput[])[] = [
  [],
  [{ service: 'dynamodb', fault: 'reset' }],
  [{ service: 'dynamodb', fault: 'partial_body', bytes: 200 }],
  [{ service: 'dynamodb', fault: 'error', code: 'AccessDeniedException' }],
  [{ service: 'kms', fault: 'error', code: 'KMSInternalException' }],
  [{ service: 'kms', fault: 'error', code: 'ExpiredTokenException' }],
  [{ service: 'kms', fault: 'reset', when: 'after' }],
  [{ fault: 'clock_skew', seconds: 600 }],
];

const form = 'application/x-www-form-urlencoded';
const grant = 'grant_type=client_credentials';

/** Requests with the secret in the right place and in every wrong one. */
function requestsWith(
  { tokenUrl, jwksUri, issuer }: LocalRun,
  clientId: string,
  secret: string,
  apiKey: string,
) {
  const post = (headers: Record<string, string>, body: string, url = tokenUrl) =>
    ({
      url,
      init: { method: 'POST', headers: { 'content-type': form, ...headers }, body },
    }) as const;
  const get = (url: string, headers: Record<string, string>) =>
    ({ url, init: { headers } }) as const;
  const authorization = basic(clientId, secret);
  const jwt = [{ alg: 'RS256', kid: secret }, { iss: secret, sub: secret }, secret]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const bearers = [apiKey, `${apiKey}x`, secret, jwt, `${word}.${word}.${word}`];
  return [
    post({ authorization }, grant),
    post({ authorization: basic(clientId, `${secret}x`) }, grant),
    post({ authorization: basic(secret, clientId) }, grant),
    post({ authorization: basic(`client_${word}`, word) }, grant),
    post({ authorization: `Bearer ${secret}` }, grant),
    post({ authorization: secret }, grant),
    post({}, `${grant}&client_id=${clientId}&client_secret=${secret}`),
    post({}, `${grant}&client_id=${clientId}&client_secret=${secret}x`),
    post({ authorization }, `grant_type=${secret}`),
    post({ authorization }, `${grant}&scope=${secret}`),
    post({ authorization }, `${grant}&resource=urn:${secret}`),
    post({ authorization }, `${grant}&${secret}=${secret}&${secret}=${secret}`),
    post({ authorization, 'user-agent': secret, cookie: secret, 'x-amzn-trace-id': word }, grant),
    post({ authorization, 'content-type': secret }, grant),
    post({ authorization }, grant, `${tokenUrl}?client_secret=${secret}`),
    post({ authorization }, grant, `${tokenUrl}/${secret}`),
    get(`${jwksUri}?${secret}`, { authorization, 'if-none-match': secret }),
    get(`${issuer}/.well-known/openid-configuration?${secret}`, { authorization }),
    get(`${issuer}/health?${secret}`, { authorization }),
    get(`${issuer}/${secret}`, { authorization }),
    ...bearers.map((bearer) =>
      get(`${issuer}${examplePath}`, { authorization: `Bearer ${bearer}` }),
    ),
    get(`${issuer}${examplePath}?access_token=${secret}`, {}),
  ];
}

async function dumpTables({ environment, aws }: LocalRun): Promise<string> {
  const dynamodb = new DynamoDBClient({
    endpoint: environment.AWS_ENDPOINT_URL_DYNAMODB,
    region: environment.AWS_REGION,
    credentials: aws.credentials,
  });
  const dumps = await Promise.all(
    tableKeys.map((key) => dynamodb.send(new ScanCommand({ TableName: tableName('local', key) }))),
  );
  dynamodb.destroy();
  return JSON.stringify(dumps.map(({ Items }) => Items));
}

it('would be found in every form that they could take', () => {
  for (const before of ['', 'a', 'ab', 'client_x:']) {
    const encoded = Buffer.from(`${before}${word}secret:x`).toString('base64');
    expect(base64Forms(`${word}secret`).some((part) => encoded.includes(part))).toBe(true);
  }
});

it.each(deployments)(
  'are in no log line, metric, error, audit record, table or file%s',
  async (name, { authctl, json, service }) => {
    const created = await json(
      'client create --name Canary --trunk-group tg --scope messaging:view'.split(' '),
    );
    const clientId = String(created['client_id']);
    const secret = String((await json(['client-secret', 'create', clientId]))['client_secret']);
    const key = await json(['api-key', 'create', '--name', 'Canary', '--trunk-group', 'tg']);
    const apiKey = String(key['api_key']);
    expect(secret).toMatch(/^cs_/);
    expect(apiKey).toMatch(/^ak_/);

    const answers: string[] = [];
    const statuses = new Map<number, number>();
    const tokens: string[] = [];
    let requests = 0;
    const output = await captureOutput(async () => {
      for (const rules of situations) {
        faults.play({ rules: [...rules] });
        for (const { url, init } of requestsWith(service(), clientId, secret, apiKey)) {
          const response = await fetch(url, init);
          const body = await response.text();
          requests += 1;
          statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
          const token = /"access_token":"([^"]+)"/.exec(body)?.[1];
          if (token === undefined) answers.push(body, JSON.stringify([...response.headers]));
          else tokens.push(token);
        }
        // A person at the terminal who pastes the secret where an id belongs.
        for (const command of [
          ['client', 'show', secret],
          ['client-secret', 'list', secret],
          ['api-key', 'show', apiKey],
        ]) {
          const run = await authctl(command);
          expect(run.exitCode).not.toBe(0);
        }
      }
      faults.stop();
      await json(['client', 'update', clientId, '--name', 'Renamed']);
      await json(['client', 'delete', clientId, '--yes']);
    });

    // A refusal and a failure of every kind, and credentials that were accepted.
    for (const status of [200, 400, 401, 404, 500, 503])
      expect(statuses.get(status)).toBeGreaterThan(0);
    expect(tokens.length).toBeGreaterThan(0);

    const credentials = [secret, apiKey, word];
    const hashes = credentials.map(hashSecret);
    const forms = credentials.flatMap(formsOf);
    const signatures = tokens.map((token) => token.split('.')[2] ?? '');
    const log = readFileSync(service().paths.log, 'utf8');
    const searched = { output, log, answers: answers.join('\n') };
    const found = Object.entries(searched).flatMap(([name, text]) =>
      [...forms, ...signatures].filter((part) => text.includes(part)).map((part) => [name, part]),
    );
    // A table holds the hash, which is what it is for, and nothing else.
    const tables = await dumpTables(service());
    const inTables = forms.filter((part) => !hashes.includes(part) && tables.includes(part));
    const files = filesIn(service().paths.directory);
    const texts = files.map((file) => readFileSync(file, 'latin1'));
    const plain = credentials.flatMap((one) => [one, ...base64Forms(one)]);
    const inFiles = files.filter((_, at) => plain.some((part) => texts[at]?.includes(part)));
    figure(`canary secrets${name}`, {
      requests,
      'log lines': log.trimEnd().split('\n').length,
      files: files.length,
      'forms searched for': forms.length + signatures.length,
      found: found.length + inTables.length + inFiles.length,
    });
    expect(found).toEqual([]);
    expect(inTables).toEqual([]);
    expect(inFiles).toEqual([]);
  },
);
