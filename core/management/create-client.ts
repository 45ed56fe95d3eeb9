import { secondsPerDay } from '../../contract/bounds.ts';
import type { NewClient } from '../../contract/management/inputs.ts';
import type { OperationInput } from '../../contract/management/operations.ts';
import type { Client, ClientProvider, ClientSecret } from '../client/client.ts';
import { deriveProviderClientId } from '../client/provider-client-id.ts';
import { hashSecret } from '../credential/credential-value.ts';
import { IdempotencyKeyReusedError, RefusedError } from '../errors.ts';
import { hasOwner, type IdentityProvider } from '../identity-provider/identity-provider.ts';
import { isSame, isSameOtherwise } from '../narrowing/narrow.ts';
import { firstVersion, isFirstVersion } from '../record-version.ts';
import { describeStops, isEnabled } from '../stops.ts';
import { seconds } from '../time.ts';
import { requireEveryTrunkGroup } from './caller-reach.ts';
import { addImportedSecret } from './client-secrets.ts';
import { ownedClients } from './clients.ts';
import { requireSubjectGrant } from './grants/require-grant.ts';
import { createOnce, idForCreation, keysWithin } from './idempotency.ts';
import {
  checkNoAssertions,
  checkPattern,
  plainFields,
  scopesInOrder,
  withDistinctValues,
} from './input-fields.ts';
import {
  awsTimeOf,
  clockAllowance,
  currentTime,
  type ManagementContext,
  newId,
} from './management-context.ts';
import { addApplicationRule } from './providers/add-application-rule.ts';
import { checkProviderOpen } from './providers/provider-ownership.ts';
import { getRegisteredIssuer } from './providers/registered-issuer.ts';
import { checkTokenSize } from './token-size.ts';
import { requireRunning } from './trunk-group-limits/require-running.ts';

interface CreatedClient {
  readonly client: Client;
  /** Whether an earlier call with the same idempotency key had made it. */
  readonly existed: boolean;
}

/** What a new client is under, and with the rule that refuses tokens of people. */
interface WantedProvider {
  readonly registered: IdentityProvider;
  readonly withoutRule: ClientProvider;
  /** @throws {InputError} if the rule has a value that a person has to look up. */
  readonly withRule: () => ClientProvider;
  /**
   * What another call may change at any moment, for a second look: the grant, and whose the provider
   * is. `setProviderTrunkGroups` looks at clients in the same way. What was created before its grant
   * was withdrawn goes on.
   *
   * @throws {InputError} if the id is no longer granted, or the provider has left the trunk group.
   */
  readonly checkAllowed: () => Promise<void>;
}

async function findProvider(
  context: ManagementContext,
  input: NewClient,
): Promise<WantedProvider | undefined> {
  const { provider, externalClientId, requiredClaims = [], allowUserTokens } = input;
  if (provider === undefined || externalClientId === undefined) return undefined;
  const { serviceTrunkGroup, allowOtherGrant = false } = input;
  const registered = await getRegisteredIssuer(context, provider);
  const subject = externalClientId;
  const identity = { provider: registered, serviceTrunkGroup, subject, allowOtherGrant };
  await requireSubjectGrant(context, identity);
  checkPattern(externalClientId, registered);
  const conditions = withDistinctValues(requiredClaims);
  const withoutRule = {
    issuer: registered.issuer,
    registrationId: registered.registrationId,
    externalClientId,
    conditions: conditions.length === 0 ? undefined : conditions,
  };
  const withRule = () =>
    allowUserTokens === true
      ? withoutRule
      : addApplicationRule(withoutRule, registered.clientIdClaim);
  const checkAllowed = async () => {
    if (context.trunkGroups !== undefined) await requireSubjectGrant(context, identity);
    if (hasOwner(registered)) await checkProviderOpen(context, registered, serviceTrunkGroup);
  };
  return { registered, withoutRule, withRule, checkAllowed };
}

