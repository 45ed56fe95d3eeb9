import { setTimeout as wait } from 'node:timers/promises';
import type { Environment } from './aws-json/endpoint.ts';
import { bindFunction, type Management } from './bind-management.ts';
import { createAskManagement } from './lambda/ask-management.ts';
import { createFunctionCaller } from './lambda/invoke-from-function.ts';
import { FunctionClient, type FunctionOptions } from './management-function.ts';

interface PortalManagementOptions
  extends Pick<FunctionOptions, 'onMalformedRecord' | 'onAuditGap'> {
  /** ARN of the management function, without an alias. */
  readonly functionArn: string;
  /** The process's variables, by AWS's own names. */
  readonly environment: Environment;
}

/** Milliseconds for an operation. API Gateway waits 29 s for the page. */
const operationTimeout = 20_000;

/**
 * The management of a deployed portal: through the alias that may name persons, and in no other
 * way. Each request names the person, so `forCaller` must have been called.
 */
export function createPortalManagement(options: PortalManagementOptions): Management {
  const { functionArn, environment } = options;
  return bindFunction(
    new FunctionClient({
      ...options,
      ask: createAskManagement({
        functionArn,
        caller: createFunctionCaller(environment, operationTimeout),
        environment,
      }),
      alias: 'portal',
      wait: async (milliseconds) => wait(milliseconds),
    }),
  );
}
