import { newClient } from '../../contract/management/inputs.ts';
import type { ClaimCondition } from '../client/claim-condition.ts';
import type { Client, ClientProvider } from '../client/client.ts';
import { deriveProviderClientId } from '../client/provider-client-id.ts';
import { seconds } from '../clock.ts';
import { ConflictError, IdempotencyKeyReusedError, RefusedError } from '../errors.ts';
import type { IdentityProvider } from '../identity-provider/identity-provider.ts';
import { firstVersion, isFirstVersion } from '../record-version.ts';
import { addApplicationRule } from './application-rule.ts';
import { makeAuditedChange } from './audited-change.ts';
import { parseClaimConditions } from './claim-conditions.ts';
import { viewClient } from './client-view.ts';
import { idForCreation, keysWithin, parseIdempotencyKey } from './idempotency.ts';
import {
  parseAudiences,
  parseExternalClientId,
  parseName,
  parseScopes,
  parseTokenLifetime,
} from './input-fields.ts';
import {
  awsTimeOf,
  clockAllowance,
  currentTime,
  type ManagementContext,
} from './management-context.ts';
import { checkProviderOpen } from './provider-ownership.ts';
import { optional, readBoolean, readFields, refuseInput } from './read-input.ts';
import { findRegisteredIssuer } from './registered-issuer.ts';
import { checkTokenSize } from './token-size.ts';
import { parseOwnTrunkGroup } from './trunk-group-limit.ts';

/** What a person gives. Fields that are left out take the deployment's defaults. */
export interface NewClient {
  readonly name: string;
  readonly serviceTrunkGroup: string;
  readonly scopes: readonly string[];
  readonly audiences?: readonly string[] | undefined;
  /** Seconds. */
  readonly tokenLifetime?: number | undefined;
  /** Issuer of the registered provider that the client is under. Needs `externalClientId`. */
  readonly provider?: string | undefined;
  /** The client's id there; a pattern if the provider was registered with patterns. */
  readonly externalClientId?: string | undefined;
  /** What else a token of the provider must say. Needs `provider`. */
  readonly requiredClaims?: readonly ClaimCondition[] | undefined;
  /**
   * Creates it without the rule that refuses tokens of people, see `findApplicationRule`. Left out:
   * if the provider's platform is known and no required claim is such a rule, the rule is added.
   */
  readonly allowUserTokens?: boolean | undefined;
  readonly idempotencyKey?: string | undefined;
}

type GivenClient = Readonly<Record<keyof NewClient, unknown>>;

export interface CreatedClient {
  readonly client: Client;
  /** Whether an earlier call with the same idempotency key had made it. */
  readonly existed: boolean;
}

/** What a new client is under, and with the rule that refuses tokens of people. */
interface WantedProvider {
  readonly registered: IdentityProvider;
  readonly given: ClientProvider;
  /** @throws {InputError} if the rule has a value that a person has to look up. */
  readonly withRule: () => ClientProvider;
}

async function findProvider(
  context: ManagementContext,
  input: GivenClient,
): Promise<WantedProvider | undefined> {
  const { provider, externalClientId, requiredClaims } = input;
  const allowsUsers = optional(input.allowUserTokens, (value) =>
    readBoolean('allowUserTokens', value),
  );
  const isUnder = (provider ?? externalClientId ?? requiredClaims ?? allowsUsers) !== undefined;
  if (!isUnder) return undefined;
  if (provider === undefined) {
    return refuseInput('provider', undefined, 'the issuer of a registered provider');
  }
  if (externalClientId === undefined) {
    return refuseInput('externalClientId', undefined, "the client's id at the provider");
  }
  const registered = await findRegisteredIssuer(context, provider, 'provider');
  const conditions = optional(requiredClaims, parseClaimConditions) ?? [];
  const given = {
    issuer: registered.issuer,
    registrationId: registered.registrationId,
    externalClientId: parseExternalClientId(externalClientId, registered),
    conditions: conditions.length === 0 ? undefined : conditions,
  };
  const withRule = () =>
    allowsUsers === true ? given : addApplicationRule(given, registered.clientIdClaim);
  return { registered, given, withRule };
}

