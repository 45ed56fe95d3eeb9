import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { HttpRequest } from './http-message.ts';

type MultiValue = Readonly<Record<string, readonly (string | undefined)[] | undefined>>;

/** Header names are case-insensitive: two spellings of a name are one header with two values. */
export function readHeader(headers: MultiValue, lowerName: string): readonly string[] {
  const values: string[] = [];
  for (const name of Object.keys(headers)) {
    // Most names differ in length, which is cheap to compare.
    if (name.length !== lowerName.length || name.toLowerCase() !== lowerName) continue;
    for (const value of headers[name] ?? []) if (value !== undefined) values.push(value);
  }
  return values;
}

/** Reads the event of a REST API's proxy integration (payload version 1.0). */
export function readHttpRequest(event: APIGatewayProxyEvent): HttpRequest {
  const { body, isBase64Encoded, requestContext } = event;
  return {
    method: event.httpMethod,
    path: event.resource,
    headerValues: (lowerName) => readHeader(event.multiValueHeaders ?? {}, lowerName),
    queryNames: Object.keys(event.multiValueQueryStringParameters ?? {}),
    body: Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8'),
    sourceIp: requestContext.identity.sourceIp,
    receivedAt: requestContext.requestTimeEpoch,
  };
}
