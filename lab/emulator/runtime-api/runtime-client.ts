import { Agent, type IncomingMessage, request } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** The Runtime API's version, with which each of its paths begins. */
const apiPath = '/2018-06-01/runtime';

/** A handler for the Lambda runtime: an async function of event and context. */
type LambdaHandler = (event: unknown, context: LambdaContext) => Promise<unknown>;

/** The part of Lambda's context object that Node functions read. */
interface LambdaContext {
  readonly awsRequestId: string;
  readonly callbackWaitsForEmptyEventLoop: boolean;
  readonly functionName: string;
  readonly functionVersion: string;
  readonly invokedFunctionArn: string;
  readonly logGroupName: string;
  readonly logStreamName: string;
  readonly memoryLimitInMB: string;
  getRemainingTimeInMillis(): number;
}

/**
 * Runs one invocation; a benchmark puts its measurements around it.
 *
 * @returns the payload, and headers that are added to the Runtime API's response request.
 */
export type Instrument = (
  run: () => Promise<unknown>,
) => Promise<{ payload: unknown; headers: Headers }>;

type Headers = Readonly<Record<string, string>>;

interface RuntimeResponse {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const plain: Instrument = async (run) => ({ payload: await run(), headers: {} });

/** Calls the Runtime API over one persistent connection, as the managed runtimes do. */
function createRuntimeRequest(host: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const [hostname, port] = host.split(':');
  return (
    method: 'GET' | 'POST',
    path: string,
    body = '',
    headers: Headers = {},
  ): Promise<RuntimeResponse> =>
    new Promise((resolve, reject) => {
      const call = request(
        { agent, hostname, port, method, path: apiPath + path, headers },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            resolve({ headers: response.headers, body: Buffer.concat(chunks).toString() });
          });
        },
      );
      call.on('error', reject);
      call.end(body);
    });
}

type RuntimeRequest = ReturnType<typeof createRuntimeRequest>;

/** Loads `<module>.<export>` of `_HANDLER` from the task root. */
function loadHandler(taskRoot: string, handler: string): LambdaHandler {
  const dot = handler.lastIndexOf('.');
  const file = join(taskRoot, handler.slice(0, dot));
  const exported = createRequire(`${taskRoot}/`)(file) as Record<string, unknown>;
  const found = exported[handler.slice(dot + 1)];
  if (typeof found !== 'function') throw new TypeError(`${handler} in ${taskRoot} is no function`);
  return found as LambdaHandler;
}

function readHeader(headers: IncomingMessage['headers'], name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

function createContext(headers: IncomingMessage['headers']): LambdaContext {
  const deadline = Number(readHeader(headers, 'lambda-runtime-deadline-ms'));
  const { env } = process;
  return {
    awsRequestId: readHeader(headers, 'lambda-runtime-aws-request-id'),
    callbackWaitsForEmptyEventLoop: true,
    functionName: env['AWS_LAMBDA_FUNCTION_NAME'] ?? '',
    functionVersion: env['AWS_LAMBDA_FUNCTION_VERSION'] ?? '',
    invokedFunctionArn: readHeader(headers, 'lambda-runtime-invoked-function-arn'),
    logGroupName: env['AWS_LAMBDA_LOG_GROUP_NAME'] ?? '',
    logStreamName: env['AWS_LAMBDA_LOG_STREAM_NAME'] ?? '',
    memoryLimitInMB: env['AWS_LAMBDA_FUNCTION_MEMORY_SIZE'] ?? '',
    getRemainingTimeInMillis: () => deadline - Date.now(),
  };
}

function describeError(error: unknown): string {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  return JSON.stringify({
    errorType: name,
    errorMessage: message,
    stackTrace: stack?.split('\n').slice(1) ?? [],
  });
}

async function runInvocation(
  call: RuntimeRequest,
  handler: LambdaHandler,
  instrument: Instrument,
): Promise<void> {
  const next = await call('GET', '/invocation/next');
  const context = createContext(next.headers);
  const path = `/invocation/${context.awsRequestId}`;
  process.env['_X_AMZN_TRACE_ID'] = readHeader(next.headers, 'lambda-runtime-trace-id');
  try {
    const event: unknown = JSON.parse(next.body);
    const { payload, headers } = await instrument(() => handler(event, context));
    await call('POST', `${path}/response`, JSON.stringify(payload ?? null), headers);
  } catch (error) {
    await call('POST', `${path}/error`, describeError(error), {
      'Lambda-Runtime-Function-Error-Type': 'Unhandled',
    });
  }
}

/**
 * The Lambda runtime's loop, reduced to what a Node function can see: loads the handler named by
 * the environment, then takes one invocation after the other from the Runtime API. It never
 * returns, but ends the process if the function cannot be loaded.
 */
export async function runRuntime(instrument: Instrument = plain): Promise<never> {
  const { env } = process;
  const call = createRuntimeRequest(env['AWS_LAMBDA_RUNTIME_API'] ?? '');
  let handler: LambdaHandler;
  try {
    handler = loadHandler(env['LAMBDA_TASK_ROOT'] ?? '', env['_HANDLER'] ?? '');
  } catch (error) {
    await call('POST', '/init/error', describeError(error));
    process.exit(1);
  }
  for (;;) await runInvocation(call, handler, instrument);
}
