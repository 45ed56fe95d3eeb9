import { join } from 'node:path';
import { startChildScript } from '../../support/child-script.ts';
import type { StubItem } from './dynamodb-stub.ts';

/** How often each operation was called, by its name in the AWS API; `fetch` is a provider's JWKS. */
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
}

export interface BackendStarted {
  readonly pid: number;
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

export async function startBackend(): Promise<Backend> {
  const path = join(import.meta.dirname, 'backend-process.ts');
  const script = await startChildScript<BackendStarted, BackendCommand, CallCounts>(path);
  return { ...script.started, command: script.ask, close: script.close };
}
