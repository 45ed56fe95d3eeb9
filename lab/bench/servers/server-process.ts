import { createServer, type RequestListener } from 'node:http';
import { listenOnLoopback } from '../../emulator/loopback-server.ts';
import { answerParent } from '../../support/child-script.ts';

function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Serves on a free port, tells the parent its port, and its CPU time whenever it is asked. */
export async function serve(listener: RequestListener): Promise<void> {
  const server = createServer({ keepAliveTimeout: 0 }, listener);
  answerParent({ port: await listenOnLoopback(server) }, cpuTime);
}
