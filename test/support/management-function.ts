import { bindFunction, type Management } from '../../adapters/management.ts';
import {
  type AskFunction,
  FunctionClient,
  type FunctionOptions,
} from '../../adapters/management-function.ts';
import type { ManagementAlias } from '../../contract/management/roles.ts';
import type { ManagementContext } from '../../core/management/management-context.ts';
import { seconds } from '../../core/time.ts';
import {
  createManagementHandler,
  type ManagementHandler,
} from '../../lambda/management/function.ts';
import type { RunReport } from '../../lambda/shared/run-telemetry.ts';
import { authenticateOperator, proofOf } from './caller-proof.ts';

export const managementArn = 'arn:aws:lambda:us-west-2:000000000000:function:auth-management';

interface TestFunction {
  readonly handler: ManagementHandler;
  readonly reports: RunReport[];
  /** What was sent to the function and returned by it, as texts. */
  readonly traffic: string[];
  readonly ask: AskFunction;
  /** The management through one alias. */
  readonly through: (alias: ManagementAlias, options?: Partial<FunctionOptions>) => Management;
}

/** A JSON value as it arrives at the other side. */
function throughJson(value: unknown, traffic: string[] = []): unknown {
  const text = JSON.stringify(value);
  traffic.push(text);
  return JSON.parse(text);
}

/** The management function over a context, and clients of it that every signature is accepted of. */
export function createTestFunction(context: ManagementContext): TestFunction {
  const reports: RunReport[] = [];
  const traffic: string[] = [];
  const handler = createManagementHandler({
    createContext: () => context,
    authenticateCaller: authenticateOperator,
    clock: context.clock,
    telemetry: { report: (report) => reports.push(report) },
  });
  const ask: AskFunction = async (alias, request) => {
    const event = { request, caller_proof: proofOf(seconds(context.clock())) };
    const invocation = { invokedFunctionArn: `${managementArn}:${alias}` };
    return throughJson(await handler(throughJson(event, traffic), invocation), traffic);
  };
  return {
    handler,
    reports,
    traffic,
    ask,
    through: (alias, options = {}) =>
      bindFunction(new FunctionClient({ alias, wait: async () => undefined, ask, ...options })),
  };
}
