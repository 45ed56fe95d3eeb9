import { createServer, type RequestListener } from 'node:http';
import { listenOnLoopback } from '../../emulator/loopback-server.ts';
import { answerParent } from '../../support/child-script.ts';

/** What the process has done so far. */
export interface Usage {
  /** CPU time in microseconds, without that of pricing signatures. */
  readonly cpuUs: number;
  /** Signatures that the process made itself. */
  readonly signatures: number;
  /** CPU time of one such signature now, in microseconds; 0 if there was none. */
  readonly signatureUs: number;
}

/** Where the keys and the client are: in this process, or behind KMS and DynamoDB. */
export type Place = 'memory' | 'aws';

/** Enough to make the price of a signature steady, in a quarter of a second. */
const pricedSignatures = 300;

let signatures = 0;
let pricingUs = 0;
let signAgain: (() => unknown) | undefined;

/** Makes a signature, of which {@link usage} says what it costs. */
export function countSignature<T>(sign: () => T): T {
  signatures += 1;
  signAgain = sign;
  return sign();
}

function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/**
 * The price is taken apart from the requests: asking for the CPU time around each signature costs
 * as much as the signature does.
 */
function priceSignature(): number {
  if (signAgain === undefined) return 0;
  const before = cpuTime();
  for (let count = 0; count < pricedSignatures; count += 1) signAgain();
  const spent = cpuTime() - before;
  pricingUs += spent;
  return spent / pricedSignatures;
}

function usage(): Usage {
  const cpuUs = cpuTime() - pricingUs;
  return { cpuUs, signatures, signatureUs: priceSignature() };
}

/** Serves on a free port, tells the parent its port, and its usage whenever it is asked. */
export async function serve(listener: RequestListener): Promise<void> {
  const server = createServer({ keepAliveTimeout: 0 }, listener);
  answerParent({ port: await listenOnLoopback(server) }, usage);
}
