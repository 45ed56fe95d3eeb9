import { addressesOf, tokenEndpointsOf } from '../../contract/addresses.ts';
import { withoutProviders } from '../../contract/function-settings.ts';
import type { ManagementConfig } from '../../contract/management/management-config.ts';
import type { OperationInput, OperationResult } from '../../contract/management/operations.ts';
import type { ApiKeyReader } from '../api-key/api-key.ts';
import type { Client, ClientReader } from '../client/client.ts';
import { InputError, RefusedError, UnavailableError } from '../errors.ts';
import { AssertionRefusal, type AssertionRequest } from '../federated/assertion-request.ts';
import { WorkloadAuthentication, type WorkloadPorts } from '../federated/authenticate-workload.ts';
import { isOfClient } from '../federated/client-key-authentication.ts';
import { readNamedClient } from '../identity-provider/client-id-claim.ts';
import { describeGivenKeys, hasGivenKeys, versionOf } from '../identity-provider/given-keys.ts';
import type { IdentityProviderReader } from '../identity-provider/identity-provider.ts';
import { OAuthError } from '../oauth-error.ts';
import { isPublished } from '../signing-key/signing-key.ts';
import { describeStops, type Stops } from '../stops.ts';
import { selectScopes } from '../token/access-token-claims.ts';
import {
  BearerRefusal,
  type RefusalReason,
  type RefusalWords,
  refusalForms,
} from '../verifier/bearer-refusal.ts';
import { JwksCache, type KeyFinder } from '../verifier/jwks-cache.ts';
import { getProviderClient } from '../verifier/provider-client.ts';
import { type ReceivedToken, readToken } from '../verifier/received-token.ts';
import { checkTimes, readAudiences } from '../verifier/registered-claims.ts';
import type { RevocationCheck } from '../verifier/revocation-check.ts';
import type { VerifiedCredential } from '../verifier/verified-credential.ts';
import { verifyBearer } from '../verifier/verify-bearer.ts';
import { withoutLinks } from './explain-token.ts';
import { currentTime, type ManagementContext } from './management-context.ts';
import { findIssuerHint } from './providers/registered-issuer.ts';

/** Of the token endpoint, if they are others than those of an API. */
const assertionWords: Readonly<Partial<Record<RefusalReason, RefusalWords>>> = {
  token_too_long: {
    rule: 'an assertion has a bounded length',
    remedy: 'Leave out what is not needed: certificates in the header, lists of groups.',
  },
  token_malformed: {
    rule: 'an assertion is a signed JWT of three base64url parts',
    remedy: 'Send the assertion as it was signed.',
  },
  token_type_not_allowed: {
    rule: 'the typ of an assertion is JWT or missing, and for a client_assertion also client-authentication+jwt',
    remedy: 'Set `typ` to `JWT`, or leave it out.',
  },
  token_expired: {
    rule: 'the time is before exp, and not too long after iat (maxAge of federatedClients or clientKeys)',
    remedy: 'Sign a new assertion for each request, and compare the clocks.',
  },
  token_audience_not_allowed: {
    rule: 'aud is one value that names this service: its issuer, for a client_assertion also federatedClients.audience, for a grant also a token endpoint',
    remedy: 'Set `aud` to the issuer of this deployment.',
  },
  insufficient_scope: {
    rule: 'the client has scopes, and every one that the request names',
    remedy: 'Ask for fewer scopes, or grant it: `authctl client update ID --add-scope SCOPE`.',
  },
  client_unknown: {
    rule: 'the assertion names a client under the present registration of its issuer, or with clientKeys itself, and so does the client_id of the request, if there is one',
    remedy:
      'Create the client under the provider, or send its id as `client_id`, or leave that out.',
  },
  issuer_unknown: {
    rule: 'the issuer is a registered provider, or with clientKeys the client itself; a provider that a trunk group registered for itself needs federatedClients.ownProviders',
    remedy: 'Register the [identity provider](providers.md), or let the client sign as itself.',
  },
};

/** @throws {BearerRefusal} whose cause is what the token endpoint responds. */
function grantRequested(
  requested: readonly string[] | undefined,
  { clientId, scopes, serviceTrunkGroup }: Client,
  ignored: readonly string[] | undefined,
): readonly string[] {
  try {
    return selectScopes(requested?.length === 0 ? undefined : requested, scopes, ignored);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const expected = `scopes of the client: ${scopes.join(' ') || 'none'}`;
    const finding = () => ({ name: 'scope', received: requested, expected, serviceTrunkGroup });
    throw new BearerRefusal('insufficient_scope', { clientId }, { cause: error, finding });
  }
}

