import {
  type FunctionProcess,
  startFunctionProcess,
} from '../../emulator/runtime-api/function-process.ts';
import { FunctionError } from '../../emulator/runtime-api/runtime-api-server.ts';
import type { SynthesisedFunction } from './stack-contents.ts';

/** Settings of a process in addition to the function's own variables. */
interface ProcessSurroundings {
  readonly awsRegion: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Receives each invocation. */
  readonly onInvocation: (functionName: string) => void;
  /** Receives each line that a function writes. */
  readonly onLine: (functionName: string, line: string) => void;
}

/** The function's own error as Lambda reports it, with name and message. */
function readFunctionError(error: unknown): unknown {
  if (!(error instanceof FunctionError)) return error;
  let told: { errorType?: unknown; errorMessage?: unknown };
  try {
    told = JSON.parse(error.message) as typeof told;
  } catch {
    return error;
  }
  const readable = new Error(String(told.errorMessage), { cause: error });
  readable.name = String(told.errorType);
  return readable;
}

/** Splits the output of a process into lines. */
function eachLine(onLine: (line: string) => void): (text: string) => void {
  let begun = '';
  return (text) => {
    const lines = (begun + text).split('\n');
    begun = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  };
}

/**
 * A function as Lambda runs it: in a process that starts with the first event, handles one event at
 * a time, and is replaced when it ends.
 */
export function createLambdaFunction(
  { name, directory: taskRoot, variables: own, ...settings }: SynthesisedFunction,
  { awsRegion, variables, onInvocation, onLine }: ProcessSurroundings,
) {
  let current: Promise<FunctionProcess> | undefined;
  const start = () =>
    startFunctionProcess({
      ...settings,
      name,
      taskRoot,
      awsRegion,
      environment: { ...variables, ...own },
      onOutput: eachLine((line) => onLine(name, line)),
      onErrorOutput: eachLine((line) => onLine(name, line)),
    });
  const ensureProcess = async (): Promise<FunctionProcess> => {
    current ??= start();
    const running = await current;
    if (running.isRunning()) return running;
    await running.close();
    current = start();
    return current;
  };
  return {
    /** @throws {Error} with the name and message of the function's error. */
    invoke: async (event: unknown, functionArn?: string): Promise<unknown> => {
      const running = await ensureProcess();
      onInvocation(name);
      try {
        return (await running.invoke(event, functionArn)).payload;
      } catch (error) {
        throw readFunctionError(error);
      }
    },
    close: async () => (await current)?.close(),
  };
}
