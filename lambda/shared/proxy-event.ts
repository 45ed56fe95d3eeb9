import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { HttpRequest } from './http-message.ts';

type MultiValue = Readonly<Record<string, readonly (string | undefined)[] | undefined>>;

/** Header names are case-insensitive: two spellings of a name are one header with two values. */
function readHeader(headers: MultiValue, lowerName: string): readonly string[] {
  const isNamed = (name: string) =>
    name.length === lowerName.length && name.toLowerCase() === lowerName;
  return Object.keys(headers)
    .filter(isNamed)
    .flatMap((name) => headers[name] ?? [])
    .filter((value) => value !== undefined);
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
