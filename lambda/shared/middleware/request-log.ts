import { requestDeadline } from '../../../contract/limits.ts';
import { routes } from '../../../contract/routes.ts';
import { describeError } from '../../../core/describe-error.ts';
import { type Deadline, startDeadline } from '../deadline.ts';
import type { Exchange } from '../exchange.ts';
import type { FunctionOptions } from '../function-options.ts';
import type { RequestReport } from '../request-report.ts';
import type { HttpHook, HttpMiddleware } from './http-middleware.ts';

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

function beginExchange(startedAt: number): Exchange {
  let deadline: Deadline | undefined;
  return {
    startedAt,
    // Documents come from memory and make no calls that a deadline would abort.
    get signal() {
      deadline ??= startDeadline(requestDeadline);
      return deadline.signal;
    },
    end: () => deadline?.end(),
    outcome: 'served',
    counts: new Set(),
    fields: {},
  };
}

/** Begins an exchange with each request, and reports it with the response. */
export function requestLog({ clock, telemetry }: FunctionOptions): HttpMiddleware {
  const report: HttpHook = ({ event, context, response }) => {
    const { exchange } = context;
    exchange.end();
    const statusCode = response?.statusCode ?? 500;
    const fields = {
      http_method: ifKnown(event.httpMethod, knownMethods),
      path: ifKnown(event.resource, knownPaths),
      source_ip: event.requestContext.identity.sourceIp,
      request_id: event.requestContext.requestId,
      ...exchange.fields,
      ...(statusCode >= 500 && describeError(exchange.error)),
    };
    const { outcome, clientId, counts, measures } = exchange;
    const latency = clock() - exchange.startedAt;
    telemetry.report(
      {
        level: levelOf(statusCode),
        outcome,
        statusCode,
        latency,
        clientId,
        counts,
        measures,
        fields,
      },
      context,
    );
  };
  return {
    before: ({ context }) => {
      context.exchange = beginExchange(clock());
    },
    after: report,
    onError: report,
  };
}
