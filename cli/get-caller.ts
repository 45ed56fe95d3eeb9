import { userInfo } from 'node:os';
import type { Deployment } from './deployment.ts';

/** Finds who the audit names for changes of this process. */
export function createGetCaller({ aws, isLoopback }: Deployment): () => Promise<string> {
  // On AWS, AWS identifies the caller. On this machine there is only the login name.
  if (isLoopback) return async () => `local:${userInfo().username}`;
  let identity: Promise<() => Promise<string>> | undefined;
  return async () => {
    // The SDK's client of STS is loaded only for changes.
    identity ??= import('../adapters/sts/caller-identity.ts').then(({ createCallerIdentity }) =>
      createCallerIdentity(aws),
    );
    return (await identity)();
  };
}
