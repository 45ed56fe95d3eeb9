import { ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import type { IAM } from '@aws-sdk/client-iam';
import { type KMS, NotFoundException } from '@aws-sdk/client-kms';
import type { NamedPolicy, PolicyDocument } from '../../emulator/iam/evaluate-request.ts';
import type { KmsKeyFacts } from '../../emulator/iam/kms-calls.ts';
import type { Role } from '../../emulator/iam/principals.ts';
import type { Services } from '../../support/aws-services.ts';
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

/** IAM sends documents as percent-encoded text (RFC 3986). */
function namedPolicy(name: string, document: string | undefined): NamedPolicy {
  return { name, document: JSON.parse(decodeURIComponent(document ?? '')) as PolicyDocument };
}

async function readManagedPolicy(iam: IAM, PolicyArn: string): Promise<NamedPolicy> {
  const { Policy } = await iam.getPolicy({ PolicyArn });
  const VersionId = Policy?.DefaultVersionId;
  const { PolicyVersion } = await iam.getPolicyVersion({ PolicyArn, VersionId });
  return namedPolicy(PolicyArn, PolicyVersion?.Document);
}

async function readRole(iam: IAM, arn: string): Promise<Role> {
  const RoleName = arn.split('/').at(-1) ?? '';
  const [{ Role }, { PolicyNames = [] }, { AttachedPolicies = [] }] = await Promise.all([
    iam.getRole({ RoleName }),
    iam.listRolePolicies({ RoleName }),
    iam.listAttachedRolePolicies({ RoleName }),
  ]);
  const own = PolicyNames.map(async (PolicyName) => {
    const found = await iam.getRolePolicy({ RoleName, PolicyName });
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

async function readKey(kms: KMS, region: string, KeyId: string): Promise<KmsKeyFacts> {
  const [{ KeyMetadata }, { Policy }, { Tags = [] }] = await Promise.all([
    kms.describeKey({ KeyId }),
    kms.getKeyPolicy({ KeyId }),
    kms.listResourceTags({ KeyId }),
  ]);
  return {
    region,
    keyId: KeyMetadata?.KeyId ?? '',
    keySpec: KeyMetadata?.KeySpec ?? '',
    policy: Policy ?? '',
    tags: Tags.map(({ TagKey = '', TagValue = '' }) => ({ TagKey, TagValue })),
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

async function readPartitionKey({ dynamodb }: Services, TableName: string) {
  const found = await orMissing(dynamodb.describeTable({ TableName }), ResourceNotFoundException);
  return found?.Table?.KeySchema?.find(({ KeyType }) => KeyType === 'HASH')?.AttributeName;
}

/** Reads from the APIs of an account what was really deployed. */
export function readDeployedAccount(aws: (region: string) => Services): DeployedAccount {
  // IAM is global.
  const { iam } = aws('us-east-1');
  // The key of a table never changes.
  const partitionKeys = new Map<string, string>();
  return {
    roleOf: async (functionArn) => {
      const { lambda } = aws(functionArn.split(':')[3] ?? '');
      const { Role = '' } = await lambda.getFunctionConfiguration({ FunctionName: functionArn });
      return readRole(iam, Role);
    },
    managedPolicy: async (name) => {
      const arn = `arn:aws:iam::${account}:policy/${name}`;
      return { ...(await readManagedPolicy(iam, arn)), name };
    },
    key: (region, keyId) => orMissing(readKey(aws(region).kms, region, keyId), NotFoundException),
    partitionKey: async (region, table) => {
      const id = `${region} ${table}`;
      const key = partitionKeys.get(id) ?? (await readPartitionKey(aws(region), table));
      if (key !== undefined) partitionKeys.set(id, key);
      return key;
    },
  };
}
