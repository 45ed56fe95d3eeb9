import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { HttpResponse } from '../http-exchange.ts';

/** Services that are emulated on this machine, by their signing names. */
export type AwsService = 'dynamodb' | 'kms' | 'lambda' | 'secretsmanager' | 'sts';

/** AWS JSON 1.0 and 1.1, the JSON of Lambda's REST protocol, and the XML of STS. */
export const contentTypes: Readonly<Record<AwsService, string>> = {
  dynamodb: 'application/x-amz-json-1.0',
  kms: 'application/x-amz-json-1.1',
  lambda: 'application/json',
  secretsmanager: 'application/x-amz-json-1.1',
  sts: 'text/xml',
};

/** An error that the caller's SDK turns into an exception of this name. */
export class AwsError extends Error {
  override readonly name = 'AwsError';
  readonly type: string;
  readonly status: number;

  constructor(type: string, message: string, status = 400) {
    super(message);
    this.type = type;
    this.status = status;
  }
}

/** Text within an element of XML. */
export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The body of an error of the query protocol. */
function renderXml({ type, message }: AwsError): string {
  const error = `<Type>Sender</Type><Code>${escapeXml(type)}</Code><Message>${escapeXml(message)}</Message>`;
  return `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error>${error}</Error></ErrorResponse>`;
}

/** AWS's own framework answers when IAM refuses, and writes the member in upper case. */
export class AccessDeniedError extends AwsError {
  constructor(service: string, message: string) {
    super('AccessDeniedException', message, service === 'lambda' ? 403 : 400);
  }
}

function renderDenial(service: AwsService, { type, message: Message }: AwsError): string {
  if (service === 'lambda') return JSON.stringify({ Message });
  const prefix = service === 'dynamodb' ? 'com.amazon.coral.service#' : '';
  return JSON.stringify({ __type: `${prefix}${type}`, Message });
}

/** The body of an error of the JSON protocols. */
function renderJson(service: AwsService, error: AwsError): string {
  if (error instanceof AccessDeniedError) return renderDenial(service, error);
  const { type, message } = error;
  if (service === 'lambda') return JSON.stringify({ Type: 'User', message });
  // DynamoDB puts a namespace before the type; SDKs drop it.
  const prefix = service === 'dynamodb' ? 'com.amazonaws.dynamodb.v20120810#' : '';
  return JSON.stringify({ __type: `${prefix}${type}`, message });
}

/** An error as the service writes it: the type is in the body or, of a REST service, a header. */
export function renderAwsError(service: AwsService, error: AwsError): HttpResponse {
  return {
    status: error.status,
    headers: {
      'content-type': contentTypes[service],
      'x-amzn-requestid': randomUUID(),
      ...(service === 'lambda' && { 'x-amzn-errortype': error.type }),
    },
    body: Buffer.from(service === 'sts' ? renderXml(error) : renderJson(service, error)),
  };
}

export function sendAnswer(
  response: ServerResponse,
  { status, headers, body }: HttpResponse,
): void {
  response.writeHead(status, { ...headers, 'content-length': body.length });
  response.end(body);
}
