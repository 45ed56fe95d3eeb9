import type { APIGatewayProxyEvent } from 'aws-lambda';

/** A request of the REST API. Only the values that API Gateway sets can be trusted. */
export interface HttpRequest {
  readonly method: string;
  /** The route's path, not the one that the client sent. */
  readonly path: string;
  /** The values of a header, by its name in lower case. The request may use any case. */
  readonly headerValues: (lowerName: string) => readonly string[];
  readonly queryNames: readonly string[];
  readonly body: Uint8Array;
  /** Address of the TCP peer, from API Gateway. */
  readonly sourceIp: string;
  /** When API Gateway received the request, by its own clock, in milliseconds since the epoch. */
  readonly receivedAt: number;
}

/** The result of a function with a proxy integration. */
export interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

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

export function jsonResponse(
  statusCode: number,
  body: object,
  headers: Readonly<Record<string, string>>,
): HttpResponse {
  return {
    statusCode,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}

/** Adds headers to a response, and removes its body if the request's method is HEAD. */
export function addHeaders(
  { statusCode, headers, body }: HttpResponse,
  method: string,
  added: Readonly<Record<string, string>>,
): HttpResponse {
  return { statusCode, headers: { ...headers, ...added }, body: method === 'HEAD' ? '' : body };
}
