import type { APIGatewayProxyEvent } from 'aws-lambda';
import { routes } from '../../contract/routes.ts';
import { describeError } from '../../core/describe-error.ts';
import type { Exchange } from './exchange.ts';
import type { RequestReport } from './request-report.ts';

/** A client can send any method and path. The log has only these. */
const knownMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
]);

const knownPaths: ReadonlySet<string> = new Set(routes.map(({ path }) => path));

function ifKnown(value: string, known: ReadonlySet<string>): string {
  return known.has(value) ? value : 'other';
}

function levelOf(statusCode: number): RequestReport['level'] {
  if (statusCode === 429 || statusCode === 503) return 'warn';
  return statusCode < 500 ? 'info' : 'error';
}

/** The report of a request that was answered at `endedAt`, in milliseconds since the epoch. */
export function reportOf(
  event: APIGatewayProxyEvent,
  exchange: Exchange,
  statusCode: number,
  endedAt: number,
): RequestReport {
  const { outcome, clientId, counts, measures } = exchange;
  return {
    level: levelOf(statusCode),
    outcome,
    statusCode,
    latency: endedAt - exchange.startedAt,
    clientId,
    counts,
    measures,
    fields: {
      http_method: ifKnown(event.httpMethod, knownMethods),
      path: ifKnown(event.resource, knownPaths),
      source_ip: event.requestContext.identity.sourceIp,
      request_id: event.requestContext.requestId,
      ...exchange.fields,
      ...(statusCode >= 500 && describeError(exchange.error)),
    },
  };
}
