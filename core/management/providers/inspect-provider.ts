import { inspectionTime } from '../../../contract/bounds.ts';
import type { OperationInput, OperationResult } from '../../../contract/management/operations.ts';
import { patternsOf } from '../../client/provider-client-id.ts';
import { InputError, NotFoundError, RefusedError } from '../../errors.ts';
import { proposeRule } from '../../identity-provider/application-rule.ts';
import { assignedClaims, readNamedClient } from '../../identity-provider/client-id-claim.ts';
import {
  type DiscoveryDocument,
  describeOtherIssuer,
  discoveryUrls,
  parseDiscoveryDocument,
  readIssuer,
} from '../../identity-provider/discovery-document.ts';
import { FetchError, type FetchJson } from '../../identity-provider/fetch-json.ts';
import { givenKeysUri } from '../../identity-provider/given-keys.ts';
import type { IdentityProvider } from '../../identity-provider/identity-provider.ts';
import {
  checkOwnKeySet,
  lintKeySet,
  type ProviderKeySet,
} from '../../identity-provider/key-lint.ts';
import {
  comparableIssuer,
  isDiscoveryUrl,
  parseProviderUrl,
} from '../../identity-provider/provider-url.ts';
import { BearerRefusal, refusalForms, refuseFor } from '../../verifier/bearer-refusal.ts';
import { parseJsonObject } from '../../verifier/json-object.ts';
import { type KeyFinder, toVerificationKey } from '../../verifier/jwks-cache.ts';
import { providerJwksSource, verifyProviderClaims } from '../../verifier/provider-token.ts';
import { type ReceivedToken, readToken } from '../../verifier/received-token.ts';
import { requireEveryTrunkGroup } from '../caller-reach.ts';
import type { RequestFinding } from '../explain-request.ts';
import { requireIssuerGrant } from '../grants/require-grant.ts';
import { currentTime, type ManagementContext } from '../management-context.ts';
import { refuseInput } from '../read-input.ts';
import { findProvider } from './identity-providers.ts';
import {
  checkClaimName,
  checkProviderChoices,
  chooseAlgorithms,
  type ProviderChoices,
  type StoredChoices,
} from './provider-choices.ts';
import { findInspectors } from './provider-ownership.ts';

/** What would be decided of a token if its provider were registered. It never holds the token. */
type TokenInspection = OperationResult<'inspectProvider'>['tokens'][number];

