import { InputError, RefusedError, ServiceUnavailableError } from '../../core/errors.ts';
import type { CallerCredentials } from '../sts/caller-proof.ts';

/** The code of a function threw an error, did not start or ran out of time. */
export class FunctionFailedError extends ServiceUnavailableError {
  override readonly name = 'FunctionFailedError';

  constructor(message: string) {
    super('Lambda', message);
  }
}

/**
 * Invokes a function with a JSON event and waits for its answer.
 *
 * @throws {InputError} if the function does not accept the event.
 * @throws {RefusedError} if the function's rules do not allow the request.
 * @throws {FunctionFailedError} if the function fails.
 */
export type InvokeFunction = (functionName: string, event: object) => Promise<unknown>;

/** Invokes functions of one AWS region, with the credentials that also prove who calls. */
export interface LambdaCaller {
  readonly invoke: InvokeFunction;
  readonly credentials: CallerCredentials;
  readonly region: () => Promise<string>;
}

/** Errors of our functions that are valid results, by name. Any other error is a failure. */
const meanings: ReadonlyMap<unknown, typeof InputError | typeof RefusedError> = new Map<
  unknown,
  typeof InputError | typeof RefusedError
>([
  ['EventError', InputError],
  ['InputError', InputError],
  ['RefusedError', RefusedError],
  ['RetainedKeyError', RefusedError],
  ['PromotionRefusedError', RefusedError],
]);

function readError(payload: string): { readonly errorType?: unknown; readonly text: string } {
  try {
    const { errorType, errorMessage } = JSON.parse(payload) as Readonly<Record<string, unknown>>;
    return { errorType, text: typeof errorMessage === 'string' ? errorMessage : 'no message' };
  } catch {
    return { text: 'no message' };
  }
}

/** When a function throws, the response has the error's name and message. */
function toError(functionName: string, payload: string): Error {
  const { errorType, text } = readError(payload);
  const Meaning = meanings.get(errorType);
  return Meaning === undefined
    ? new FunctionFailedError(`${functionName} failed: ${text}`)
    : new Meaning(text);
}

/** The answer of a function, or the error that it threw. */
interface Invocation {
  readonly functionName: string;
  /** Whether the function threw. */
  readonly failed: boolean;
  /** JSON, empty without an answer. */
  readonly payload: string;
}

/** @throws {Error} as {@link InvokeFunction} if the function threw. */
export function readInvocation({ functionName, failed, payload }: Invocation): unknown {
  if (failed) throw toError(functionName, payload);
  return payload === '' ? undefined : (JSON.parse(payload) as unknown);
}
