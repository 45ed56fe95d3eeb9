import type { APIGatewayProxyEvent, Context } from 'aws-lambda';

export interface ProxyRequest {
  readonly method?: string;
  readonly path: string;
  /** A list of values if a header stands several times. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly query?: string;
  readonly body?: string | Uint8Array;
  readonly sourceIp?: string;
  /** Milliseconds since the epoch; now if left out. */
  readonly receivedAt?: number;
}

/** Maps that a client fills have no prototype, as JSON from the gateway has none to inherit from. */
function multiValue(pairs: Iterable<readonly [string, string]>): Record<string, string[]> {
  const values = Object.create(null) as Record<string, string[]>;
  for (const [name, value] of pairs) (values[name] ??= []).push(value);
  return values;
}

/** The event that a REST API makes of a request; bytes go as base64. */
export function proxyEvent(request: ProxyRequest): APIGatewayProxyEvent {
  const { method = 'GET', path, headers = {}, query = '', body } = request;
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map((one) => [name, one] as const),
  );
  const parameters = multiValue(new URLSearchParams(query));
  const isBase64Encoded = body instanceof Uint8Array;
  return {
    resource: path,
    path,
    httpMethod: method,
    headers: Object.fromEntries(pairs),
    multiValueHeaders: multiValue(pairs),
    queryStringParameters: null,
    multiValueQueryStringParameters: Object.keys(parameters).length === 0 ? null : parameters,
    pathParameters: null,
    stageVariables: null,
    requestContext: {
      requestId: 'request-1',
      requestTimeEpoch: request.receivedAt ?? Date.now(),
      identity: { sourceIp: request.sourceIp ?? '192.0.2.1' },
    } as APIGatewayProxyEvent['requestContext'],
    body: isBase64Encoded ? Buffer.from(body).toString('base64') : (body ?? null),
    isBase64Encoded,
  };
}

export function lambdaContext(): Context {
  return {
    awsRequestId: 'invocation-1',
    functionName: 'function',
    functionVersion: '7',
  } as Context;
}
