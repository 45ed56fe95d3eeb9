import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import {
  FunctionError,
  type Invocation,
  type RuntimeApi,
  startRuntimeApi,
} from './runtime-api-server.ts';

interface FunctionProcessOptions {
  readonly name: string;
  /** Folder of the bundle, as Lambda would unpack it. */
  readonly taskRoot: string;
  /** `<module>.<export>`. */
  readonly handler?: string;
  /** The function's own variables. The environment of this process is not passed on. */
  readonly environment: Readonly<Record<string, string>>;
  readonly awsRegion: string;
  readonly memoryMb?: number;
  readonly timeoutMs?: number;
  /** Script that runs the loop. The default is the plain one. */
  readonly runtime?: string;
  /** A command that starts Node, e.g. `taskset -c 0`. */
  readonly launcher?: readonly string[];
  /** Receives what the function writes to standard output, its log. */
  readonly onOutput?: (text: string) => void;
  /** Receives standard error, which is also a log. The default is that of this process. */
  readonly onErrorOutput?: (text: string) => void;
}

/** A function in a separate process, invoked through the Lambda Runtime API. */
export interface FunctionProcess {
  isRunning(): boolean;
  /** @param functionArn that the invocation names. The default has no version or alias. */
  invoke(event: unknown, functionArn?: string): Promise<Invocation>;
  close(): Promise<void>;
}

/** Lambda's default timeout for HTTP functions of ours is decided in the stack; this is for runs. */
const defaultTimeoutMs = 10_000;
const defaultMemoryMb = 512;

/** Variables that Lambda sets for every Node function. */
function lambdaEnvironment(
  options: FunctionProcessOptions,
  address: string,
): Readonly<Record<string, string>> {
  return {
    PATH: process.env['PATH'] ?? '',
    TZ: ':UTC',
    LANG: 'en_US.UTF-8',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_FUNCTION_NAME: options.name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(options.memoryMb ?? defaultMemoryMb),
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${options.name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    AWS_LAMBDA_RUNTIME_API: address,
    AWS_REGION: options.awsRegion,
    AWS_DEFAULT_REGION: options.awsRegion,
    LAMBDA_TASK_ROOT: options.taskRoot,
    _HANDLER: options.handler ?? 'index.handler',
  };
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

async function stop(child: ChildProcess, api: RuntimeApi): Promise<void> {
  if (isRunning(child)) {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
  await api.close();
}

/** Starts a bundle as Lambda would. A failed INIT is reported at the first `invoke`. */
export async function startFunctionProcess(
  options: FunctionProcessOptions,
): Promise<FunctionProcess> {
  const api = await startRuntimeApi({
    functionArn: `arn:aws:lambda:${options.awsRegion}:000000000000:function:${options.name}`,
    timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
  });
  const runtime = options.runtime ?? join(import.meta.dirname, 'main.ts');
  const node = [process.execPath, runtime];
  const [command = process.execPath, ...args] = [...(options.launcher ?? []), ...node];
  const child = spawn(command, args, {
    env: { ...lambdaEnvironment(options, api.address), ...options.environment },
    stdio: ['ignore', 'pipe', options.onErrorOutput === undefined ? 'inherit' : 'pipe'],
  });
  child.stdout?.setEncoding('utf8').on('data', (text: string) => options.onOutput?.(text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => options.onErrorOutput?.(text));
  child.on('exit', (code, signal) => {
    api.fail(new FunctionError(`the process of ${options.name} ended: ${signal ?? code}`));
  });
  return {
    isRunning: () => isRunning(child),
    invoke: (event, functionArn) => api.invoke(event, functionArn),
    close: () => stop(child, api),
  };
}
