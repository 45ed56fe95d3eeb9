import * as v from 'valibot';
import { maxProviderUrlLength } from '../../contract/bounds.ts';
import { InputError, RefusedError } from '../errors.ts';
import { isProviderAlg, type ProviderAlg, providerAlgs } from './provider-algorithms.ts';
import { type ProviderUrlOptions, parseProviderUrl } from './provider-url.ts';

/** The parts of a provider's metadata that are used (OpenID Connect Discovery 1.0 §3, RFC 8414 §2). */
export interface DiscoveryDocument {
  readonly issuer: string;
  readonly jwksUri: string;
  /** Supported algorithms among those that the provider lists; undefined if it lists none. */
  readonly algorithms: readonly ProviderAlg[] | undefined;
  /** Of AD FS, whose access tokens can have another issuer. */
  readonly accessTokenIssuer?: string | undefined;
}

/** Why no token of a provider would be accepted, as far as its document says so. */
export function describeOtherIssuer({
  issuer,
  accessTokenIssuer: other = issuer,
}: DiscoveryDocument): string | undefined {
  if (other === issuer) return undefined;
  return `its access tokens have the issuer ${other} (access_token_issuer), so each of them would be refused`;
}

const document = v.looseObject({
  issuer: v.string(),
  jwks_uri: v.string(),
  id_token_signing_alg_values_supported: v.optional(v.array(v.string())),
  access_token_issuer: v.optional(v.unknown()),
});

const openidSuffix = '/.well-known/openid-configuration';
const oauthPath = '/.well-known/oauth-authorization-server';

/** The URLs of an issuer's metadata (OpenID Connect Discovery 1.0 §4, RFC 8414 §3.1). */
export function discoveryUrls(issuer: string): readonly [string, ...string[]] {
  const base = issuer.replace(/\/$/, '');
  const { origin } = new URL(issuer);
  const path = base.slice(origin.length);
  return [base + openidSuffix, `${origin}${oauthPath}${path}`, `${origin}${openidSuffix}${path}`];
}

const openidEnd = /\/\.well-known\/openid-configuration$/;
const pathInserted =
  /^(https:\/\/[^/]+)\/\.well-known\/(?:oauth-authorization-server|openid-configuration)(?=\/|$)/;

/** The issuer whose metadata a URL would be; the URL itself if it has another form. */
export function issuerOfDiscoveryUrl(url: string): string {
  return openidEnd.test(url) ? url.replace(openidEnd, '') : url.replace(pathInserted, '$1');
}

/** What issuers consist of. Other characters of a URL have a meaning in shells; no issuer has them. */
const issuerCharacters = /^[A-Za-z0-9._~:/@%+=[\]-]+$/;

/** @throws {InputError} for an issuer in another form than that of a URL without query. */
export function readIssuer(issuer: string, options: ProviderUrlOptions): string {
  const url = parseProviderUrl(issuer, 'issuer of the discovery document', options);
  const hasQuery = issuer.includes('?');
  // An issuer is compared as text, so a form that a URL parser would change causes mistakes.
  const isCanonical = url.href === issuer || url.href === `${issuer}/`;
  if (hasQuery || !isCanonical) {
    throw new InputError(
      `issuer of the discovery document: received ${JSON.stringify(issuer)}; allowed: an https URL in canonical form, without query (RFC 8414 §2)`,
    );
  }
  if (!issuerCharacters.test(issuer)) {
    throw new InputError(
      `issuer of the discovery document: received ${JSON.stringify(issuer)}; allowed: letters, digits and . _ ~ : / @ % + = [ ] -`,
    );
  }
  return issuer;
}

function readAlgorithms(values: readonly string[] | undefined): readonly ProviderAlg[] | undefined {
  if (values === undefined) return undefined;
  const supported = [...new Set(values)].filter(isProviderAlg);
  if (supported.length > 0) return supported;
  throw new RefusedError(
    `the provider signs with ${values.slice(0, 20).join(', ') || 'nothing'}; allowed: ${providerAlgs.join(', ')}`,
  );
}

/**
 * Reads a provider's metadata. The document may speak for its issuer only if it was fetched from
 * one of the issuer's {@link discoveryUrls}.
 *
 * @throws {InputError | RefusedError} if the document cannot be used.
 */
export function parseDiscoveryDocument(
  value: unknown,
  options: ProviderUrlOptions = {},
): DiscoveryDocument {
  const parsed = v.safeParse(document, value);
  if (!parsed.success) {
    const members = Object.keys(v.flatten(parsed.issues).nested ?? {}).join(', ');
    throw new RefusedError(
      `the discovery document is not usable: ${members || 'it'} is missing or of the wrong type`,
    );
  }
  const { issuer, jwks_uri: jwksUri, id_token_signing_alg_values_supported } = parsed.output;
  const { access_token_issuer: other } = parsed.output;
  parseProviderUrl(jwksUri, 'jwks_uri of the discovery document', options);
  return {
    issuer: readIssuer(issuer, options),
    jwksUri,
    algorithms: readAlgorithms(id_token_signing_alg_values_supported),
    ...(typeof other === 'string' && { accessTokenIssuer: other.slice(0, maxProviderUrlLength) }),
  };
}