/** What a decision about an assertion depends on, apart from the records. */
interface AssertionContext {
  readonly config: ManagementConfig;
  readonly issuer: string;
  readonly now: number;
}

/** The token endpoint hides that keys cannot be fetched, and what is wrong. An operator should know. */
function revealed(error: AssertionRefusal): unknown {
  return error.cause ?? new BearerRefusal('client_unknown', {}, { cause: new OAuthError(error) });
}

/** A decision of its own: no failure of another assertion counts. */
async function decideAssertion(
  { scopes: requested, ...presented }: Omit<AssertionRequest, 'resource'>,
  ports: WorkloadPorts,
  { config, issuer, now }: AssertionContext,
): Promise<VerifiedCredential> {
  const { federatedClients, clientKeys } = config;
  if (federatedClients === undefined && clientKeys === undefined) {
    throw new RefusedError(
      'this deployment accepts no assertions: its config has no federatedClients and no clientKeys',
    );
  }
  const workloads = new WorkloadAuthentication(ports, {
    ...(federatedClients ?? withoutProviders),
    issuer,
    tokenEndpoints: tokenEndpointsOf(addressesOf(config, issuer)),
    clientKeys,
  });
  const values = { now, random: new Uint8Array(), source: '', log: {} };
  try {
    const { client, received, ...decision } = await workloads.decide(presented, values);
    // Only of a provider does the token endpoint require that it is a text, and that is checked.
    const { jti } = received.payload;
    return {
      credential: 'access_token',
      issuer: decision.issuer,
      subject: decision.subject,
      clientId: client.clientId,
      scopes: grantRequested(requested, client, config.ignoredScopes),
      serviceTrunkGroup: client.serviceTrunkGroup,
      audiences: readAudiences(received.payload),
      tokenId: typeof jti === 'string' ? jti : undefined,
      expiresAt: checkTimes(received.payload, now).expiresAt,
    };
  } catch (error) {
    throw error instanceof AssertionRefusal ? revealed(error) : error;
  }
}

type RequestQuestion = OperationInput<'explainRequest', 'question'>;

type RequestExplanation = OperationResult<'explainRequest'>;

/** What the rule looked at, as it is shown. */
export type RequestFinding = NonNullable<RequestExplanation['finding']>;

function readerOf({ clients }: Pick<ManagementContext, 'clients'>): ClientReader {
  return { findClient: (id, options) => clients.find(id, options) };
}

/**
 * Decides with every client, as platform APIs do. With only the caller's, a broader pattern of the
 * caller would seem to accept what a client of another trunk group decides.
 *
 * @throws {RefusedError} if such a client decides. Nothing of it is shown.
 */
async function decideWithEvery(
  { clients, everyClient = clients, trunkGroups }: ManagementContext,
  decide: (clients: ClientReader) => Promise<VerifiedCredential>,
): Promise<VerifiedCredential> {
  const read = new Map<string, Client>();
  let last: Client | undefined;
  const lookup: ClientReader = {
    findClient: async (id, options) => {
      last = await everyClient.find(id, options);
      if (last !== undefined) read.set(id, last);
      return last;
    },
  };
  const decision = decide(lookup);
  const refusal = await findRefusal(decision);
  // A refusal names the client that decides: the token endpoint reads more of them afterwards. Else the
  // last that is found decides, unless it is of an earlier registration.
  const decides = read.get(refusal?.facts.clientId ?? '') ?? last;
  const isOther =
    decides !== undefined && trunkGroups?.includes(decides.serviceTrunkGroup) === false;
  const isUnknown =
    refusal?.reason === 'client_unknown' && refusal.finding?.serviceTrunkGroup === undefined;
  if (isOther && !isUnknown) {
    throw new RefusedError('a client of another service trunk group decides about the credential');
  }
  return decision;
}

function checkReach({ trunkGroups }: ManagementContext, verified: VerifiedCredential): void {
  if (trunkGroups?.includes(verified.serviceTrunkGroup) ?? true) return;
  throw new RefusedError('the credential belongs to a service trunk group that you cannot access');
}

