import {
  assertionFailureThrottle,
  assertionMemory,
  assertionTokens,
} from '../../contract/bounds.ts';
import type { AssertionForm } from '../../contract/management/questions.ts';
import { assertionMetrics } from '../../contract/request-metrics.ts';
import { BoundedMap } from '../bounded-map.ts';
import type { Client, ClientReader } from '../client/client.ts';
import { deriveProviderClientId, patternsOf } from '../client/provider-client-id.ts';
import { UnavailableError } from '../errors.ts';
import type {
  IdentityProvider,
  IdentityProviderReader,
} from '../identity-provider/identity-provider.ts';
import type { PortOptions } from '../port.ts';
import { type Attempt, FailureThrottle } from '../token/failure-throttle.ts';
import type { AuthenticatedRequest } from '../token/federation.ts';
import type { TokenRequest } from '../token/token-parameters.ts';
import type { TokenValues } from '../token/token-values.ts';
import { BearerRefusal, refuseBearer, refuseFor } from '../verifier/bearer-refusal.ts';
import type { KeyFinder } from '../verifier/jwks-cache.ts';
import {
  checkConditions,
  checkProvider,
  getProviderClient,
  refuseUnknown,
} from '../verifier/provider-client.ts';
import { type ReceivedToken, readToken } from '../verifier/received-token.ts';
import { checkStatus } from '../verifier/revocation-check.ts';
import {
  type AssertionSettings,
  readUnverifiedAssertion,
  type UnverifiedAssertion,
  type VerifiedAssertion,
  verifyAssertion,
} from './assertion.ts';
import {
  type AssertionChoices,
  AssertionRefusal,
  type AssertionRequest,
  readAssertionRequest,
} from './assertion-request.ts';
import {
  ClientKeyAuthentication,
  type ClientKeySettings,
  isOfClient,
} from './client-key-authentication.ts';

interface WorkloadSettings extends AssertionSettings, AssertionChoices {
  /** Whether providers that trunk groups registered for themselves take part. */
  readonly ownProviders: boolean;
  /** If clients authenticate with keys of their own. */
  readonly clientKeys?: ClientKeySettings | undefined;
}

export interface WorkloadPorts {
  readonly clients: ClientReader;
  readonly identityProviders: IdentityProviderReader;
  readonly jwks: KeyFinder;
}

type PresentedAssertion = Pick<AssertionRequest, 'form' | 'assertion' | 'clientId'>;

/** An assertion that is accepted, and its client: a provider's, or one that signed it itself. */
interface Decision extends Omit<AuthenticatedRequest, 'parameters'> {
  readonly received: ReceivedToken;
  readonly issuer: string;
  readonly subject: string;
}

interface Remembered<Value> {
  readonly value: Value;
  /** Seconds since the epoch. */
  readonly until: number;
}

/** A clock that was set back must not make a memory longer. */
function recall<Value>(known: Remembered<Value> | undefined, now: number) {
  if (known === undefined || now >= known.until) return undefined;
  return known.until - now <= assertionMemory.seconds ? known : undefined;
}

/** What an instance of the function remembers. Everything is bounded. */
function createMemory() {
  const { entries } = assertionMemory;
  return {
    failures: new FailureThrottle(assertionFailureThrottle),
    /** By issuer; undefined if it is not registered. */
    providers: new BoundedMap<string, Remembered<IdentityProvider | undefined>>(entries),
    /** Subjects without a client. */
    unknown: new BoundedMap<string, Remembered<true>>(entries),
  };
}

function isOver(failures: FailureThrottle, attempt: Attempt, now: number): boolean {
  try {
    failures.assertAllowed(attempt, now);
    return false;
  } catch {
    return true;
  }
}

/** RFC 7521 §4.2: a `client_id` must name the client that the assertion authenticates. */
function checkClientId(
  received: string | undefined,
  { clientId, serviceTrunkGroup }: Client,
  { externalClientId }: VerifiedAssertion,
): void {
  if (received === undefined || [clientId, externalClientId].includes(received)) return;
  const expected = `nothing, ${clientId} or ${externalClientId}`;
  const finding = () => ({ name: 'client_id', received, expected, serviceTrunkGroup });
  throw refuseBearer('client_unknown', finding, { clientId });
}

/**
 * The clients that an assertion may be of, in the order in which they are read. A client that is
 * refused costs as many reads as one that is unknown.
 */
