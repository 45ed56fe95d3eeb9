import { Exchange } from '../exchange.ts';
import type { FunctionOptions } from '../function-options.ts';
import { reportOf } from '../report-exchange.ts';
import type { HttpHook, HttpMiddleware } from './http-middleware.ts';

/** Begins an exchange with each request, and reports it with the response. */
export function requestLog({ clock, telemetry }: FunctionOptions): HttpMiddleware {
  const report: HttpHook = ({ event, context, response }) => {
    const { exchange } = context;
    const statusCode = response?.statusCode ?? 500;
    telemetry.report(reportOf(event, exchange, statusCode, clock()), context);
  };
  return {
    before: ({ context }) => {
      context.exchange = new Exchange(clock());
    },
    after: report,
    onError: report,
  };
}
