import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { listenOnLoopback } from '../../../../lab/emulator/loopback-server.ts';
import {
  type DeployedAccount,
  readDeployedAccount,
} from '../../../../lab/ministack/permissions/deployed-account.ts';

const functionArn = 'arn:aws:lambda:us-west-2:000000000000:function:token:3';
const role = 'arn:aws:iam::000000000000:role/token-role';
const boundary = 'arn:aws:iam::000000000000:policy/boundary';
const attached = 'arn:aws:iam::000000000000:policy/attached';

function documentOf(action: string) {
  const Statement = [{ Effect: 'Allow', Action: action, Resource: '*' }];
  return { Version: '2012-10-17', Statement };
}

const encoded = (action: string) => encodeURIComponent(JSON.stringify(documentOf(action)));

/** Answers of IAM, by the action and the parameter that matters. */
const iam: Readonly<Record<string, string>> = {
  'GetRole token-role': `<Role><Arn>${role}</Arn><PermissionsBoundary><PermissionsBoundaryArn>${boundary}</PermissionsBoundaryArn></PermissionsBoundary></Role>`,
  'ListRolePolicies token-role': '<PolicyNames><member>own</member></PolicyNames>',
  'GetRolePolicy token-role': `<PolicyName>own</PolicyName><PolicyDocument>${encoded('kms:Sign')}</PolicyDocument>`,
  'ListAttachedRolePolicies token-role': `<AttachedPolicies><member><PolicyName>attached</PolicyName><PolicyArn>${attached}</PolicyArn></member></AttachedPolicies>`,
  [`GetPolicy ${attached}`]: '<Policy><DefaultVersionId>v2</DefaultVersionId></Policy>',
  [`GetPolicyVersion ${attached} v2`]: `<PolicyVersion><Document>${encoded('sns:Publish')}</Document></PolicyVersion>`,
  [`GetPolicy ${boundary}`]: '<Policy><DefaultVersionId>v1</DefaultVersionId></Policy>',
  [`GetPolicyVersion ${boundary} v1`]: `<PolicyVersion><Document>${encoded('kms:*')}</Document></PolicyVersion>`,
};

function answerIam(body: string): string {
  const parameters = new URLSearchParams(body);
  const action = parameters.get('Action') ?? '';
  const subject = parameters.get('RoleName') ?? parameters.get('PolicyArn') ?? '';
  const version = parameters.get('VersionId');
  const result = iam[[action, subject, version].filter((part) => part !== null).join(' ')];
  return `<${action}Response><${action}Result>${result}</${action}Result></${action}Response>`;
}

/** Answers of the JSON services, by target. */
const json: Readonly<Record<string, (input: Readonly<Record<string, string>>) => object>> = {
  'TrentService.DescribeKey': () => ({ KeyMetadata: { KeyId: 'key-1', KeySpec: 'ECC_NIST_P256' } }),
  'TrentService.GetKeyPolicy': () => ({ Policy: '{"Statement":[]}' }),
  'TrentService.ListResourceTags': () => ({ Tags: [{ TagKey: 'deployment', TagValue: 'one' }] }),
  'DynamoDB_20120810.DescribeTable': () => ({
    Table: {
      KeySchema: [
        { AttributeName: 'sort', KeyType: 'RANGE' },
        { AttributeName: 'client_id', KeyType: 'HASH' },
      ],
    },
  }),
};

let deployed: DeployedAccount;
let targets: string[];

beforeEach(async () => {
  targets = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const target = request.headers['x-amz-target']?.toString();
      targets.push(target ?? request.url ?? '');
      if (body.includes('absent')) {
        const type = body.includes('TableName') ? 'ResourceNotFoundException' : 'NotFoundException';
        response.writeHead(400).end(JSON.stringify({ __type: type }));
      } else if (target !== undefined) {
        response.end(JSON.stringify(json[target]?.(JSON.parse(body))));
      } else if (request.method === 'GET') {
        const isAsked = decodeURIComponent(request.url ?? '').includes(functionArn);
        response.end(JSON.stringify(isAsked ? { Role: role } : {}));
      } else {
        response.end(answerIam(body));
      }
    });
  });
  await listenOnLoopback(server);
  onTestFinished(() => void server.close());
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  deployed = readDeployedAccount((region) => ({ region, endpoint, credentials }));
});

it('has the role of a function: own and attached policies, and the boundary', async () => {
  expect(await deployed.roleOf(functionArn)).toEqual({
    arn: role,
    policies: [
      { name: 'token-role/own', document: documentOf('kms:Sign') },
      { name: attached, document: documentOf('sns:Publish') },
    ],
    boundary: { name: boundary, document: documentOf('kms:*') },
  });
});

it('has managed policies by name, in the version that counts', async () => {
  const found = await deployed.managedPolicy('attached');
  expect(found).toEqual({ name: 'attached', document: documentOf('sns:Publish') });
});

it('has keys with their spec, policy and tags', async () => {
  expect(await deployed.key('us-west-2', 'key-1')).toEqual({
    region: 'us-west-2',
    keyId: 'key-1',
    keySpec: 'ECC_NIST_P256',
    policy: '{"Statement":[]}',
    tags: [{ TagKey: 'deployment', TagValue: 'one' }],
  });
  expect(await deployed.key('us-west-2', 'absent')).toBeUndefined();
});

it('has the partition key of each table, which it reads once', async () => {
  expect(await deployed.partitionKey('us-west-2', 'clients')).toBe('client_id');
  expect(await deployed.partitionKey('us-west-2', 'clients')).toBe('client_id');
  expect(targets).toEqual(['DynamoDB_20120810.DescribeTable']);
  expect(await deployed.partitionKey('us-west-2', 'absent')).toBeUndefined();
});
