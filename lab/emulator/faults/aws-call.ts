import type { IncomingMessage } from 'node:http';
import { parseJsonObject } from '../request-body.ts';
import type { FaultyService } from './aws-error-codes.ts';

/** One call of an AWS JSON service, in the form that faults need. */
export interface AwsCall {
  readonly service: FaultyService;
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly table: string | undefined;
  /** Every value that identifies the item or the key. */
  readonly keys: readonly string[];
}

/** Strings of a DynamoDB map: `{"client_id":{"S":"client_x"}}`. */
function stringsOf(attributes: unknown): readonly string[] {
  return Object.values(attributes ?? {}).flatMap((value: unknown) =>
    typeof value === 'object' && value !== null && 'S' in value ? [String(value.S)] : [],
  );
}

function keysOf(input: Readonly<Record<string, unknown>>): readonly string[] {
  const { KeyId, Key, Item, ExpressionAttributeValues } = input;
  const kms = typeof KeyId === 'string' ? [KeyId, KeyId.slice(KeyId.lastIndexOf('/') + 1)] : [];
  return [
    ...kms,
    ...stringsOf(Key),
    ...stringsOf(Item),
    ...(Key === undefined && Item === undefined ? stringsOf(ExpressionAttributeValues) : []),
  ];
}

export function readAwsCall(
  service: FaultyService,
  headers: IncomingMessage['headers'],
  body: Buffer,
): AwsCall {
  // What is no JSON object, the service itself reports.
  const input = parseJsonObject(body) ?? {};
  const { TableName } = input;
  return {
    service,
    operation: String(headers['x-amz-target']).split('.')[1] ?? '',
    input,
    table: typeof TableName === 'string' ? TableName : undefined,
    keys: keysOf(input),
  };
}

const writes: ReadonlySet<string> = new Set(['PutItem', 'UpdateItem', 'DeleteItem']);

export function isWrite(call: AwsCall): boolean {
  return writes.has(call.operation);
}

/** Reads that the strong mode answers by asking the other regions, and writes. */
export function isStrong(call: AwsCall): boolean {
  return isWrite(call) || call.input['ConsistentRead'] === true;
}
