import { isJsonObject, type JsonObject } from '../../contract/json-object.ts';
import { ownValue } from '../../contract/own-value.ts';

/** A claim that a token of the client must have, with one of some values. */
export interface ClaimCondition {
  /**
   * The name of the claim. If it begins with a slash, it is a JSON Pointer (RFC 6901) to a member
   * within a claim: `/kubernetes.io/namespace`.
   */
  readonly claim: string;
  /** Compared whole and with case. A number or boolean of the token is compared as its JSON text. */
  readonly values: readonly string[];
}

function pathOf(claim: string): readonly string[] {
  if (!claim.startsWith('/')) return [claim];
  const parts = claim.slice(1).split('/');
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value of a claim, or of a member within one; undefined if it is not there. */
export function readClaim(claims: JsonObject, claim: string): unknown {
  return pathOf(claim).reduce<unknown>(
    (value, name) => (isJsonObject(value) ? ownValue(value, name) : undefined),
    claims,
  );
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const isWhole = typeof value === 'number' && Number.isSafeInteger(value);
  return typeof value === 'boolean' || isWhole ? String(value) : undefined;
}

/** The first condition that a token does not meet; undefined if it meets all of them. */
export function findUnmetCondition(
  claims: JsonObject,
  conditions: readonly ClaimCondition[],
): ClaimCondition | undefined {
  return conditions.find(({ claim, values }) => {
    const text = textOf(readClaim(claims, claim));
    return text === undefined || !values.includes(text);
  });
}

/**
 * Conditions as a person writes them: `NAME=VALUE` each. Values of one name are alternatives.
 *
 * @returns undefined if a text has no name or no value.
 */
export function groupClaims(texts: readonly string[]): readonly ClaimCondition[] | undefined {
  const values = new Map<string, string[]>();
  for (const text of texts) {
    const end = text.indexOf('=');
    if (end < 1 || end === text.length - 1) return undefined;
    const claim = text.slice(0, end);
    values.set(claim, [...(values.get(claim) ?? []), text.slice(end + 1)]);
  }
  return [...values].map(([claim, all]) => ({ claim, values: all }));
}
