import { InputError, RefusedError } from '../errors.ts';
import {
  type DiscoveryDocument,
  discoveryUrls,
  parseDiscoveryDocument,
} from '../identity-provider/discovery-document.ts';
import type { IdentityProvider } from '../identity-provider/identity-provider.ts';
import { lintKeySet, type ProviderKeySet } from '../identity-provider/key-lint.ts';
import { parseProviderUrl } from '../identity-provider/provider-url.ts';
import { makeAuditedChange } from './audited-change.ts';
import { currentTime, type ManagementContext, newId } from './management-context.ts';
import { viewIdentityProvider } from './provider-view.ts';

export interface RegisteredProvider {
  readonly provider: IdentityProvider;
  /** What its key set holds at present. */
  readonly keySet: ProviderKeySet;
}

interface Discovered {
  readonly discoveryUrl: string;
  readonly document: DiscoveryDocument;
}

async function fetchDocument(context: ManagementContext, url: string): Promise<DiscoveryDocument> {
  return parseDiscoveryDocument(await context.fetchJson(url), {
    allowLoopback: context.allowLoopbackProviders,
  });
}

/**
 * Fetches the metadata. A document speaks for its issuer only from where that issuer's metadata
 * stands (RFC 8414 §3.3): one found elsewhere must be confirmed there, and that one is taken.
 */
async function discover(context: ManagementContext, url: string): Promise<Discovered> {
  const document = await fetchDocument(context, url);
  const places = discoveryUrls(document.issuer);
  if (places.includes(url)) return { discoveryUrl: url, document };
  const [discoveryUrl] = places;
  const confirmed = await fetchDocument(context, discoveryUrl);
  if (confirmed.issuer === document.issuer) return { discoveryUrl, document: confirmed };
  throw new RefusedError(
    `the document at ${url} says that its issuer is ${document.issuer}, but ${discoveryUrl} says ${confirmed.issuer} (RFC 8414 §3.3)`,
  );
}

function isOwnHost(context: ManagementContext, host: string): boolean {
  const { issuer, domain } = context.config;
  if (domain !== undefined && (host === domain.name || host.endsWith(`.${domain.name}`))) {
    return true;
  }
  return issuer !== undefined && new URL(issuer).host === host;
}

/** This service is no provider of itself, under whatever name it is reached. */
async function checkNotOurs(
  context: ManagementContext,
  document: DiscoveryDocument,
  keySet: ProviderKeySet,
): Promise<void> {
  const own = await context.signingKeys.listSigningKeys();
  const kids = new Set(own.map((key) => key.kid));
  const isOurs =
    isOwnHost(context, new URL(document.issuer).host) ||
    keySet.keys.some((key) => kids.has(key.kid));
  if (isOurs) {
    throw new RefusedError(
      `${document.issuer} is this service itself; its tokens are accepted without being registered`,
    );
  }
}

/**
 * Registers an identity provider from its discovery URL. Nothing is stored unless everything that
 * was fetched is sound.
 *
 * @throws {InputError} for a URL that is not allowed.
 * @throws {FetchError} where a document cannot be fetched.
 * @throws {RefusedError} where a document or a key is not sound, and for an issuer that is
 *   registered or is this service.
 */
export async function registerProvider(
  context: ManagementContext,
  url: string,
): Promise<RegisteredProvider> {
  const options = { allowLoopback: context.allowLoopbackProviders };
  const { host } = parseProviderUrl(url, 'DISCOVERY_URL', options);
  if (isOwnHost(context, host)) {
    throw new InputError(`DISCOVERY_URL: received "${url}"; allowed: any service but this one`);
  }
  const { discoveryUrl, document } = await discover(context, url);
  if ((await context.identityProviders.findIdentityProvider(document.issuer)) !== undefined) {
    throw new RefusedError(
      `the provider ${document.issuer} is registered; a provider is not edited: delete it and register it again`,
    );
  }
  const keySet = lintKeySet(await context.fetchJson(document.jwksUri), document.algorithms);
  await checkNotOurs(context, document, keySet);
  const provider: IdentityProvider = {
    issuer: document.issuer,
    registrationId: newId(context, 'registration'),
    discoveryUrl,
    jwksUri: document.jwksUri,
    allowedAlgorithms: document.algorithms ?? [...new Set(keySet.keys.map((key) => key.alg))],
    registeredAt: currentTime(context),
  };
  await makeAuditedChange(
    context,
    {
      action: 'identity_provider.register',
      subject: provider.issuer,
      after: viewIdentityProvider(provider),
    },
    () => context.identityProviders.createIdentityProvider(provider),
  );
  return { provider, keySet };
}
