import { ownValue } from '../../../contract/own-value.ts';
import { probeKey } from '../../../contract/platform-api-tables.ts';
import { type TableKey, tables } from '../../../contract/tables.ts';
import { InputError, UnavailableError } from '../../../core/errors.ts';
import { callAws, ResourceNotFoundError } from '../../aws-errors.ts';
import { CredentialsError, credentialSources } from '../../credentials/credential-provider.ts';
import type { CallError } from '../../retries.ts';
import type { DynamoDbCalls } from '../clients/dynamodb-calls.ts';
import type { JsonTables } from '../clients/json-documents.ts';
import { readCheckedClients } from './client-lookup.ts';
import { findItem } from './read-items.ts';

/** The mistake in the configuration that an error of DynamoDB means, by its name. */
const explanations: Readonly<Record<string, (table: string, awsRegion: string) => string>> = {
  ResourceNotFoundException: (table, awsRegion) =>
    `there is no table "${table}" in ${awsRegion}; check the tables' name or ARN and the AWS region`,
  AccessDeniedException: (table) =>
    `the credentials may not read the table "${table}"; they need dynamodb:GetItem on it, and a table in another account needs tableReaders in its deployment config`,
  ValidationException: (table) =>
    `the table "${table}" is not one of the authorization server: its key is another`,
  UnrecognizedClientException: (table) =>
    `AWS does not know the credentials that the table "${table}" was read with`,
  InvalidSignatureException: (table) =>
    `AWS refuses the signature of the credentials that the table "${table}" was read with`,
  ExpiredTokenException: (table) =>
    `the credentials that the table "${table}" was read with have expired`,
};

/** The credentials' own error, also if it was reported as a temporary outage. */
function credentialsError(error: unknown): CredentialsError | undefined {
  if (error instanceof CredentialsError) return error;
  return error instanceof UnavailableError ? credentialsError(error.cause) : undefined;
}

function explain(error: unknown, table: string, awsRegion: string): unknown {
  const missing = credentialsError(error);
  if (missing !== undefined) {
    return new InputError(`AWS credentials: ${missing.message}; allowed: ${credentialSources}`, {
      cause: error,
    });
  }
  const { name = '' } = error as CallError;
  const explanation = ownValue(explanations, name);
  return explanation === undefined
    ? error
    : new InputError(`tables: ${explanation(table, awsRegion)}`, { cause: error });
}

/**
 * Reads one item of each table, to find a wrong name, region or permission at start and not at the
 * first API key.
 *
 * @throws {InputError} if the configuration is wrong. The message names the table.
 */
export async function checkTables(
  calls: DynamoDbCalls,
  names: Readonly<Partial<Record<TableKey, string>>>,
  awsRegion: string,
): Promise<void> {
  for (const [key, table] of Object.entries(names)) {
    const { partitionKey } = tables[key as TableKey];
    try {
      await findItem(key === 'clients' ? readCheckedClients(calls) : calls, {
        table,
        key: { [partitionKey]: probeKey },
      });
    } catch (error) {
      throw explain(error, table, awsRegion);
    }
  }
}

/**
 * Whether a table exists. A Query cannot tell: IAM may refuse one whose condition is about the
 * partition key of a table that is not there.
 */
export async function tableExists(
  { describeTable }: Pick<JsonTables, 'describeTable'>,
  table: string,
): Promise<boolean> {
  try {
    await callAws('DynamoDB', `describe ${table}`, () => describeTable({ TableName: table }));
    return true;
  } catch (error) {
    if (error instanceof ResourceNotFoundError) return false;
    throw error;
  }
}
