import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { StubItem } from './dynamodb-stub.ts';

/** How often each operation was called, by its name in the AWS API. */
export type CallCounts = Readonly<Record<string, number>>;

/** Fixed times from a request's headers to its response, in milliseconds. */
export interface Delays {
  readonly kms: number;
  readonly dynamodb: number;
}

/** What the parent may change. The reply is the counts since the last command. */
export interface BackendCommand {
  readonly items?: readonly StubItem[];
  readonly delays?: Delays;
  /** Whether items that are put can be read again. */
  readonly keepsItems?: boolean;
  /** What is served at every other path of the issuer's host: the JWKS of identity providers. */
  readonly providerJwks?: object;
}

export interface BackendStarted {
  readonly kmsUrl: string;
  readonly dynamodbUrl: string;
  /** An issuer whose JWKS, at the usual path, holds the signing key. */
  readonly issuer: string;
  /** PEM of the certificate that all of them present. */
  readonly certificate: string;
  /** Public half of the only signing key, SPKI in base64. */
  readonly publicSpki: string;
}

/** KMS and DynamoDB over TLS on loopback, in a process of their own. */
export interface Backend extends BackendStarted {
  /** @returns what was called since the last command. */
  command(command: BackendCommand): Promise<CallCounts>;
  close(): Promise<void>;
}

async function send(child: ChildProcess, command: BackendCommand): Promise<CallCounts> {
  child.send(command);
  const [counts] = (await once(child, 'message')) as [CallCounts];
  return counts;
}

export async function startBackend(): Promise<Backend> {
  const child = fork(join(import.meta.dirname, 'backend-process.ts'), { execArgv: [] });
  const [started] = (await once(child, 'message')) as [BackendStarted];
  return {
    ...started,
    command: (command) => send(child, command),
    close: async () => {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}
