import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { GatewayCall, GatewayRequest } from './gateway-route.ts';
import { reachesFunction } from './headers.ts';
import { buildRequestContext } from './request-context.ts';

type MultiValue = Record<string, string[]>;

/** Maps with names from a client have no prototype, so `__proto__` is an ordinary name. */
function emptyMap<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>;
}

function collect(pairs: Iterable<readonly [string, string]>): MultiValue {
  const values = emptyMap<string[]>();
  for (const [name, value] of pairs) (values[name] ??= []).push(value);
  return values;
}

/** The last of several values, as the single-value maps of the event have it. */
function lastValues(values: MultiValue): Record<string, string> {
  const last = emptyMap<string>();
  for (const [name, all] of Object.entries(values)) last[name] = all.at(-1) ?? '';
  return last;
}

function orNull<T extends object>(values: T): T | null {
  return Object.keys(values).length === 0 ? null : values;
}

function pairHeaders(rawHeaders: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    pairs.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '']);
  }
  return pairs;
}

/** The headers that API Gateway adds. A client's own list of addresses comes before its own. */
function addForwarded(headers: MultiValue, request: GatewayRequest, sourceIp: string): void {
  const names = Object.keys(headers).filter((name) => name.toLowerCase() === 'x-forwarded-for');
  const claimed = names.flatMap((name) => headers[name] ?? []);
  for (const name of names) delete headers[name];
  headers['X-Forwarded-For'] = [[...claimed, sourceIp].join(', ')];
  headers['X-Forwarded-Port'] = [String(request.port)];
  headers['X-Forwarded-Proto'] = [request.scheme];
}

function findHeader(headers: MultiValue, name: string): string | undefined {
  const found = Object.keys(headers).find((candidate) => candidate.toLowerCase() === name);
  return found === undefined ? undefined : headers[found]?.at(-1);
}

function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const start = target.indexOf('?');
  return start < 0
    ? { path: target, query: '' }
    : { path: target.slice(0, start), query: target.slice(start + 1) };
}

/** The path of a request target, character by character as it came. */
export function pathOf(target: string): string {
  return splitTarget(target).path;
}

/** The event that a REST API gives to the function of a proxy integration (payload version 1.0). */
export function buildProxyEvent(request: GatewayRequest, call: GatewayCall): APIGatewayProxyEvent {
  const { path, query } = splitTarget(request.target);
  const came = pairHeaders(request.rawHeaders);
  const headers = collect(came.filter(([name, value]) => reachesFunction(name, value)));
  const host = findHeader(headers, 'host') ?? 'localhost';
  const userAgent = findHeader(headers, 'user-agent') ?? null;
  const requestContext = buildRequestContext(request, call, { path, host, userAgent });
  addForwarded(headers, request, requestContext.identity.sourceIp);
  const parameters = collect(new URLSearchParams(query));
  return {
    resource: call.route.path,
    path,
    httpMethod: request.method,
    headers: lastValues(headers),
    multiValueHeaders: headers,
    queryStringParameters: orNull(lastValues(parameters)),
    multiValueQueryStringParameters: orNull(parameters),
    pathParameters: null,
    stageVariables: null,
    requestContext,
    // The API has no binary media types.
    body: request.body.length === 0 ? null : request.body.toString(),
    isBase64Encoded: false,
  };
}