function otherClaims(received: ReceivedToken, chosen: string): Readonly<Record<string, string>> {
  const found = [...assignedClaims]
    .filter((name) => name !== chosen && Object.hasOwn(received.payload, name))
    .map((name) => [name, received.payload[name]] as const)
    .filter((entry): entry is readonly [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(found);
}

function checkIssuer(received: unknown, issuer: string): void {
  if (received === issuer) return;
  throw refuseFor('issuer_unknown', 'iss', received, issuer);
}

/** Each new client refuses tokens that may be older than itself, see `createClient`. */
function checkIssuedAt(received: number | undefined): void {
  if (received !== undefined) return;
  const expected = 'the time of its issue, without which every new client refuses it';
  throw refuseFor('token_revoked', 'iat', received, expected);
}

/**
 * Decides about a token as the verifier does, but for the client, which need not exist yet.
 *
 * @param provider as it would be registered.
 * @param now seconds since the epoch.
 */
async function inspectToken(
  token: string,
  provider: IdentityProvider,
  keySet: ProviderKeySet,
  now: number,
): Promise<TokenInspection> {
  try {
    const received = readToken(token, undefined);
    checkIssuer(received.payload.iss, provider.issuer);
    const jwks: KeyFinder = {
      findKey: async (_, kid) => {
        const key = keySet.keys.find((one) => one.kid === kid);
        return key && toVerificationKey(key);
      },
      findLeftOut: (_, kid) => keySet.skipped.find((one) => one.kid === kid)?.reason,
    };
    const verified = await verifyProviderClaims({ received, provider }, jwks, { now });
    const { tokenId: _, issuedAt, ...claims } = verified;
    checkIssuedAt(issuedAt);
    const { claim: clientIdClaim } = readNamedClient(received.payload, provider.clientIdClaim);
    return {
      usable: true,
      clientIdClaim,
      ...claims,
      patterns: provider.clientPatterns === true ? patternsOf(claims.externalClientId) : [],
      otherClaims: otherClaims(received, clientIdClaim),
      proposal: proposeRule(provider, claims.externalClientId, received.payload),
    };
  } catch (error) {
    if (!(error instanceof BearerRefusal)) throw error;
    const { reason, finding } = error;
    const { serviceTrunkGroup: _, ...shown } = finding ?? {};
    return {
      usable: false,
      reason,
      rule: refusalForms[reason].rule,
      finding: finding && (shown as RequestFinding),
    };
  }
}

type ProviderInspection = OperationResult<'inspectProvider'>;

/** The findings of a registration until it stops. */
interface ProviderFindings
  extends Pick<ProviderInspection, 'discoveryUrl' | 'issuer' | 'jwksUri' | 'allowedAlgorithms'> {
  readonly keySet?: ProviderKeySet | undefined;
}

/** What a registration stores, and the keys that were found. */
type CompleteFindings = Required<ProviderFindings> & StoredChoices;

/** The findings of a registration, and the error that stopped it. */
type Examined =
  | {
      readonly findings: CompleteFindings;
      readonly error?: undefined;
      readonly warning: string | undefined;
    }
  | { readonly findings: ProviderFindings; readonly error: Error; readonly warning?: undefined };

async function fetchDocument(context: ManagementContext, url: string): Promise<DiscoveryDocument> {
  return parseDiscoveryDocument(await context.fetchJson(url), {
    allowLoopback: context.allowLoopbackProviders,
  });
}

/** Fetches the given URL. Many people give the issuer instead of its discovery URL. */
async function fetchGiven(context: ManagementContext, url: string): Promise<DiscoveryDocument> {
  try {
    return await fetchDocument(context, url);
  } catch (error) {
    if (isDiscoveryUrl(url) || !isProviderFault(error)) throw error;
    const [usual] = discoveryUrls(url);
    const hint = `the discovery document of an issuer ${url} is usually at ${usual}`;
    if (error instanceof FetchError)
      throw new FetchError(url, error.problem, { hint, cause: error });
    throw new RefusedError(`${error.message}; ${hint}`, { cause: error });
  }
}

interface Discovered {
  readonly discoveryUrl: string;
  readonly document: DiscoveryDocument;
}

/**
 * Fetches the metadata. A document is valid only at the place of its issuer's metadata (RFC 8414
 * §3.3). When it is found at another place, the document at the right place must confirm it, and
 * that one is used.
 */
async function discover(
  context: ManagementContext,
  url: string,
  trunkGroups: readonly string[],
): Promise<Discovered> {
  const document = await fetchGiven(context, url);
  await requireIssuerGrant(context, document.issuer, trunkGroups);
  const places = discoveryUrls(document.issuer);
  // FortiAuthenticator and others serve it only with a slash at the end, and redirect there.
  if (places.includes(url.replace(/\/$/, ''))) return { discoveryUrl: url, document };
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

/** This service must not be registered as its own provider, under any of its names. */
export async function checkNotOurs(
  context: ManagementContext,
  document: Pick<DiscoveryDocument, 'issuer'>,
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
 * The staff may register an issuer that was only written in another way, as after a move of the
 * provider. From a customer it could be the provider of another one.
 */
async function isRegistered(
  { identityProviders, trunkGroups }: ManagementContext,
  issuer: string,
): Promise<boolean> {
  if ((await identityProviders.findRegistration(issuer)) !== undefined) return true;
  if (trunkGroups === undefined) return false;
  const form = comparableIssuer(issuer);
  for await (const other of identityProviders.listRegistrations()) {
    if (comparableIssuer(other.issuer) === form) return true;
  }
  return false;
}

async function checkNotRegistered(context: ManagementContext, issuer: string): Promise<void> {
  if (!(await isRegistered(context, issuer))) return;
  throw new RefusedError(
    context.trunkGroups === undefined
      ? `the provider ${issuer} is registered; a provider is not edited: delete it and register it again`
      : `the provider ${issuer} is registered, and an issuer is registered once. If it is not one of your own, which you can delete, ask the platform's staff`,
  );
}

/** @throws {InputError} for a URL that is not allowed. */
export function checkDiscoveryUrl(context: ManagementContext, url: string): void {
  const { allowLoopbackProviders: allowLoopback } = context;
  if (allowLoopback === true && /^http:/i.test(url)) {
    refuseInput('discoveryUrl', url, 'https, also on this machine: see docs/providers.md');
  }
  const options = { allowLoopback, field: 'discoveryUrl' };
  const { host } = parseProviderUrl(url, 'discovery_url', options);
  if (isOwnHost(context, host)) refuseInput('discoveryUrl', url, 'any service but this one');
}

/** @throws {InputError | RefusedError} if the caller, the config or the issuer does not allow it. */
export function nameGiven(context: ManagementContext, issuer: string): Discovered {
  requireEveryTrunkGroup(context, 'A provider whose keys are given');
  if (!context.config.providerKeyFiles) {
    throw new RefusedError(
      'the deployment fetches the keys of every provider: its config has no providerKeyFiles',
    );
  }
  readIssuer(issuer, { isNeverFetched: true, field: 'discoveryUrl' });
  const document = { issuer, jwksUri: givenKeysUri(issuer), algorithms: undefined };
  return { discoveryUrl: issuer, document };
}

/** A mistake of the provider, not of the caller. */
function isProviderFault(error: unknown): error is Error {
  return (
    error instanceof InputError || error instanceof RefusedError || error instanceof FetchError
  );
}

/** A registration as it is wished for. */
interface Registration {
  readonly discoveryUrl: string;
  /** Left out: they are fetched. */
  readonly jwks?: string | undefined;
  readonly choices: ProviderChoices;
  /** Those that it is for. None: the whole platform. */
  readonly trunkGroups: readonly string[];
}

/**
 * Takes every step of a registration except the last, which stores the provider. All its fetches
 * share one deadline.
 *
 * @throws {InputError} for a URL that is not allowed.
 */
export async function examineProvider(
  context: ManagementContext,
  registration: Registration,
): Promise<Examined> {
  const { discoveryUrl: url } = registration;
  const { clock, inspectionTime: time = inspectionTime.staff } = context;
  const end = clock() + time;
  const fetchJson: FetchJson = (document) =>
    context.fetchJson(document, {
      timeout: end - clock(),
      isOwn: registration.trunkGroups.length > 0,
    });
  return examineUrl({ ...context, fetchJson }, url, registration);
}

async function examineUrl(
  context: ManagementContext,
  url: string,
  { choices, trunkGroups, jwks }: Registration,
): Promise<Examined> {
  let findings: ProviderFindings = {};
  try {
    const { document, ...found } =
      jwks === undefined ? await discover(context, url, trunkGroups) : nameGiven(context, url);
    const { issuer, jwksUri } = document;
    findings = { ...found, issuer, jwksUri, allowedAlgorithms: document.algorithms };
    await checkNotRegistered(context, issuer);
    const algorithms = chooseAlgorithms(choices, document.algorithms);
    const keys = jwks === undefined ? await context.fetchJson(jwksUri) : parseJsonObject(jwks);
    const keySet = lintKeySet(keys, algorithms);
    if (trunkGroups.length > 0) checkOwnKeySet(keySet);
    const allowedAlgorithms = algorithms ?? [...new Set(keySet.keys.map((key) => key.alg))];
    const complete = { ...found, issuer, jwksUri, allowedAlgorithms, keySet };
    findings = complete;
    await checkNotOurs(context, document, keySet);
    const isStaff = context.trunkGroups === undefined;
    return {
      findings: { ...complete, ...checkProviderChoices(choices, { issuer, isStaff }) },
      warning: describeOtherIssuer(document),
    };
  } catch (error) {
    if (!isProviderFault(error)) throw error;
    return { findings, error };
  }
}

async function inspectTokens(
  context: ManagementContext,
  findings: CompleteFindings,
  tokens: readonly string[],
): Promise<ProviderInspection['tokens']> {
  const { keySet, ...found } = findings;
  const now = currentTime(context);
  const provider = { ...found, registrationId: 'inspection', registeredAt: now };
  return Promise.all(tokens.map((token) => inspectToken(token, provider, keySet, now)));
}

/** What the verifier decides about tokens of a provider that is registered. */
async function inspectRegistered(
  context: ManagementContext,
  issuer: string | undefined,
  tokens: readonly string[],
): Promise<Pick<ProviderInspection, 'keySet' | 'tokens'>> {
  if (issuer === undefined || tokens.length === 0) return { tokens: [] };
  try {
    const provider = await findProvider(context, issuer);
    const keySet = await context.providerKeys.readKeySet(providerJwksSource(provider));
    const now = currentTime(context);
    const inspect = (token: string) => inspectToken(token, provider, keySet, now);
    return { keySet, tokens: await Promise.all(tokens.map(inspect)) };
  } catch (error) {
    if (error instanceof NotFoundError || isProviderFault(error)) return { tokens: [] };
    throw error;
  }
}

/**
 * Reports what a registration would find, without registering: the issuer and the JWKS URI of the
 * discovery document, the algorithms, the keys, and why it would be refused. Of each token that is
 * given it reports what the verifier would decide, and for which client and audience.
 *
 * @throws {RefusedError} if the caller is restricted to trunk groups that may register none.
 */
export async function inspectProvider(
  context: ManagementContext,
  discoveryUrl: string,
  options: OperationInput<'inspectProvider', 'options'> = {},
): Promise<ProviderInspection> {
  const { tokens = [], ...choices } = options;
  checkClaimName(choices);
  checkDiscoveryUrl(context, discoveryUrl);
  const trunkGroups = await findInspectors(context, discoveryUrl);
  const { findings, error, warning } = await examineProvider(context, {
    discoveryUrl,
    choices,
    trunkGroups,
  });
  if (error !== undefined) {
    const registered = await inspectRegistered(context, findings.issuer, tokens);
    return { ...findings, ...registered, registrable: false, problem: error.message };
  }
  return {
    ...findings,
    registrable: true,
    warning,
    tokens: await inspectTokens(context, findings, tokens),
  };
}

/** The keys that a registered provider publishes at present, or why they cannot be used. */
type ProviderKeys =
  | { readonly keySet: ProviderKeySet; readonly problem?: undefined }
  | { readonly keySet?: undefined; readonly problem: string };

/**
 * The keys of a registered provider, as the verifier fetches them: at most once in half a minute, and
 * less often while it fails.
 *
 * @throws {NotFoundError} if the issuer is not registered.
 */
export async function inspectProviderKeys(
  context: ManagementContext,
  issuer: string,
): Promise<ProviderKeys> {
  const provider = await findProvider(context, issuer);
  try {
    return { keySet: await context.providerKeys.readKeySet(providerJwksSource(provider)) };
  } catch (error) {
    if (!isProviderFault(error)) throw error;
    return { problem: error.message };
  }
}