function readsOf({ provider, externalClientId }: VerifiedAssertion): readonly string[] {
  const patterns = provider.clientPatterns === true ? patternsOf(externalClientId) : [];
  return [externalClientId, ...patterns].map((id) => deriveProviderClientId(provider.issuer, id));
}

/**
 * No token is for what assertions name, also if the client's record says so: the record may be
 * older than the setting.
 */
function audiencesOfTokens({ audiences }: Client, settings: AssertionSettings): readonly string[] {
  const { issuer, tokenEndpoints, audience } = settings;
  const allowed = audiences.filter((one) => ![issuer, ...tokenEndpoints, audience].includes(one));
  // No audience would mean the default one.
  if (allowed.length === 0 && audiences.length > 0) {
    const expected = 'the name of an API';
    throw refuseFor('client_unknown', 'audiences', audiences, expected);
  }
  return allowed;
}

/** The token lives at most an hour, and ends soon after the assertion. */
function toDecision(client: Client, assertion: VerifiedAssertion): Decision {
  const tokenLifetime = Math.min(client.tokenLifetime, assertionTokens.longestLife);
  const { received, expiresAt, externalClientId, issuer } = assertion;
  const { kid } = received.header;
  return {
    received,
    issuer,
    subject: externalClientId,
    client: { ...client, tokenLifetime },
    secret: { secretId: typeof kid === 'string' ? kid : '' },
    latestExpiry: expiresAt + assertionTokens.afterExpiry,
  };
}

/** Names of errors are looked at, because the ports may have classes of another bundle. */
function isMalformedRecord(error: unknown): error is Error {
  return error instanceof Error && error.name === 'MalformedRecordError';
}

function toRefusal(error: unknown, form: AssertionForm): unknown {
  if (error instanceof BearerRefusal) {
    return new AssertionRefusal(error.reason, form, { cause: error });
  }
  if (isMalformedRecord(error))
    return new AssertionRefusal('record_malformed', form, { cause: error });
  return error;
}

function refuseIssuer(received: unknown, expected: string): BearerRefusal {
  return refuseFor('issuer_unknown', 'iss', received, expected);
}

/** Decides about assertions of registered providers (RFC 7521 §4, RFC 7523 §3). */
export class WorkloadAuthentication {
  readonly #ports: WorkloadPorts;
  readonly #settings: WorkloadSettings;
  readonly #memory = createMemory();
  readonly #clientKeys: ClientKeyAuthentication | undefined;

  constructor(ports: WorkloadPorts, settings: WorkloadSettings) {
    this.#ports = ports;
    this.#settings = settings;
    const { clientKeys } = settings;
    this.#clientKeys =
      clientKeys && new ClientKeyAuthentication(ports.clients, clientKeys, settings);
  }

