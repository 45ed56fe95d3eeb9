import { userInfo } from 'node:os';
import { createCallerIdentity } from '../adapters/sts/caller-identity.ts';
import type { Deployment } from './deployment.ts';

/** Who the audit names for changes of this process. */
export function getCaller({ aws, isLoopback }: Deployment): Promise<string> {
  // On AWS, AWS identifies the caller. On this machine there is only the login name.
  return isLoopback ? Promise.resolve(`local:${userInfo().username}`) : createCallerIdentity(aws)();
}
