import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { securityHeaders } from '../../contract/error-body.ts';

type Query = APIGatewayProxyEvent['multiValueQueryStringParameters'];

/** API Gateway decodes the query, so it is encoded again. */
function queryOf(parameters: Query): string {
  const pairs = Object.entries(parameters ?? {}).flatMap(([name, values]) =>
    (values ?? []).map((value) => [name, value] as [string, string]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

function headersOf({ multiValueHeaders }: APIGatewayProxyEvent): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(multiValueHeaders ?? {})) {
    for (const value of values ?? []) headers.append(name, value);
  }
  return headers;
}

function bodyOf({ httpMethod, body, isBase64Encoded }: APIGatewayProxyEvent): Buffer | null {
  if (httpMethod === 'GET' || httpMethod === 'HEAD' || body === null) return null;
  return Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
}

/**
 * The request of a REST API's proxy event (payload version 1.0). Its address has the portal's own
 * origin. What the client called the host is only in its header.
 *
 * @returns undefined if the Fetch standard has no such request: a method such as TRACE, or a header
 *   with other characters than bytes.
 */
export function toRequest(event: APIGatewayProxyEvent, origin: string): Request | undefined {
  const path = event.path.startsWith('/') ? event.path : `/${event.path}`;
  try {
    return new Request(origin + path + queryOf(event.multiValueQueryStringParameters), {
      method: event.httpMethod,
      headers: headersOf(event),
      body: bodyOf(event),
    });
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/**
 * The result of a proxy integration. Everything that the portal sends is text. Its host has only
 * https, which browsers are told.
 */
export async function toResult(response: Response): Promise<APIGatewayProxyResult> {
  const multiValueHeaders: Record<string, string[]> = {
    'strict-transport-security': [securityHeaders['Strict-Transport-Security']],
  };
  for (const [name, value] of response.headers) {
    if (name !== 'set-cookie') multiValueHeaders[name] = [value];
  }
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) multiValueHeaders['set-cookie'] = cookies;
  return { statusCode: response.status, multiValueHeaders, body: await response.text() };
}
