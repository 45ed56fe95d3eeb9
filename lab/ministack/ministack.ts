import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { OutputProcess } from '../support/output-process.ts';
import { answers, waitUntil } from '../support/wait-until.ts';

/** Names the resource whose next creation or change fails. */
export function failureFile(work: string): string {
  return join(work, 'fail-resource');
}

/** While it exists, new indexes of existing tables are not filled. */
export function indexHoldFile(work: string): string {
  return join(work, 'hold-indexes');
}

interface MiniStack {
  /** Access key ids of the requests that it has received. */
  listCallers(): readonly string[];
  stop(): Promise<unknown>;
}

/** Seconds, as MiniStack's own command sets it. */
const keepAlive = 75;

interface MiniStackOptions {
  /** `bin` of the Python environment that has it. */
  readonly bin: string;
  /** For its files and the home of its processes. */
  readonly work: string;
  /** Its `node_modules` have the Node.js that Lambda's functions have. */
  readonly root: string;
  readonly port: number;
  /** The port at which functions look for it. */
  readonly functionsPort: number;
  /** Added to the environment of every function. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Starts MiniStack on loopback. Its functions are processes of this project's Node.js. */
export async function startMiniStack(options: MiniStackOptions): Promise<MiniStack> {
  const { bin, work, root, port, functionsPort, variables } = options;
  const accessLog = join(work, 'access.log');
  const server = ['--bind', `127.0.0.1:${port}`, '--keep-alive', String(keepAlive)];
  const logging = ['--access-logfile', accessLog, '--access-logformat', '%({authorization}i)s'];
  const running = new OutputProcess(
    [join(bin, 'python'), '-m', 'hypercorn', 'strict_ministack:app', ...server, ...logging],
    {
      cwd: work,
      detached: true,
      env: {
        PATH: [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter),
        HOME: work,
        TMPDIR: work,
        STATE_DIR: join(work, 'state'),
        // Of strict_ministack.py.
        PYTHONPATH: import.meta.dirname,
        FAIL_RESOURCE: failureFile(work),
        HOLD_INDEXES: indexHoldFile(work),
        GATEWAY_PORT: String(functionsPort),
        // By default it follows the memory of this machine. The deployment check reads it, for three
        // regions in one account, which have 1,000 each on AWS.
        LAMBDA_ACCOUNT_CONCURRENCY: '3000',
        IOT_MTLS_ENABLED: '0',
        SFTP_ENABLED: '0',
        ...variables,
      },
    },
  );
  // Its functions are processes of their own, in its group.
  const stop = () => running.interrupt('SIGKILL');
  try {
    const url = `http://127.0.0.1:${port}/_ministack/health`;
    await waitUntil(`MiniStack answers at ${url}`, () => answers(url), {
      child: running.child,
      interval: 200,
    });
  } catch (error) {
    await stop();
    throw error;
  }
  const listCallers = () =>
    [...readFileSync(accessLog, 'utf8').matchAll(/Credential=([^/]+)/g)].map(([, id = '']) => id);
  return { listCallers, stop };
}
