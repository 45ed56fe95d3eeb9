import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { afterAll, beforeAll } from 'vitest';
import type { LocalRun } from '../../../../lab/local/start-local.ts';
import {
  type ForwardAuthProcess,
  startForwardAuthProcess,
} from '../../../../lab/support/forward-auth-process.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Headers as they are sent, names and values in turn, so that one can be there twice. */
export type RawHeaders = readonly string[];

/** Sends a request as it is written: no client changes its path or joins its headers. */
export function send(
  address: string,
  path: string,
  headers: RawHeaders = [],
  method = 'GET',
): Promise<Answer> {
  const target = address.startsWith('unix:')
    ? { socketPath: address.slice('unix:'.length) }
    : { host: new URL(address).hostname, port: new URL(address).port };
  // A connection of its own: one that is kept may be closed at the moment in which it is used again.
  const agent = new Agent({ keepAlive: true });
  const options = { ...target, path, method, headers: ['Host', 'check', ...headers], agent };
  return new Promise((resolve, reject) => {
    const outgoing = request(options, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () => {
        agent.destroy();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
      });
    });
    outgoing.on('error', reject).end();
  });
}

export function bearer(credential: string): RawHeaders {
  return ['Authorization', `Bearer ${credential}`];
}

/** What the command needs to know of a local run. */
export function optionsFor(service: LocalRun): readonly string[] {
  return ['--issuer', service.issuer, '--audience', service.environment['AUDIENCE'] ?? ''];
}

/** Runs the command next to the service of the file's tests. */
export function useForwardAuth(
  service: () => LocalRun,
  args: readonly string[],
  environment: () => Readonly<Record<string, string>> = () => ({}),
): () => ForwardAuthProcess {
  let running: ForwardAuthProcess | undefined;
  beforeAll(async () => {
    running = await startForwardAuthProcess({
      args: [...optionsFor(service()), ...args],
      environment: { ...service().environment, ...environment() },
    });
  });
  afterAll(() => running?.stop());
  return () => {
    if (running === undefined) throw new Error('forward-auth has not started');
    return running;
  };
}