function buildClient(
  context: ManagementContext,
  input: NewClient,
  provider: ClientProvider | undefined,
): Client {
  const now = currentTime(context);
  const { name, serviceTrunkGroup, audiences = [], idempotencyKey } = input;
  const { stack, config } = context;
  const clientId =
    provider === undefined
      ? idForCreation(context, 'client', idempotencyKey, keysWithin(context, serviceTrunkGroup))
      : deriveProviderClientId(provider.issuer, provider.externalClientId);
  return {
    ...plainFields(config, input),
    clientId,
    name,
    serviceTrunkGroup,
    audiences: [...new Set(audiences)],
    scopes: scopesInOrder(config, input.scopes),
    secrets: [],
    provider,
    ...(stack && {
      declared: {
        stackId: stack.stackId,
        logicalId: stack.logicalId,
        events: [{ id: stack.requestId, at: now }],
      },
    }),
    version: firstVersion(context.drawBytes),
    createdAt: now,
    updatedAt: now,
  };
}

/** Whether the id follows from what is given, so that a client with this id may exist or have existed. */
function hasDerivedId({ idempotencyKey }: NewClient, { provider }: Client): boolean {
  return idempotencyKey !== undefined || provider !== undefined;
}

/**
 * The old tokens of a client that was deleted do not become valid again when its id does. The mark
 * is never later than the creation (`hadTokensRevoked`), nor than the first token of the new client
 * by a clock that is `clockAllowance` behind AWS's time.
 */
function withoutOldTokens(context: ManagementContext, client: Client): Client {
  const createdAt = seconds(awsTimeOf(context).earliest);
  const tokensNotBefore = createdAt - clockAllowance;
  return { ...client, createdAt, updatedAt: createdAt, tokensNotBefore };
}

/** What a creation does not take from its input, and the provider, which is compared by itself. */
const isMade = [
  'clientId',
  'stops',
  'importId',
  'secrets',
  'tokensNotBefore',
  'version',
  'createdAt',
  'updatedAt',
  'provider',
] as const;

function isSameRequest(stored: Client, requested: Client): boolean {
  const key = ({ provider }: Client) => [provider?.registrationId, provider?.conditions];
  // When a client has been changed, its record no longer shows the values that it was created with.
  if (!isFirstVersion(stored.version)) return true;
  return isSameOtherwise(stored, requested, isMade) && isSame(key(stored), key(requested));
}

function refuseExisting(stored: Client, requested: Client): never {
  if (requested.provider === undefined) {
    throw new IdempotencyKeyReusedError(
      'this idempotency key was used to create a client with other values; use a new one',
    );
  }
  const isOrphan = stored.provider?.registrationId !== requested.provider.registrationId;
  throw new RefusedError(
    `the provider's client ${JSON.stringify(requested.provider.externalClientId)} exists already: ${stored.clientId}` +
      (isOrphan ? ', left by an earlier registration of the provider; delete it first' : ''),
  );
}

async function findEarlier(
  context: ManagementContext,
  input: NewClient,
  requested: Client,
  provider: WantedProvider | undefined,
): Promise<Client | undefined> {
  if (!hasDerivedId(input, requested)) return undefined;
  const stored = await context.clients.find(requested.clientId);
  if (stored === undefined) return undefined;
  // One that was created before there were rules has the given claims only.
  const isSame = () =>
    isSameRequest(stored, requested) ||
    (provider !== undefined &&
      isSameRequest(stored, { ...requested, provider: provider.withRule() }));
  if (input.idempotencyKey === undefined || !isSame()) refuseExisting(stored, requested);
  return stored;
}

/** What a creation makes, with every check that needs no look at what exists. */
export async function prepareClient(context: ManagementContext, input: NewClient) {
  const provider = await findProvider(context, input);
  const asGiven = buildClient(context, input, provider?.withoutRule);
  if (provider !== undefined) {
    await checkProviderOpen(context, provider.registered, asGiven.serviceTrunkGroup);
  }
  checkNoAssertions(context.config, asGiven.audiences);
  checkTokenSize(asGiven, context.config);
  return { provider, asGiven };
}

