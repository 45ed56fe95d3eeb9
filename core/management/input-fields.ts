import { assertionAudiencesOf } from '../../contract/addresses.ts';
import { type PlainClientField, plainClientFields } from '../../contract/management/inputs.ts';
import type { ManagementConfig } from '../../contract/management/management-config.ts';
import * as rule from '../../contract/management/rules.ts';
import { scopeName } from '../../contract/scopes.ts';
import type { ClaimCondition } from '../client/claim-condition.ts';
import type { Client, ClientProvider } from '../client/client.ts';
import { findPatternProblem, hasWildcard } from '../client/provider-client-id.ts';
import { RefusedError } from '../errors.ts';
import type { IdentityProvider } from '../identity-provider/identity-provider.ts';
import { readField, refuseInput, refuseWrong } from './read-input.ts';

/** Rules of fields that depend on what is stored. All others are in `contract/management`. */

/** What a client has as it was given. */
export type PlainFields = { readonly [Name in PlainClientField]: Client[Name] };

/** The scopes of a client: in the order of the catalogue, each once. */
export function scopesInOrder(
  config: Pick<ManagementConfig, 'scopes'>,
  scopes: readonly string[],
): readonly string[] {
  return config.scopes.map(scopeName).filter((name) => scopes.includes(name));
}

/** The same, of a client that changes. @throws {InputError} if there are none or too many. */
export function checkScopes(
  config: Pick<ManagementConfig, 'scopes'>,
  scopes: readonly string[],
): readonly string[] {
  const ordered = scopesInOrder(config, scopes);
  refuseWrong('scopes', rule.findWrongScopes(ordered));
  return ordered;
}

/**
 * Forms send an unchanged name again, and one that is stored may be older than the rule.
 *
 * @throws {InputError} for another name that is not allowed.
 */
export function checkName(stored: { readonly name?: string | undefined }, name?: string): void {
  if (name !== undefined && name !== stored.name) readField('name', rule.newName, name);
}

/**
 * What a client has as it was given. Without a value, or of null: the deployment's default, or nothing.
 *
 * @param before of a change, which keeps what it leaves out.
 */
export function plainFields(
  { tokenLifetime }: ManagementConfig,
  fields: Readonly<Record<string, unknown>>,
  before: Readonly<Record<string, unknown>> = {},
): PlainFields {
  const defaults: Readonly<Record<string, unknown>> = { tokenLifetime: tokenLifetime.default };
  const entries = plainClientFields.map((name) => {
    const { [name]: value = before[name] } = fields;
    return [name, value ?? defaults[name]] as const;
  });
  return Object.fromEntries(entries) as PlainFields;
}

/** Claims that a client's tokens must have, with each value once. */
export function withDistinctValues(
  conditions: readonly ClaimCondition[],
): readonly ClaimCondition[] {
  return conditions.map(({ claim, values }) => ({ claim, values: [...new Set(values)] }));
}

/** @throws {RefusedError} for a new expiry of a credential that has expired. */
export function checkCanBeExtended(
  id: string,
  stored: number | undefined,
  { now, what }: { readonly now: number; readonly what: string },
): void {
  if (stored === undefined || stored > now) return;
  throw new RefusedError(`${id} has expired; it cannot be extended. Create a new ${what}`);
}

/**
 * The expiry of a credential that changes.
 *
 * @param expiresAt undefined: as it is; null: never.
 * @throws {RefusedError} for another one of what has expired.
 */
export function nextExpiry(
  { expiresAt: stored }: { readonly expiresAt?: number | undefined },
  expiresAt: number | null | undefined,
  { id, ...about }: { readonly id: string; readonly now: number; readonly what: string },
): number | undefined {
  if (expiresAt === undefined) return stored;
  checkCanBeExtended(id, stored, about);
  return expiresAt ?? undefined;
}

/** @throws {InputError} for an audience of assertions. */
export function checkNoAssertions(config: ManagementConfig, audiences: readonly string[]): void {
  const taken = assertionAudiencesOf(config).find((one) => audiences.includes(one));
  if (taken === undefined) return;
  refuseInput(
    'audiences',
    taken,
    'the name of an API: assertions of workloads name this service so',
  );
}

/** The audiences of a client that changes. @throws {InputError} for one that is not allowed. */
export function checkAudiences(
  config: ManagementConfig,
  { provider, audiences: stored }: Pick<Client, 'provider' | 'audiences'>,
  audiences: readonly string[],
): readonly string[] {
  const distinct = [...new Set(audiences)];
  refuseWrong('audiences', rule.findWrongAudience(distinct, provider?.externalClientId));
  checkNoAssertions(
    config,
    distinct.filter((one) => !stored.includes(one)),
  );
  return distinct;
}

/**
 * @throws {InputError} for a pattern that is not allowed.
 * @throws {RefusedError} for a pattern if the provider was registered without patterns.
 */
export function checkPattern(
  id: ClientProvider['externalClientId'],
  { issuer, clientPatterns }: Pick<IdentityProvider, 'issuer' | 'clientPatterns'>,
): void {
  if (!hasWildcard(id)) return;
  if (clientPatterns !== true) {
    throw new RefusedError(
      `the provider ${issuer} was registered without patterns, so "*" stands for nothing in ${JSON.stringify(id)}; register it with --allow-client-patterns`,
    );
  }
  const problem = findPatternProblem(id);
  if (problem !== undefined) refuseInput('externalClientId', id, problem);
}
