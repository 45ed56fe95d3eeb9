import { maxScopeLength } from './limits.ts';

/** One permission of a platform API. Its scope is `service:permission`, e.g. `messaging:view`. */
export interface ScopeDefinition {
  readonly service: string;
  readonly permission: string;
  readonly description: string;
}

/** Both halves of a scope: a subset of the RFC 6749 §3.3 grammar that survives shells and URLs. */
export const scopePartPattern = /^[a-z][a-z0-9_.-]{0,31}$/;

export function scopeName(definition: Pick<ScopeDefinition, 'service' | 'permission'>): string {
  return `${definition.service}:${definition.permission}`;
}

/** RFC 6749 §3.3: `scope-token = 1*( %x21 / %x23-5B / %x5D-7E )`. */
const scopeTokenPattern = /^[\x21\x23-\x5B\x5D-\x7E]+$/;

export function isScopeToken(value: string): boolean {
  return value.length <= maxScopeLength && scopeTokenPattern.test(value);
}