  /**
   * Authenticates a client by an assertion, of its provider or signed by itself. Cheap checks run first: `aud`, times,
   * `alg` and size before a record or a key is read. Fills in `values.log`.
   *
   * @throws {AssertionRefusal} and the `OAuthError` of forms if the request is refused.
   * @throws {TooManyFailuresError} for what failed too often.
   * @throws {UnavailableError} if a record cannot be read.
   */
  async authenticate(request: TokenRequest, values: TokenValues): Promise<AuthenticatedRequest> {
    const { scopes, resource, ...presented } = readAssertionRequest(request, this.#settings);
    const { log } = values;
    try {
      return { ...(await this.decide(presented, values)), parameters: { scopes, resource } };
    } catch (error) {
      const refusal = toRefusal(error, presented.form);
      if (refusal instanceof AssertionRefusal) {
        log.counts = [...(log.counts ?? []), assertionMetrics.refused];
      }
      throw refusal;
    }
  }

  /**
   * Finds the client that an assertion authenticates.
   *
   * @throws {BearerRefusal} and what {@link authenticate} throws.
   */
  async decide(presented: PresentedAssertion, values: TokenValues): Promise<Decision> {
    const { log, now } = values;
    const received = readToken(presented.assertion, undefined);
    if (presented.form === 'client_assertion' && isOfClient(received) && this.#clientKeys) {
      const holder = await this.#clientKeys.authenticate(received, presented, values);
      const { clientId } = holder.client;
      return { ...holder, received, issuer: clientId, subject: clientId };
    }
    if (this.#settings.providers === false) {
      throw refuseIssuer(received.payload.iss, 'a client that has a key here');
    }
    const unverified = readUnverifiedAssertion(received, presented.form, this.#settings, now);
    const assertion = await this.#verify(unverified, presented.form, values);
    log.further = {
      assertion_issuer: assertion.issuer,
      assertion_subject: assertion.subject,
      assertion_jti: assertion.tokenId,
    };
    const found = await this.#findClient(assertion, presented, values);
    const client = { ...found, audiences: audiencesOfTokens(found, this.#settings) };
    log.isWorkload = true;
    return toDecision(client, assertion);
  }

  /**
   * From a source that failed too often with an issuer, only what is good is answered, and nothing
   * is read for the rest: runners of one platform share addresses.
   */
  async #verify(
    assertion: UnverifiedAssertion,
    form: AssertionForm,
    { now, source, signal, log }: TokenValues,
  ): Promise<VerifiedAssertion> {
    const { failures } = this.#memory;
    const attempt = { source, clientId: assertion.issuer, clientSecret: '' };
    try {
      const known = isOver(failures, attempt, now)
        ? recall(this.#memory.providers.get(assertion.issuer), now)
        : undefined;
      const provider = await this.#findProvider(assertion.issuer, known, { now, signal });
      return await verifyAssertion(assertion, provider, this.#ports.jwks, { now, signal });
    } catch (error) {
      if (error instanceof UnavailableError && error.constructor === UnavailableError) {
        log.counts = [assertionMetrics.withoutKeys];
        log.further = { assertion_issuer: assertion.issuer };
        failures.assertAllowed(attempt, now);
        failures.record(attempt, now);
        throw new AssertionRefusal('provider_keys_unavailable', form, { cause: error });
      }
      if (!(error instanceof BearerRefusal)) throw error;
      failures.assertAllowed(attempt, now);
      failures.record(attempt, now);
      throw error;
    }
  }

  async #findProvider(
    issuer: string,
    known: Remembered<IdentityProvider | undefined> | undefined,
    { now, signal }: PortOptions & Pick<TokenValues, 'now'>,
  ): Promise<IdentityProvider> {
    const { providers } = this.#memory;
    let value = known?.value;
    if (known === undefined) {
      value = await this.#ports.identityProviders.findIdentityProvider(issuer, { signal });
      providers.set(issuer, { value, until: now + assertionMemory.seconds });
    }
    const isOpen =
      value !== undefined && (this.#settings.ownProviders || value.ownedBy === undefined);
    if (value?.issuer === issuer && isOpen) return checkProvider(value);
    throw refuseIssuer(issuer, 'the issuer of a registered provider, character by character');
  }

  /** Everything that may be wrong with a client has one text and costs the same reads. */
  async #findClient(
    assertion: VerifiedAssertion,
    presented: PresentedAssertion,
    { now, signal, log }: TokenValues,
  ): Promise<Client> {
    const { failures, unknown } = this.#memory;
    const { provider, externalClientId, issuedAt, received } = assertion;
    const subject = `${provider.registrationId} ${externalClientId}`;
    const attempt = { source: '', clientId: subject, clientSecret: presented.assertion };
    failures.assertAllowed(attempt, now);
    let reads = 0;
    const clients: ClientReader = {
      findClient: (id, options) => {
        reads += 1;
        return this.#ports.clients.findClient(id, options);
      },
    };
    const isRemembered = recall(unknown.get(subject), now) !== undefined;
    let found: Client | undefined;
    try {
      if (isRemembered) throw refuseUnknown(provider, externalClientId);
      found = await getProviderClient(clients, provider, externalClientId, { signal });
      log.clientId = found.clientId;
      checkStatus(found, issuedAt, { ...found, issuer: provider.issuer });
      checkConditions(found, received.payload);
      checkClientId(presented.clientId, found, assertion);
      return found;
    } catch (error) {
      if (!(error instanceof BearerRefusal)) throw error;
      failures.record(attempt, now);
      if (found === undefined) {
        // The memory must not become longer when a workload tries again and again.
        if (isRemembered) throw error;
        unknown.set(subject, { value: true, until: now + assertionMemory.seconds });
      } else {
        for (const id of readsOf(assertion).slice(reads)) await clients.findClient(id, { signal });
      }
      throw error;
    }
  }
}
