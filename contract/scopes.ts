import { maxScopeBytes } from './bounds.ts';

/** One permission of a platform API. Its scope is `service:permission`, e.g. `messaging:view`. */
export interface ScopeDefinition {
  readonly service: string;
  readonly permission: string;
  readonly description: string;
  /** What requests, tokens and APIs call it instead, such as its name at another provider. */
  readonly value?: string | undefined;
}

/** Both halves of a scope: a subset of the RFC 6749 §3.3 grammar that survives shells and URLs. */
export const scopePartPattern = /^[a-z][a-z0-9_.-]{0,31}$/;

export function scopeName({
  service,
  permission,
  value = `${service}:${permission}`,
}: Omit<ScopeDefinition, 'description'>): string {
  return value;
}

/** RFC 6749 §3.3: `scope-token = 1*( %x21 / %x23-5B / %x5D-7E )`. */
const scopeTokenPattern = /^[\x21\x23-\x5B\x5D-\x7E]+$/;

export function isScopeToken(value: string): boolean {
  return value.length <= maxScopeBytes && scopeTokenPattern.test(value);
}