/**
 * A client under a registered provider gets an id of this service, keeps its id there, and never
 * authenticates at the token endpoint.
 */
export async function createClient(
  context: ManagementContext,
  input: NewClient,
): Promise<CreatedClient> {
  return createPrepared(context, input, await prepareClient(context, input));
}

/** @param prepared what {@link prepareClient} made of the same input. */
export function createPrepared(
  context: ManagementContext,
  input: NewClient,
  { provider, asGiven }: Awaited<ReturnType<typeof prepareClient>>,
): Promise<CreatedClient> {
  return createOnce<CreatedClient>(
    async () => {
      const earlier = await findEarlier(context, input, asGiven, provider);
      return earlier && { client: earlier, existed: true };
    },
    async () => {
      const complete = { ...asGiven, provider: provider?.withRule() };
      const mayHaveTokens = hasDerivedId(input, complete);
      const client = mayHaveTokens ? withoutOldTokens(context, complete) : complete;
      if (provider !== undefined && !isEnabled(provider.registered)) {
        const texts = describeStops(provider.registered.stops, context.nameActor);
        throw new RefusedError(`the provider ${input.provider} is ${texts.join('; ')}`);
      }
      await ownedClients.create(context, client, provider?.checkAllowed);
      return { client, existed: false };
    },
  );
}

/** Its secrets of before: no other provider gives a client more than two. */
function importedSecrets(context: ManagementContext, values: readonly string[], expiresAt: number) {
  return [...new Set(values)].map((value, index) => ({
    secretId: newId(context, 'secret'),
    hash: hashSecret(value),
    name: index === 0 ? 'Imported' : 'Imported, second',
    createdAt: currentTime(context),
    expiresAt,
    imported: true as const,
  }));
}

/**
 * Creates a client with its id and its secret of before. No customer may take the id of another's
 * client first, so a restricted caller imports none.
 */
export async function importClient(
  context: ManagementContext,
  input: OperationInput<'importClient', 'client'>,
): Promise<CreatedClient> {
  requireEveryTrunkGroup(context, 'An import');
  const { config, clients } = context;
  if (config.clientImport === undefined) {
    throw new RefusedError('no client can be imported: the config has no clientImport');
  }
  const { clientId, secret, secondSecret, expiresAt, importId, checkOnly, ...fields } = input;
  const latest = currentTime(context) + config.clientImport.maxLifetimeDays * secondsPerDay;
  const values = [secret, secondSecret ?? secret];
  const secrets = importedSecrets(context, values, Math.min(expiresAt ?? latest, latest));
  const { asGiven } = await prepareClient(context, fields);
  const built = { ...asGiven, clientId, importId, secrets };
  const findEarlier = async () => {
    const stored = await clients.find(clientId);
    if (stored === undefined) return undefined;
    const isStored = ({ hash }: ClientSecret) =>
      stored.secrets.some((one) => one.imported && one.hash === hash);
    const missing = secrets.filter((one) => !isStored(one));
    const [second] = missing;
    const isSame = isSameRequest(stored, built);
    if (isSame && second === undefined) return { client: stored, existed: true };
    // The first secret shows that it is the same client. What was deleted since does not come back.
    const isAsImported = isFirstVersion(stored.version) && missing.length < secrets.length;
    if (isSame && second !== undefined && second === secrets[1] && isAsImported) {
      await requireRunning(context, [stored.serviceTrunkGroup]);
      const client = checkOnly ? stored : await addImportedSecret(context, stored, second);
      return { client, existed: false };
    }
    throw new RefusedError(
      `the client ${JSON.stringify(clientId)} was imported before, with another secret or other values`,
    );
  };
  return createOnce<CreatedClient>(findEarlier, async () => {
    const client = withoutOldTokens(context, built);
    if (checkOnly === true) await requireRunning(context, [client.serviceTrunkGroup]);
    else await ownedClients.create(context, client);
    return { client, existed: false };
  });
}
