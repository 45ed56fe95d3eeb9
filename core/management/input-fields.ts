import { isAudience } from '../../contract/audience.ts';
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
import type { ManagementConfig } from '../../contract/management/management-config.ts';
import { findNearestNames } from '../../contract/nearest-names.ts';
import { isResourceUri } from '../../contract/resource-uri.ts';
import { scopeName } from '../../contract/scopes.ts';
import { unprintable } from '../../contract/unprintable.ts';
import type { ClientProvider } from '../client/client.ts';
import { findPatternProblem, hasWildcard } from '../client/client-id-pattern.ts';
import { type IdKind, isId, prefixes } from '../credential/credential-value.ts';
import { RefusedError } from '../errors.ts';
import type { IdentityProvider } from '../identity-provider/identity-provider.ts';
import { formatTime, lastTime } from '../rfc3339.ts';
import { readList, readText, refuseInput } from './read-input.ts';

const nameHelp = `1 to ${maxNameLength} printable characters`;

/** A name for people. */
export function parseName(value: unknown, label = 'name'): string {
  const name = readText('name', value, nameHelp, label).trim();
  if (name === '' || name.length > maxNameLength || unprintable.test(name)) {
    refuseInput('name', value, nameHelp, label);
  }
  return name;
}

const trunkGroupPattern = /^[A-Za-z0-9][A-Za-z0-9_.:-]*$/;

const trunkGroupHelp = `1 to ${maxServiceTrunkGroupLength} of A-Z, a-z, 0-9, "_", ".", ":" and "-", a letter or digit first`;

/**
 * A service trunk group is a claim of each token, so it must be plain ASCII that JSON never
 * escapes.
 */
export function parseServiceTrunkGroup(value: unknown, field = 'serviceTrunkGroup'): string {
  const group = readText(field, value, trunkGroupHelp);
  if (group.length > maxServiceTrunkGroupLength || !trunkGroupPattern.test(group)) {
    refuseInput(field, value, trunkGroupHelp);
  }
  return group;
}

interface AudienceRule {
  readonly isAllowed: (value: string) => boolean;
  readonly help: string;
}

/** A client could never get a token for an audience that no `resource` parameter can name. */
const ownAudience: AudienceRule = {
  isAllowed: isResourceUri,
  help: `an absolute URI without fragment, at most ${maxAudienceLength} characters (RFC 8707 §2)`,
};

/** What a provider writes into `aud`: a GUID, a client id, a name. */
function providerAudience(externalClientId: string): AudienceRule {
  return {
    // An id token has the client itself as its audience (OpenID Connect Core §2).
    isAllowed: (value) => isAudience(value) && value !== externalClientId,
    help: `1 to ${maxAudienceLength} printable characters, a URI if there is a ":" (RFC 7519 §2), and not the client's own id at the provider, which is the audience of its id tokens`,
  };
}

/** @param provider of the client; undefined: this service issues its tokens. */
export function parseAudiences(
  values: unknown,
  provider: Pick<ClientProvider, 'externalClientId'> | undefined,
): readonly string[] {
  const rule = provider === undefined ? ownAudience : providerAudience(provider.externalClientId);
  const audiences = readList('audiences', values).map((value) => {
    const audience = readText('audiences', value, rule.help);
    return rule.isAllowed(audience) ? audience : refuseInput('audiences', value, rule.help);
  });
  const distinct = [...new Set(audiences)];
  if (distinct.length > maxAudiencesPerClient) {
    refuseInput('audiences', distinct.length, `at most ${maxAudiencesPerClient}`);
  }
  return distinct;
}

/** Beyond this the message names the command that lists them. */
const maxListedScopes = 20;

function parseScope(names: readonly string[], field: string, value: unknown): string {
  const all =
    names.length <= maxListedScopes
      ? names.join(', ')
      : 'a scope of the catalogue (authctl scope list)';
  const scope = readText(field, value, all, 'scope');
  if (names.includes(scope)) return scope;
  const nearest = findNearestNames(scope, names);
  const suggestion = `a scope of the catalogue; did you mean ${nearest.join(' or ')}?`;
  return refuseInput(field, value, nearest.length === 0 ? all : suggestion, 'scope');
}