/** What is found by the issuer that a token names; undefined also if that is no text. */
async function findNamed<T>(
  { payload: { iss } }: ReceivedToken,
  find: (issuer: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  return typeof iss === 'string' ? find(iss) : undefined;
}

/** Keys that were given can be older than the provider's own. */
async function findKeyHint(
  { identityProviders }: ManagementContext,
  credential: string,
): Promise<string | undefined> {
  const provider = await findNamed(readToken(credential, undefined), (issuer) =>
    identityProviders.findIdentityProvider(issuer),
  );
  if (provider === undefined || !hasGivenKeys(provider)) return undefined;
  const keys = await identityProviders.findGivenKeys(provider.issuer);
  return `its keys were given in a file: ${describeGivenKeys(versionOf(keys, provider))}`;
}

/** What the rule looked at, unless it would reveal a trunk group that the caller cannot access. */
async function describeFinding(
  context: ManagementContext,
  { reason, finding }: BearerRefusal,
  credential: string,
): Promise<RequestFinding | undefined> {
  if (finding === undefined) return undefined;
  const { serviceTrunkGroup: group, ...shown } = finding;
  if (group !== undefined && context.trunkGroups?.includes(group) === false) return undefined;
  if (shown.name === 'stops') {
    const texts = describeStops(shown.received as Stops, context.nameActor);
    return { ...shown, received: texts.join('; ') };
  }
  if (reason === 'token_key_unknown') {
    return { ...shown, hint: await findKeyHint(context, credential) };
  }
  if (reason !== 'issuer_unknown' || typeof shown.received !== 'string') return shown;
  return { ...shown, hint: await findIssuerHint(context, shown.received) };
}

/** Own keys come from the table, as the JWKS does; a provider's from where it publishes them. */
function createKeyFinder(context: ManagementContext, issuer: string): KeyFinder {
  const { clock, providerKeys, signingKeys } = context;
  const fetchJwks = async () => {
    const keys = await signingKeys.listSigningKeys();
    const published = keys.filter((key) => isPublished(key, currentTime(context)));
    return { keys: published.map((key) => key.publicJwk) };
  };
  const own = new JwksCache({ fetchJwks, clock, random: () => 0 });
  return {
    findKey: (source, kid, options) =>
      (source.issuer === issuer ? own : providerKeys).findKey(source, kid, options),
    findLeftOut: (source, kid) => providerKeys.findLeftOut(source, kid),
  };
}

/**
 * Whether a token says that it is of a client that the caller can reach. A provider that is closed to
 * the caller is question for its keys only then: otherwise a fetch would tell that it is registered.
 */
async function namesOwnClient(context: ManagementContext, credential: string): Promise<boolean> {
  const received = readToken(credential, undefined);
  const provider = await findNamed(received, (issuer) =>
    context.identityProviders.findRegistration(issuer),
  );
  if (provider === undefined) return false;
  const { id } = readNamedClient(received.payload, provider.clientIdClaim);
  if (id === undefined) return false;
  const found = getProviderClient(readerOf(context), provider, id, {});
  return (await findRefusal(found)) === undefined;
}

/** Whether an assertion says that a client of this service signed it. Its signature may be any. */
function namesItself(assertion: string): boolean {
  try {
    return isOfClient(readToken(assertion, undefined));
  } catch {
    return false;
  }
}

/** Of an assertion that only by its own word is of a client: one out of reach does not exist. */
async function decideInReach(
  context: ManagementContext,
  { assertion, credential }: RequestQuestion,
  decide: (clients: ClientReader) => Promise<VerifiedCredential>,
): Promise<VerifiedCredential> {
  const isByItsWord = assertion !== undefined && namesItself(credential);
  return isByItsWord ? decide(readerOf(context)) : decideWithEvery(context, decide);
}

async function findRefusal(decision: Promise<unknown>): Promise<BearerRefusal | undefined> {
  try {
    await decision;
    return undefined;
  } catch (error) {
    if (error instanceof BearerRefusal) return error;
    throw error;
  }
}

/** Whether a decision is about a client or an API key of the caller's trunk groups. */
async function isAboutOwn(
  { trunkGroups = [] }: ManagementContext,
  decision: Promise<VerifiedCredential>,
): Promise<boolean> {
  try {
    return trunkGroups.includes((await decision).serviceTrunkGroup);
  } catch (error) {
    // What only says that the provider exists: its keys cannot be fetched, for example.
    if (error instanceof UnavailableError) return false;
    if (!(error instanceof BearerRefusal)) throw error;
    const { serviceTrunkGroup = '' } = error.finding ?? {};
    return trunkGroups.includes(serviceTrunkGroup);
  }
}

/** The rule that refuses, and what it looked at. */
async function describeRefusal(
  context: ManagementContext,
  refusal: BearerRefusal,
  { assertion, credential }: RequestQuestion,
) {
  const { reason } = refusal;
  const { rule, remedy } = (assertion && assertionWords[reason]) ?? refusalForms[reason];
  const finding = await describeFinding(context, refusal, credential);
  return { reason, rule, remedy: withoutLinks(remedy), finding };
}

/** What the caller sees: of an API, or of the token endpoint. */
function seenOf(refusal: BearerRefusal, { assertion: form }: RequestQuestion) {
  if (form === undefined) return refusal;
  if (refusal.cause instanceof OAuthError) return refusal.cause;
  return new OAuthError(new AssertionRefusal(refusal.reason, form));
}

/** @throws {InputError} if neither the deployment config nor the input has it. */
function readIssuer({ config }: ManagementContext, question: RequestQuestion): string {
  const issuer = config.issuer ?? question.issuer;
  if (issuer !== undefined) return issuer;
  throw new InputError(
    'received nothing; allowed: the issuer of the deployment, because its config has none',
    { field: 'issuer', label: 'issuer' },
  );
}

async function explainRefusal(
  context: ManagementContext,
  refusal: BearerRefusal,
  question: RequestQuestion,
): Promise<RequestExplanation> {
  const { status, code, description } = seenOf(refusal, question);
  return {
    accepted: false,
    ...(await describeRefusal(context, refusal, question)),
    facts: refusal.facts,
    status,
    error: code,
    errorDescription: description,
  };
}

/**
 * Runs the verifier on a credential, and reports its decision and the rule that refuses it.
 *
 * @throws {RefusedError} if the credential belongs to a trunk group that the caller cannot access, or
 *   a client of such a group decides about it.
 * @throws {UnavailableError} if the verifier cannot decide.
 */
export async function explainRequest(
  context: ManagementContext,
  question: RequestQuestion,
): Promise<RequestExplanation> {
  const { config, identityProviders } = context;
  const apiKeys: ApiKeyReader = { findApiKey: (id, options) => context.apiKeys.find(id, options) };
  const { accessTokenType, defaultAudience } = config;
  const issuer = readIssuer(context, question);
  const { assertion: form, audience = defaultAudience, scopes, clientId } = question;
  const now = currentTime(context);
  const jwks = createKeyFinder(context, issuer);
  const decideWith = (identityProviders: IdentityProviderReader, revocation?: RevocationCheck) =>
    decideInReach(context, question, (every) =>
      form !== undefined
        ? decideAssertion(
            { form, assertion: question.credential, scopes, clientId },
            { clients: every, identityProviders, jwks },
            { config, issuer, now },
          )
        : verifyBearer(
            {
              authorization: [`Bearer ${question.credential}`],
              sourceAddress: question.sourceAddress,
              requiredScopes: scopes ?? [],
              now,
            },
            { apiKeys, clients: every, identityProviders, revocation, jwks, proofs: 'assumed' },
            { issuer, jwksUri: issuer, audiences: [audience], defaultAudience, accessTokenType },
          ),
    );
  const registrations: IdentityProviderReader = {
    findIdentityProvider: (iss) => identityProviders.findRegistration(iss),
  };
  const decide = async (revocation?: RevocationCheck) => {
    try {
      return await decideWith(identityProviders, revocation);
    } catch (error) {
      const isClosed = error instanceof BearerRefusal && error.reason === 'issuer_unknown';
      if (!isClosed || context.trunkGroups === undefined) throw error;
      if (!(await namesOwnClient(context, question.credential))) throw error;
      // A client of the caller stays when its provider is closed to the trunk group.
      const decision = decideWith(registrations, revocation);
      if (await isAboutOwn(context, decision)) return decision;
      throw error;
    }
  };
  try {
    const verified = await decide();
    checkReach(context, verified);
    if (form !== undefined) return { accepted: true, verified };
    const refusal = await findRefusal(
      decide({ clients: readerOf(context), onLookupFailure: 'refuse' }),
    );
    const refusedWithLookup = refusal && (await describeRefusal(context, refusal, question));
    return { accepted: true, verified, refusedWithLookup };
  } catch (error) {
    if (!(error instanceof BearerRefusal)) throw error;
    return explainRefusal(context, error, question);
  }
}
