import type { DeploymentConfig } from '../../contract/deployment-config.ts';
import {
  maxAudienceLength,
  maxAudiencesPerClient,
  maxExternalIdLength,
  maxNameLength,
  maxProviderUrlLength,
  maxScopeBytes,
  maxScopesPerClient,
  maxServiceTrunkGroupLength,
} from '../../contract/limits.ts';
import { isResourceUri } from '../../contract/resource-uri.ts';
import { scopeName } from '../../contract/scopes.ts';
import { type IdKind, isId, prefixes } from '../credential/credential-value.ts';
import { InputError } from '../errors.ts';
import { formatTime } from '../rfc3339.ts';
import { findNearestNames } from './nearest-names.ts';

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** @throws {InputError} always: the value received and what is allowed. */
export function refuseInput(label: string, value: unknown, allowed: string): never {
  throw new InputError(`${label}: received ${show(value)}; allowed: ${allowed}`);
}

/** Control characters, line separators and what turns the direction of text: they forge output. */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

/** A name for people. */
export function parseName(value: string, label = 'name'): string {
  const name = value.trim();
  if (name === '' || name.length > maxNameLength || unprintable.test(name)) {
    refuseInput(label, value, `1 to ${maxNameLength} printable characters`);
  }
  return name;
}

const trunkGroupPattern = /^[A-Za-z0-9][A-Za-z0-9_.:-]*$/;

/** A service trunk group stands in each token, so it is plain ASCII that JSON never escapes. */
export function parseServiceTrunkGroup(value: string): string {
  if (value.length > maxServiceTrunkGroupLength || !trunkGroupPattern.test(value)) {
    refuseInput(
      'service_trunk_group',
      value,
      `1 to ${maxServiceTrunkGroupLength} of A-Z, a-z, 0-9, "_", ".", ":" and "-", a letter or digit first`,
    );
  }
  return value;
}

/** An audience that no `resource` parameter could name would be of no use. */
function parseAudience(value: string): string {
  if (!isResourceUri(value)) {
    refuseInput(
      'audience',
      value,
      `an absolute URI without fragment, at most ${maxAudienceLength} characters (RFC 8707 §2)`,
    );
  }
  return value;
}

export function parseAudiences(values: readonly string[]): readonly string[] {
  const audiences = [...new Set(values.map(parseAudience))];
  if (audiences.length > maxAudiencesPerClient) {
    refuseInput('audience', audiences.length, `at most ${maxAudiencesPerClient}`);
  }
  return audiences;
}

/** Scopes of the catalogue, in its order, each once. */
export function parseScopes(
  config: DeploymentConfig,
  values: readonly string[],
): readonly string[] {
  const names = config.scopes.map(scopeName);
  for (const value of values) {
    if (names.includes(value)) continue;
    const nearest = findNearestNames(value, names);
    const all =
      names.length <= 20 ? names.join(', ') : 'a scope of the catalogue (authctl scope list)';
    refuseInput(
      'scope',
      value,
      nearest.length === 0
        ? all
        : `a scope of the catalogue; did you mean ${nearest.join(' or ')}?`,
    );
  }
  const scopes = names.filter((name) => values.includes(name));
  if (scopes.length === 0) refuseInput('scope', undefined, 'one scope or more');
  if (scopes.length > maxScopesPerClient) {
    refuseInput('scope', `${scopes.length} scopes`, `at most ${maxScopesPerClient} for a client`);
  }
  const bytes = scopes.join(' ').length;
  if (bytes > maxScopeBytes) {
    refuseInput('scope', `${bytes} bytes`, `at most ${maxScopeBytes} bytes together`);
  }
  return scopes;
}

/** A token lifetime in seconds, within the deployment's bounds. */
export function parseTokenLifetime(config: DeploymentConfig, value: number | undefined): number {
  const { default: usual, minimum, maximum } = config.tokenLifetime;
  if (value === undefined) return usual;
  if (!Number.isSafeInteger(value) || value < minimum || value > maximum) {
    refuseInput('token_lifetime', value, `${minimum} to ${maximum} seconds`);
  }
  return value;
}

/** RFC 3339 has no year after 9999: the last second that anything may end in. */
export const lastTime = 253_402_300_799;

/** When a secret ends, in seconds since the epoch: later than now. */
export function parseExpiry(value: number | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const isTime = Number.isSafeInteger(value) && value >= 0 && value <= lastTime;
  if (!isTime) refuseInput('expires_at', value, 'a time before the year 10000');
  if (value <= now) refuseInput('expires_at', formatTime(value), 'a time in the future');
  return value;
}

const externalIdPattern = /^[\x21-\x7E]+$/;

/** A client's id at its provider: compared byte for byte with a claim. */
export function parseExternalClientId(value: string): string {
  if (value.length > maxExternalIdLength || !externalIdPattern.test(value)) {
    refuseInput(
      'external_client_id',
      value,
      `1 to ${maxExternalIdLength} printable ASCII characters without space`,
    );
  }
  return value;
}

/** An issuer that may be registered: compared byte for byte, so that only its bounds are checked. */
export function parseIssuer(value: string, label: string): string {
  if (!value.startsWith('https://') || value.length > maxProviderUrlLength) {
    refuseInput(label, value, 'the issuer of a registered provider, an https URL');
  }
  return value;
}

/** @param label name of the field, for the message. */
export function parseId(kind: IdKind, value: string, label: string): string {
  if (!isId(kind, value)) refuseInput(label, value, `${prefixes[kind]} and 22 letters and digits`);
  return value;
}
