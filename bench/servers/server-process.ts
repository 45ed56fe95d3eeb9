import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** CPU time so far, in microseconds. */
export interface Usage {
  readonly cpuUs: number;
  /** What of it went into signatures of this process itself. */
  readonly signatureUs: number;
}

/** Where the keys and the client are: in this process, or behind KMS and DynamoDB. */
export type Place = 'memory' | 'aws';

let signatureUs = 0;

/** Runs a signature and keeps its CPU time apart. */
export function timeSignature<T>(sign: () => T): T {
  const before = process.threadCpuUsage();
  const result = sign();
  const { user, system } = process.threadCpuUsage(before);
  signatureUs += user + system;
  return result;
}

function usage(): Usage {
  const { user, system } = process.cpuUsage();
  return { cpuUs: user + system, signatureUs };
}

/** Serves on a free port, tells the parent where, and its usage whenever it is asked. */
export async function serve(listener: RequestListener): Promise<void> {
  const server = createServer(listener);
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.on('message', () => process.send?.(usage()));
  process.on('disconnect', () => process.exit());
  process.send?.({ port: (server.address() as AddressInfo).port });
}