/** Scopes of the catalogue as they are given. */
export function parseScopeNames(
  config: ManagementConfig,
  values: unknown,
  field = 'scopes',
): readonly string[] {
  const names = config.scopes.map(scopeName);
  return readList(field, values).map((value) => parseScope(names, field, value));
}

/** The scopes of a client: of the catalogue, in its order, each once. */
export function parseScopes(config: ManagementConfig, values: unknown): readonly string[] {
  const wanted = parseScopeNames(config, values);
  const scopes = config.scopes.map(scopeName).filter((name) => wanted.includes(name));
  if (scopes.length === 0) refuseInput('scopes', undefined, 'one scope or more');
  if (scopes.length > maxScopesPerClient) {
    refuseInput('scopes', `${scopes.length} scopes`, `at most ${maxScopesPerClient} for a client`);
  }
  const bytes = scopes.join(' ').length;
  if (bytes > maxScopeBytes) {
    refuseInput('scopes', `${bytes} bytes`, `at most ${maxScopeBytes} bytes together`);
  }
  return scopes;
}

/** A token lifetime in seconds, within the deployment's bounds. */
export function parseTokenLifetime(
  config: Pick<ManagementConfig, 'tokenLifetime'>,
  value: unknown,
): number {
  const { default: usual, minimum, maximum } = config.tokenLifetime;
  if (value === undefined) return usual;
  const seconds = Number.isSafeInteger(value) ? Number(value) : Number.NaN;
  if (!(seconds >= minimum && seconds <= maximum)) {
    refuseInput('tokenLifetime', value, `${minimum} to ${maximum} seconds`);
  }
  return seconds;
}

/** When a secret expires, in seconds since the epoch: later than now. */
export function parseExpiry(value: unknown, now: number): number | undefined {
  if (value === undefined) return undefined;
  const time = Number.isSafeInteger(value) ? Number(value) : Number.NaN;
  if (!(time >= 0 && time <= lastTime)) {
    refuseInput('expiresAt', value, 'a time before the year 10000');
  }
  if (time <= now) refuseInput('expiresAt', formatTime(time), 'a time in the future');
  return time;
}

const externalIdPattern = /^[\x21-\x7E]+$/;
const externalIdHelp = `1 to ${maxExternalIdLength} printable ASCII characters without space`;

/**
 * A client's id at its provider: compared byte for byte with a claim, or a pattern.
 *
 * @throws {RefusedError} for a pattern if the provider was registered without patterns.
 */
export function parseExternalClientId(
  value: unknown,
  { issuer, clientPatterns }: Pick<IdentityProvider, 'issuer' | 'clientPatterns'>,
): string {
  const id = readText('externalClientId', value, externalIdHelp);
  if (id.length > maxExternalIdLength || !externalIdPattern.test(id)) {
    refuseInput('externalClientId', value, externalIdHelp);
  }
  if (!hasWildcard(id)) return id;
  if (clientPatterns !== true) {
    throw new RefusedError(
      `the provider ${issuer} was registered without patterns, so "*" stands for nothing in ${JSON.stringify(id)}; register it with --allow-client-patterns`,
    );
  }
  const problem = findPatternProblem(id);
  return problem === undefined ? id : refuseInput('externalClientId', value, problem);
}

const issuerHelp = 'the issuer of a registered provider, an https URL';

/**
 * An issuer that may be registered. It is compared byte for byte, so only its length and characters
 * are checked.
 */
export function parseIssuer(value: unknown, field: string): string {
  const issuer = readText(field, value, issuerHelp);
  if (!issuer.startsWith('https://') || issuer.length > maxProviderUrlLength) {
    refuseInput(field, value, issuerHelp);
  }
  return issuer;
}

/** @param field name of the field, e.g. `clientId`. */
export function parseId(kind: IdKind, value: unknown, field: string): string {
  const help = `${prefixes[kind]} and 22 letters and digits`;
  const id = readText(field, value, help);
  if (!isId(kind, id)) refuseInput(field, value, help);
  return id;
}