function buildClient(
  context: ManagementContext,
  input: GivenClient,
  provider: ClientProvider | undefined,
): Client {
  const now = currentTime(context);
  const { idempotencyKey } = input;
  parseIdempotencyKey(idempotencyKey);
  const name = parseName(input.name);
  const serviceTrunkGroup = parseOwnTrunkGroup(context, input.serviceTrunkGroup);
  const clientId =
    provider === undefined
      ? idForCreation(context, 'client', idempotencyKey, keysWithin(context, serviceTrunkGroup))
      : deriveProviderClientId(provider.issuer, provider.externalClientId);
  return {
    clientId,
    name,
    serviceTrunkGroup,
    audiences: optional(input.audiences, (value) => parseAudiences(value, provider)) ?? [],
    tokenLifetime: parseTokenLifetime(context.config, input.tokenLifetime),
    scopes: parseScopes(context.config, input.scopes),
    enabled: true,
    secrets: [],
    provider,
    version: firstVersion(context.drawBytes),
    createdAt: now,
    updatedAt: now,
  };
}

/** Whether the id follows from what is given, so that a client with this id may exist or have existed. */
function hasDerivedId({ idempotencyKey }: GivenClient, { provider }: Client): boolean {
  return idempotencyKey !== undefined || provider !== undefined;
}

/**
 * The old tokens of a client that was deleted do not become valid again when its id does. The mark
 * is never later than the creation (`hadTokensRevoked`), nor than the first token of the new client
 * by a clock that is `clockAllowance` behind AWS's time.
 */
function withoutOldTokens(context: ManagementContext, input: GivenClient, client: Client): Client {
  if (!hasDerivedId(input, client)) return client;
  const createdAt = seconds(awsTimeOf(context).earliest);
  const tokensNotBefore = createdAt - clockAllowance;
  return { ...client, createdAt, updatedAt: createdAt, tokensNotBefore };
}

function isSameRequest(stored: Client, wanted: Client): boolean {
  const key = (client: Client) =>
    JSON.stringify([
      client.name,
      client.serviceTrunkGroup,
      client.audiences,
      client.tokenLifetime,
      client.scopes,
      client.provider?.registrationId,
      client.provider?.conditions,
    ]);
  // When a client has been changed, its record no longer shows the values that it was created with.
  return !isFirstVersion(stored.version) || key(stored) === key(wanted);
}

function refuseExisting(stored: Client, wanted: Client): never {
  if (wanted.provider === undefined) {
    throw new IdempotencyKeyReusedError(
      'this idempotency key was used to create a client with other values; use a new one',
    );
  }
  const isOrphan = stored.provider?.registrationId !== wanted.provider.registrationId;
  throw new RefusedError(
    `the provider's client ${JSON.stringify(wanted.provider.externalClientId)} exists already: ${stored.clientId}` +
      (isOrphan ? ', left by an earlier registration of the provider; delete it first' : ''),
  );
}

async function findEarlier(
  context: ManagementContext,
  input: GivenClient,
  wanted: Client,
  under: WantedProvider | undefined,
): Promise<Client | undefined> {
  if (!hasDerivedId(input, wanted)) return undefined;
  const stored = await context.clients.findClient(wanted.clientId);
  if (stored === undefined) return undefined;
  // One that was created before there were rules has the given claims only.
  const isSame = () =>
    isSameRequest(stored, wanted) ||
    (under !== undefined && isSameRequest(stored, { ...wanted, provider: under.withRule() }));
  if (input.idempotencyKey === undefined || !isSame()) refuseExisting(stored, wanted);
  return stored;
}

/**
 * Creates a client without secrets. A client under a registered provider gets an id of this
 * service, keeps its id there, and never authenticates at the token endpoint.
 *
 * @throws {InputError} for a field that is not allowed.
 * @throws {RefusedError} if the provider is not registered, or has this client already.
 */
export async function createClient(
  context: ManagementContext,
  input: NewClient,
): Promise<CreatedClient> {
  const given: GivenClient = readFields('client', input, newClient.fields);
  const under = await findProvider(context, given);
  const asGiven = buildClient(context, given, under?.given);
  if (under !== undefined) {
    await checkProviderOpen(context, under.registered, asGiven.serviceTrunkGroup);
  }
  checkTokenSize(asGiven, context.config);
  const earlier = await findEarlier(context, given, asGiven, under);
  if (earlier !== undefined) return { client: earlier, existed: true };
  const wanted = { ...asGiven, provider: under?.withRule() };
  const client = withoutOldTokens(context, given, wanted);
  const after = viewClient(client, context.config);
  try {
    await makeAuditedChange(
      context,
      { action: 'client.create', subject: client.clientId, after },
      () => context.clients.createClient(client),
    );
  } catch (error) {
    // Another call created it between the look-up and the write: compare again.
    const raced =
      error instanceof ConflictError
        ? await findEarlier(context, given, asGiven, under)
        : undefined;
    if (raced === undefined) throw error;
    return { client: raced, existed: true };
  }
  return { client, existed: false };
}
