import { AwsError, type AwsService } from '../../emulator/aws-server/aws-error.ts';
import type { VerifiedRequest } from '../../emulator/aws-server/aws-server.ts';
import type { ResourceCall } from '../../emulator/iam/access-control.ts';
import { dynamodbCalls } from '../../emulator/iam/dynamodb-calls.ts';
import { kmsCalls } from '../../emulator/iam/kms-calls.ts';
import { invocationCall, readInvokedFunction } from '../../emulator/iam/lambda-calls.ts';
import type { DeployedAccount } from './deployed-account.ts';
import { account } from './function-key.ts';

type ReadCalls = (
  request: VerifiedRequest,
  deployed: DeployedAccount,
) => Promise<readonly ResourceCall[]>;

const kmsTarget = /^TrentService\.(\w+)$/;

/** A call whose permissions this test does not know. No function may make one. */
export class UnknownCallError extends AwsError {
  constructor(service: string, { method, url, headers }: VerifiedRequest) {
    const operation = String(headers['x-amz-target'] ?? `${method} ${url}`);
    super('UnknownOperationException', `${operation} of ${service} cannot be authorized`, 400);
  }
}

async function readDynamoDb(request: VerifiedRequest, deployed: DeployedAccount) {
  const tables = new Set<string>();
  // First only for the names of the tables, whose keys the context needs.
  dynamodbCalls(request, { account, partitionKey: (table) => void tables.add(table) });
  const keys = new Map<string, string | undefined>();
  for (const table of tables) {
    keys.set(table, await deployed.partitionKey(request.region, table));
  }
  const calls = dynamodbCalls(request, { account, partitionKey: (table) => keys.get(table) });
  if (calls.length === 0) throw new UnknownCallError('dynamodb', request);
  return calls;
}

async function readKms(request: VerifiedRequest, deployed: DeployedAccount) {
  const operation = kmsTarget.exec(request.headers['x-amz-target']?.toString() ?? '')?.[1];
  if (operation === undefined) throw new UnknownCallError('kms', request);
  const input = JSON.parse(request.body.toString()) as Readonly<Record<string, unknown>>;
  const { region } = request;
  const { KeyId } = input;
  const key = typeof KeyId === 'string' ? await deployed.key(region, KeyId) : undefined;
  const findKey = () => {
    if (key !== undefined) return key;
    throw new AwsError('NotFoundException', `Key '${String(KeyId)}' does not exist`, 400);
  };
  return kmsCalls(operation, input, { region, findKey });
}

const readers: Readonly<Record<AwsService, ReadCalls>> = {
  dynamodb: readDynamoDb,
  kms: readKms,
  lambda: (request) => {
    const invoked = readInvokedFunction(request);
    if (invoked === undefined) throw new UnknownCallError('lambda', request);
    return Promise.resolve([invocationCall(invoked, { region: request.region, account })]);
  },
  // GetCallerIdentity needs no permission, and no policy can deny it.
  sts: (request) => {
    const action = new URLSearchParams(request.body.toString()).get('Action');
    if (action !== 'GetCallerIdentity') throw new UnknownCallError('sts', request);
    return Promise.resolve([]);
  },
};

/**
 * What a request does, with the condition keys of the deployed resources.
 *
 * @throws {UnknownCallError} if the operation is not known.
 * @throws {AwsError} if there is no such resource.
 */
export function readCalls(
  service: AwsService,
  request: VerifiedRequest,
  deployed: DeployedAccount,
): Promise<readonly ResourceCall[]> {
  return readers[service](request, deployed);
}
