import {
  DescribeTableCommand,
  DynamoDBClient,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import {
  GetPolicyCommand,
  GetPolicyVersionCommand,
  GetRoleCommand,
  GetRolePolicyCommand,
  IAMClient,
  ListAttachedRolePoliciesCommand,
  ListRolePoliciesCommand,
} from '@aws-sdk/client-iam';
import {
  DescribeKeyCommand,
  GetKeyPolicyCommand,
  KMSClient,
  ListResourceTagsCommand,
  NotFoundException,
} from '@aws-sdk/client-kms';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { NamedPolicy, PolicyDocument } from '../../emulator/iam/evaluate-request.ts';
import type { KmsKeyFacts } from '../../emulator/iam/kms-calls.ts';
import type { Role } from '../../emulator/iam/principals.ts';
import { account } from './function-key.ts';

/** What an account has that decides who may do what. */
export interface DeployedAccount {
  /** The role of a function, with its policies. */
  readonly roleOf: (functionArn: string) => Promise<Role>;
  /** A managed policy of the account, by name. */
  readonly managedPolicy: (name: string) => Promise<NamedPolicy>;
  /** Undefined if there is no such key. */
  readonly key: (region: string, keyId: string) => Promise<KmsKeyFacts | undefined>;
  /** The attribute of a table's partition key; undefined if there is no such table. */
  readonly partitionKey: (region: string, table: string) => Promise<string | undefined>;
}

/** Options of a client of the SDK, for an AWS region. */
type ClientOptions = (region: string) => {
  readonly region: string;
  readonly endpoint: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
};

/** IAM sends documents as percent-encoded text (RFC 3986). */
function namedPolicy(name: string, document: string | undefined): NamedPolicy {
  return { name, document: JSON.parse(decodeURIComponent(document ?? '')) as PolicyDocument };
}

async function readManagedPolicy(iam: IAMClient, PolicyArn: string): Promise<NamedPolicy> {
  const { Policy } = await iam.send(new GetPolicyCommand({ PolicyArn }));
  const { PolicyVersion } = await iam.send(
    new GetPolicyVersionCommand({ PolicyArn, VersionId: Policy?.DefaultVersionId }),
  );
  return namedPolicy(PolicyArn, PolicyVersion?.Document);
}

async function readRole(iam: IAMClient, arn: string): Promise<Role> {
  const RoleName = arn.split('/').at(-1) ?? '';
  const [{ Role }, { PolicyNames = [] }, { AttachedPolicies = [] }] = await Promise.all([
    iam.send(new GetRoleCommand({ RoleName })),
    iam.send(new ListRolePoliciesCommand({ RoleName })),
    iam.send(new ListAttachedRolePoliciesCommand({ RoleName })),
  ]);
  const own = PolicyNames.map(async (PolicyName) => {
    const found = await iam.send(new GetRolePolicyCommand({ RoleName, PolicyName }));
    return namedPolicy(`${RoleName}/${PolicyName}`, found.PolicyDocument);
  });
  const attached = AttachedPolicies.map(({ PolicyArn = '' }) => readManagedPolicy(iam, PolicyArn));
  const boundaryArn = Role?.PermissionsBoundary?.PermissionsBoundaryArn;
  return {
    arn,
    policies: await Promise.all([...own, ...attached]),
    boundary: boundaryArn === undefined ? undefined : await readManagedPolicy(iam, boundaryArn),
  };
}

async function readKey(kms: KMSClient, region: string, KeyId: string): Promise<KmsKeyFacts> {
  const [{ KeyMetadata }, { Policy }, { Tags = [] }] = await Promise.all([
    kms.send(new DescribeKeyCommand({ KeyId })),
    kms.send(new GetKeyPolicyCommand({ KeyId })),
    kms.send(new ListResourceTagsCommand({ KeyId })),
  ]);
  return {
    region,
    keyId: KeyMetadata?.KeyId ?? '',
    keySpec: KeyMetadata?.KeySpec ?? '',
    policy: Policy ?? '',
    tags: Tags.map(({ TagKey = '', TagValue = '' }) => ({ TagKey, TagValue })),
  };
}

/** One client of each AWS region. */
function inEachRegion<T>(create: (region: string) => T): (region: string) => T {
  const clients = new Map<string, T>();
  return (region) => {
    const client = clients.get(region) ?? create(region);
    clients.set(region, client);
    return client;
  };
}

type ErrorType = abstract new (...args: never) => Error;

/** @returns undefined if the request fails with such an error. */
async function orMissing<T>(request: Promise<T>, type: ErrorType): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof type) return undefined;
    throw error;
  }
}

async function readPartitionKey(
  dynamodb: DynamoDBClient,
  TableName: string,
): Promise<string | undefined> {
  const described = dynamodb.send(new DescribeTableCommand({ TableName }));
  const found = await orMissing(described, ResourceNotFoundException);
  return found?.Table?.KeySchema?.find(({ KeyType }) => KeyType === 'HASH')?.AttributeName;
}

/** Reads from the APIs of an account what was really deployed. */
export function readDeployedAccount(options: ClientOptions): DeployedAccount {
  // IAM is global.
  const iam = new IAMClient(options('us-east-1'));
  const lambda = inEachRegion((region) => new LambdaClient(options(region)));
  const kms = inEachRegion((region) => new KMSClient(options(region)));
  const dynamodb = inEachRegion((region) => new DynamoDBClient(options(region)));
  // The key of a table never changes.
  const partitionKeys = new Map<string, string>();
  return {
    roleOf: async (functionArn) => {
      const region = functionArn.split(':')[3] ?? '';
      const { Role = '' } = await lambda(region).send(
        new GetFunctionConfigurationCommand({ FunctionName: functionArn }),
      );
      return readRole(iam, Role);
    },
    managedPolicy: async (name) => {
      const arn = `arn:aws:iam::${account}:policy/${name}`;
      return { ...(await readManagedPolicy(iam, arn)), name };
    },
    key: (region, keyId) => orMissing(readKey(kms(region), region, keyId), NotFoundException),
    partitionKey: async (region, table) => {
      const id = `${region} ${table}`;
      const key = partitionKeys.get(id) ?? (await readPartitionKey(dynamodb(region), table));
      if (key !== undefined) partitionKeys.set(id, key);
      return key;
    },
  };
}
