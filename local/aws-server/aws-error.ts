import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/** Services whose protocol is spoken on this machine, by their signing names. */
export type AwsService = 'dynamodb' | 'kms' | 'lambda';

/** AWS JSON 1.0 and 1.1, and the JSON of Lambda's REST protocol. */
export const contentTypes: Readonly<Record<AwsService, string>> = {
  dynamodb: 'application/x-amz-json-1.0',
  kms: 'application/x-amz-json-1.1',
  lambda: 'application/json',
};

/** An error that the caller's SDK turns into an exception of this name. */
export class AwsError extends Error {
  override readonly name = 'AwsError';
  readonly type: string;
  readonly status: number;

  constructor(type: string, message: string, status: number) {
    super(message);
    this.type = type;
    this.status = status;
  }
}

/** A whole answer. */
export interface AwsAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** DynamoDB puts a namespace before the type; SDKs drop it. */
const typePrefixes: Readonly<Record<AwsService, string>> = {
  dynamodb: 'com.amazonaws.dynamodb.v20120810#',
  kms: '',
  lambda: '',
};

/** An error as the service writes it: the type is in the body or, of a REST service, a header. */
export function renderAwsError(service: AwsService, error: AwsError): AwsAnswer {
  const { type, status, message } = error;
  const isRest = service === 'lambda';
  const body = isRest
    ? { Type: 'User', message }
    : { __type: `${typePrefixes[service]}${type}`, message };
  return {
    status,
    headers: {
      'content-type': contentTypes[service],
      'x-amzn-requestid': randomUUID(),
      ...(isRest && { 'x-amzn-errortype': type }),
    },
    body: Buffer.from(JSON.stringify(body)),
  };
}

export function sendAnswer(response: ServerResponse, { status, headers, body }: AwsAnswer): void {
  response.writeHead(status, { ...headers, 'content-length': body.length });
  response.end(body);
}
