import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { HttpRequest } from './http-message.ts';

type MultiValue = Readonly<Record<string, readonly (string | undefined)[] | undefined>>;

/** Header names are case-insensitive: two spellings of one are one header with two values. */
function readHeaders(headers: MultiValue): Map<string, readonly string[]> {
  const byName = new Map<string, readonly string[]>();
  for (const [name, values] of Object.entries(headers)) {
    const lowerName = name.toLowerCase();
    const before = byName.get(lowerName);
    const more = (values ?? []).filter((value) => value !== undefined);
    byName.set(lowerName, before === undefined ? more : [...before, ...more]);
  }
  return byName;
}

/** Reads the event of a REST API's proxy integration (payload version 1.0). */
export function readHttpRequest(event: APIGatewayProxyEvent): HttpRequest {
  const { body, isBase64Encoded, requestContext } = event;
  return {
    method: event.httpMethod,
    path: event.resource,
    headers: readHeaders(event.multiValueHeaders ?? {}),
    queryNames: Object.keys(event.multiValueQueryStringParameters ?? {}),
    body: Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8'),
    sourceIp: requestContext.identity.sourceIp,
    receivedAt: requestContext.requestTimeEpoch,
  };
}
