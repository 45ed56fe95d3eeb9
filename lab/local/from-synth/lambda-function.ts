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
export class LambdaFunction {
  readonly #function: SynthesisedFunction;
  readonly #surroundings: ProcessSurroundings;
  #process: Promise<FunctionProcess> | undefined;

  constructor(fn: SynthesisedFunction, surroundings: ProcessSurroundings) {
    this.#function = fn;
    this.#surroundings = surroundings;
  }

  /** @throws {Error} with the name and message of the function's error. */
  async invoke(event: unknown, functionArn?: string): Promise<unknown> {
    const running = await this.#ensureProcess();
    this.#surroundings.onInvocation(this.#function.name);
    try {
      return (await running.invoke(event, functionArn)).payload;
    } catch (error) {
      throw readFunctionError(error);
    }
  }

  async close(): Promise<void> {
    await (await this.#process)?.close();
  }

  async #ensureProcess(): Promise<FunctionProcess> {
    this.#process ??= this.#start();
    const running = await this.#process;
    if (running.isRunning()) return running;
    await running.close();
    this.#process = this.#start();
    return this.#process;
  }

  #start(): Promise<FunctionProcess> {
    const { name, directory, handler, memoryMb, timeoutMs } = this.#function;
    const { awsRegion, variables, onLine } = this.#surroundings;
    return startFunctionProcess({
      name,
      taskRoot: directory,
      handler,
      memoryMb,
      timeoutMs,
      awsRegion,
      environment: { ...variables, ...this.#function.variables },
      onOutput: eachLine((line) => onLine(name, line)),
      onErrorOutput: eachLine((line) => onLine(name, line)),
    });
  }
}
