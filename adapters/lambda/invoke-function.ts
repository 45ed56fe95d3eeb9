import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { UnavailableError } from '../../core/errors.ts';
import type { PortOptions } from '../../core/port.ts';
import { callAws } from '../aws-errors.ts';

/**
 * Invokes a function with a JSON event and waits for its answer.
 *
 * @throws {UnavailableError} where the function, or Lambda, does not answer.
 */
export type InvokeFunction = (
  functionName: string,
  event: object,
  options?: PortOptions,
) => Promise<unknown>;

/** A function that throws answers with its error's message, which our functions keep harmless. */
function describeFunctionError(payload: string): string {
  try {
    const { errorMessage } = JSON.parse(payload) as { readonly errorMessage?: unknown };
    return typeof errorMessage === 'string' ? errorMessage : 'it failed';
  } catch {
    return 'it failed';
  }
}

export function createInvokeFunction(lambda: LambdaClient): InvokeFunction {
  return async (functionName, event, options = {}) => {
    const command = new InvokeCommand({
      FunctionName: functionName,
      Payload: Buffer.from(JSON.stringify(event)),
    });
    const output = await callAws(`invoke ${functionName}`, () =>
      lambda.send(command, { abortSignal: options.signal }),
    );
    const payload = Buffer.from(output.Payload ?? []).toString();
    if (output.FunctionError !== undefined) {
      throw new UnavailableError(`${functionName}: ${describeFunctionError(payload)}`);
    }
    return payload === '' ? undefined : (JSON.parse(payload) as unknown);
  };
}
