import { AwsError, type AwsService } from '../aws-server/aws-error.ts';
import type { VerifiedRequest } from '../aws-server/verify-signature.ts';
import type { KmsInput } from '../kms/input.ts';
import type { ResourceCall } from './authorizer.ts';
import { dynamodbCalls } from './dynamodb-calls.ts';
import { type KmsKeyFacts, kmsCalls } from './kms-calls.ts';
import { describeFunctionCall, isAccountSettings, readFunctionCall } from './lambda-calls.ts';

type Awaitable<T> = T | Promise<T>;

/** What an account has that condition keys show. */
export interface Resources {
  readonly account: string;
  /** The attribute of a table's partition key; undefined if there is no such table. */
  readonly partitionKey: (region: string, table: string) => Awaitable<string | undefined>;
  readonly findKey: FindKey;
}

/** @throws {AwsError} what KMS answers for a key that is not there. */
export type FindKey = (input: KmsInput, region: string) => Awaitable<KmsKeyFacts>;

type ReadCalls = (
  request: VerifiedRequest,
  resources: Resources,
) => Awaitable<readonly ResourceCall[]>;

/** A call whose permissions are not known here. */
export class UnknownCallError extends AwsError {
  constructor(service: string, { method, url, headers }: VerifiedRequest) {
    const operation = String(headers['x-amz-target'] ?? `${method} ${url}`);
    super('UnknownOperationException', `${operation} of ${service} cannot be authorized`, 400);
  }
}

const kmsTarget = /^TrentService\.(\w+)$/;

const secretTarget = /^secretsmanager\.(GetSecretValue)$/;

/** Operations of KMS that name no key. */
const keyless: ReadonlySet<string> = new Set(['CreateKey', 'ListKeys']);

const readers: Readonly<Record<AwsService, ReadCalls>> = {
  dynamodb: async (request, { account, partitionKey }) => {
    const tables = new Set<string>();
    // First only for the names of the tables, whose keys the context needs.
    dynamodbCalls(request, { account, partitionKey: (table) => void tables.add(table) });
    const keys = new Map<string, string | undefined>();
    for (const table of tables) keys.set(table, await partitionKey(request.region, table));
    return dynamodbCalls(request, { account, partitionKey: (table) => keys.get(table) });
  },
  kms: async ({ headers, body, region }, { findKey }) => {
    const operation = kmsTarget.exec(headers['x-amz-target']?.toString() ?? '')?.[1];
    if (operation === undefined) return [];
    const input = JSON.parse(body.toString()) as KmsInput;
    if (keyless.has(operation)) return kmsCalls(operation, input, region);
    return kmsCalls(operation, input, region, await findKey(input, region));
  },
  lambda: (request, { account }) => {
    if (isAccountSettings(request)) {
      return [{ action: 'lambda:GetAccountSettings', resource: '*', context: {} }];
    }
    const call = readFunctionCall(request);
    return call === undefined
      ? []
      : [describeFunctionCall(call, { region: request.region, account })];
  },
  // Functions name a secret by its ARN.
  secretsmanager: ({ headers, body }) => {
    const operation = secretTarget.exec(headers['x-amz-target']?.toString() ?? '')?.[1];
    if (operation === undefined) return [];
    const { SecretId: resource } = JSON.parse(body.toString()) as { readonly SecretId: string };
    return [{ action: `secretsmanager:${operation}`, resource, context: {} }];
  },
  sts: () => [],
};

/** GetCallerIdentity needs no permission, and no policy can deny it. */
function needsNone(service: AwsService, { body }: VerifiedRequest): boolean {
  const action = new URLSearchParams(body.toString()).get('Action');
  return service === 'sts' && action === 'GetCallerIdentity';
}

/**
 * What a request does, with the condition keys of its resources.
 *
 * @throws {UnknownCallError} if the operation is not known.
 * @throws {AwsError} if there is no such resource.
 */
export async function readCalls(
  service: AwsService,
  request: VerifiedRequest,
  resources: Resources,
): Promise<readonly ResourceCall[]> {
  const calls = await readers[service](request, resources);
  if (calls.length === 0 && !needsNone(service, request)) {
    throw new UnknownCallError(service, request);
  }
  return calls;
}
