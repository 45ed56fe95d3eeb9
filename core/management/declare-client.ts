import { hash } from 'node:crypto';
import * as v from 'valibot';
import { maxKeysPerClient, maxStackEvents } from '../../contract/bounds.ts';
import { isClientId } from '../../contract/client-id.ts';
import { isJsonObject, type JsonObject } from '../../contract/json-object.ts';
import { clientFieldKind } from '../../contract/management/field-words.ts';
import {
  checkInput,
  exactly,
  findUnknown,
  givenList,
  secretText,
  Wrong,
} from '../../contract/management/fields.ts';
import { type NewClient, newClient } from '../../contract/management/inputs.ts';
import * as rule from '../../contract/management/rules.ts';
import {
  type Client,
  type ClientDeclaration,
  describeDeclaration,
  isDeclared,
} from '../client/client.ts';
import { readGivenKey } from '../client/client-key.ts';
import { ConflictError, NotFoundError, RefusedError, UnavailableError } from '../errors.ts';
import { withoutStop, withStop } from '../stops.ts';
import { formatTime } from '../time.ts';
import { readTyped } from '../typed-text.ts';
import {
  createClientSecret,
  deleteClientSecret,
  disableClientSecret,
  enableClientSecret,
} from './client-secrets.ts';
import { getClient, removeClient, writeClient } from './clients.ts';
import { createPrepared, prepareClient } from './create-client.ts';
import { repeatStop } from './if-version.ts';
import { plainFields } from './input-fields.ts';
import {
  currentTime,
  type ManagementContext,
  newStop,
  type StackResource,
} from './management-context.ts';
import { problemsOf, refuseInput, refuseProblems } from './read-input.ts';
import { factsOf } from './requests/read-call.ts';
import { toManagementError } from './requests/wire-errors.ts';

/** What CloudFormation asks for a resource of a stack. */
type StackContext = ManagementContext & { readonly stack: StackResource };

const resourceSchema = exactly(
  {
    client: newClient,
    /** All keys of the client. Left out: those that people give it. */
    publicKeys: v.optional(
      // Before any is parsed: each costs CPU.
      givenList(secretText('a public key: a JWK, or PEM'), undefined, maxKeysPerClient),
    ),
    /** A client that exists and becomes the resource. It stays in the template. */
    adoptClientId: v.optional(rule.clientId),
  },
  ({ client, publicKeys }) =>
    publicKeys === undefined || (client as NewClient).provider === undefined
      ? []
      : [['publicKeys', new Wrong({ message: 'no keys next to a provider', input: undefined })]],
);

/** What one stack has in common with the one that has its name after it was deleted. */
const nameOf = (stackId: string) => stackId.split('/').slice(0, 2).join('/');

/** Seconds. Lambda repeats an event that failed twice, within three minutes. */
const leastServiceTimeout = 600;

/** What a template may say of a client. The idempotency key follows from the stack. */
const properties = [
  ...newClient.fields.filter((name) => name !== 'idempotencyKey'),
  'publicKeys',
  'adoptClientId',
];

/** @throws {InputError} for a property that there is not. */
function checkNames(own: JsonObject): void {
  refuseProblems(
    findUnknown(own, properties).map(([field, allowed]) => ({
      field,
      label: field,
      problem: `unknown property; allowed: ${allowed}`,
    })),
  );
}

/** CloudFormation makes texts of numbers and booleans: what they are follows from the kind of a field. */
function fromTexts(own: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(own).map(([name, value]) => [
      name,
      typeof value === 'string' ? readTyped(clientFieldKind(name), value) : value,
    ]),
  );
}

function readResource(context: StackContext, received: unknown) {
  if (!isJsonObject(received)) {
    throw new RefusedError('ResourceProperties: allowed: the properties of a client');
  }
  const { ServiceToken: _, ServiceTimeout: timeout = leastServiceTimeout, ...own } = received;
  const isTimeout = ['string', 'number'].includes(typeof timeout);
  if (!(isTimeout && Number(timeout) >= leastServiceTimeout)) {
    const allowed = `${leastServiceTimeout} seconds or more, in which an event is sent again`;
    refuseInput('ServiceTimeout', timeout, allowed, 'ServiceTimeout');
  }
  checkNames(own);
  const { publicKeys, adoptClientId, ...client } = fromTexts(own);
  const text = `${nameOf(context.stack.stackId)}\n${context.stack.logicalId}`;
  const idempotencyKey = hash('sha256', text, 'base64url');
  const { output, issues } = checkInput(
    resourceSchema,
    { client: { ...client, idempotencyKey }, publicKeys, adoptClientId },
    factsOf(context),
  );
  refuseProblems(problemsOf(issues).map((one) => ({ ...one, label: one.field ?? '' })));
  return output;
}

/** Seconds for which the events of a resource are remembered. */
const eventMemory = 1800;

const idsOf = (declared: ClientDeclaration | undefined) =>
  (declared?.events ?? []).map(({ id }) => id);

/**
 * Also of a deleted stack of the same name, whose events may still come.
 *
 * @throws {RefusedError} if a later event of the resource was answered already, or more of them than
 *   can be remembered.
 */
function checkOrder(context: StackContext, { declared }: Client): void {
  const ids = idsOf(declared);
  const { requestId } = context.stack;
  if (ids.includes(requestId)) {
    if (ids.at(-1) === requestId) return;
    throw new RefusedError('this event was answered, and a later one after it');
  }
  if (recentEvents(context, declared).length < maxStackEvents) return;
  throw new RefusedError(
    `the resource had ${maxStackEvents} events in half an hour, the most that are allowed: wait`,
  );
}

function recentEvents(context: StackContext, declared: ClientDeclaration | undefined) {
  const { requestId } = context.stack;
  const since = currentTime(context) - eventMemory;
  return (declared?.events ?? []).filter(({ id, at }) => id !== requestId && at >= since);
}

/** The declaration after an event. A stop always has room: the oldest event is forgotten. */
function declarationAfter(context: StackContext, before?: ClientDeclaration): ClientDeclaration {
  const { requestId, stackId, logicalId } = context.stack;
  const event = { id: requestId, at: currentTime(context) };
  const events = [...recentEvents(context, before), event].slice(-maxStackEvents);
  return { stackId, logicalId, events };
}

/** @throws {RefusedError} if the client belongs to another stack or to people, or has another identity. */
function checkOwner({ stack }: StackContext, stored: Client, next: Client, adopts: boolean): void {
  const { clientId, declared } = stored;
  const identityOf = ({ serviceTrunkGroup, provider }: Client) =>
    [serviceTrunkGroup, provider?.issuer, provider?.externalClientId].join(' ').trim();
  if (identityOf(stored) !== identityOf(next)) {
    throw new RefusedError(
      `adopt_client_id: received ${clientId} of ${identityOf(stored)}; allowed: a client of ${identityOf(next)}`,
    );
  }
  const { undeclaredAt, takenOverAt } = declared ?? {};
  const isSame =
    declared?.logicalId === stack.logicalId && nameOf(declared.stackId) === nameOf(stack.stackId);
  if (isSame && takenOverAt !== undefined && undeclaredAt === undefined) {
    throw new RefusedError(
      `${clientId} was taken over from this resource at ${formatTime(takenOverAt)}; a resource with another logical ID can adopt it (adoptClientId: ${clientId})`,
    );
  }
  if (declared === undefined || takenOverAt !== undefined) {
    if (adopts) return;
    throw new RefusedError(
      `${clientId} exists already, and no stack declares it; adoptClientId: ${clientId} makes it this resource`,
    );
  }
  const isFree = undeclaredAt !== undefined || declared.stackId === stack.stackId;
  if (isSame || (adopts && isFree)) return;
  throw new RefusedError(
    `${clientId} is declared by ${describeDeclaration(declared)}; take it over first (authctl client update ${clientId} --take-over), and it works on; adoptClientId: ${clientId} then makes it this resource`,
  );
}

async function changeClient(context: StackContext, stored: Client, next: Client): Promise<void> {
  const { declared: before, stops } = stored;
  // The answer to this event was lost.
  if (isDeclared(stored) && idsOf(before).at(-1) === context.stack.requestId) return;
  const { name, scopes, audiences, provider } = next;
  const declared = declarationAfter(context, before);
  const plain = plainFields(context.config, { ...next });
  const changes = { name, scopes, audiences, provider, ...plain, declared };
  const enabled = { stops: withoutStop(stops, 'stack') };
  await writeClient(context, stored, 'client.update', { ...changes, ...enabled });
}

const byKey = (publicKeys: readonly string[]) =>
  new Map(
    publicKeys.map((text) => {
      const { publicKey, alg } = readGivenKey(text);
      return [publicKey, { text, alg }] as const;
    }),
  );

/**
 * Adds the keys that the client does not have, then changes it. If either is refused, the client is as
 * it was: the stack that adopts it may fail, and people go on using it.
 */
async function addKeys(
  context: StackContext,
  { clientId, secrets: before }: Client,
  publicKeys: readonly string[] = [],
  change: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  const known = new Map(before.map((secret) => [secret.publicKey, secret]));
  const declaredKeys = byKey(publicKeys);
  try {
    for (const [key, { text, alg }] of declaredKeys) {
      const same = known.get(key);
      if (same === undefined) await createClientSecret(context, clientId, { publicKey: text });
      else if (same.alg !== alg) {
        throw new RefusedError(
          `publicKeys: ${same.secretId} is this key for ${same.alg}, not ${alg}; declare another key`,
        );
      }
    }
    await change();
  } catch (error) {
    const { secrets, declared } = await getClient(context, clientId);
    // The change was made, and its answer lost: the event is tried again.
    if (idsOf(declared).at(-1) === context.stack.requestId) throw error;
    // Before another attempt, which could not tell them from those that people gave it.
    for (const { secretId, publicKey = '' } of secrets) {
      if (known.has(publicKey) || !declaredKeys.has(publicKey)) continue;
      await repeatStop({}, () => deleteClientSecret(context, clientId, secretId));
    }
    throw error;
  }
}

/**
 * Deletes the keys that the resource does not have. One that a person stopped is stopped instead, also
 * by the stack: if it is declared again, it stays stopped.
 */
async function removeKeys(
  context: StackContext,
  clientId: string,
  publicKeys: readonly string[] | undefined,
): Promise<void> {
  if (publicKeys === undefined) return;
  const declared = byKey(publicKeys);
  const { secrets } = await getClient(context, clientId);
  for (const { secretId, publicKey: key, stops } of secrets) {
    if (key === undefined) continue;
    if (declared.has(key)) {
      if (stops?.stack !== undefined) await enableClientSecret(context, clientId, secretId);
    } else if (stops?.person === undefined) await deleteClientSecret(context, clientId, secretId);
    else await disableClientSecret(context, clientId, secretId);
  }
}

/**
 * Makes the client of a resource what its properties say. An event that comes again changes nothing. In
 * a trunk group that is stopped, one that gives nothing more succeeds, as a rollback may.
 *
 * @returns its id. It follows from the stack and the properties, so a rollback ends where it began.
 */
export async function declareClient(context: StackContext, properties: unknown): Promise<string> {
  const { client: input, publicKeys, adoptClientId: adopted } = readResource(context, properties);
  const prepared = await prepareClient(context, input);
  const { provider, asGiven } = prepared;
  const next = { ...asGiven, provider: provider?.withRule() };
  const clientId = adopted ?? next.clientId;
  const stored = await context.clients.find(clientId);
  if (stored !== undefined) {
    checkOwner(context, stored, next, adopted !== undefined);
    checkOrder(context, stored);
    const change = async () => changeClient(context, await getClient(context, clientId), next);
    await addKeys(context, stored, publicKeys, change);
    await removeKeys(context, clientId, publicKeys);
    return clientId;
  }
  if (adopted !== undefined) throw new NotFoundError('client', adopted);
  const { client, existed } = await createPrepared(context, input, prepared);
  if (existed) throw new ConflictError(`${clientId} was created in the meantime`);
  try {
    await addKeys(context, client, publicKeys);
  } catch (error) {
    // CloudFormation does not know its id yet, and would leave it behind.
    await removeClient(context, await getClient(context, clientId));
    throw error;
  }
  return clientId;
}

/** The id of a client whose creation was not answered; undefined if it could not be created. */
async function findDeclaredId(context: StackContext, properties: unknown) {
  try {
    const { client, adoptClientId } = readResource(context, properties);
    return adoptClientId ?? (await prepareClient(context, client)).asGiven.clientId;
  } catch (error) {
    if (toManagementError(error) === undefined || error instanceof UnavailableError) throw error;
    return undefined;
  }
}

/**
 * Disables the client of a resource that was deleted. What the stack does not own stays as it is.
 *
 * @param physicalId by which the stack knows the resource.
 */
export async function undeclareClient(
  context: StackContext,
  physicalId: string | undefined,
  properties: unknown,
): Promise<void> {
  const { stackId, logicalId, requestId } = context.stack;
  const find = async (id = '') => (isClientId(id) ? context.clients.find(id) : undefined);
  const known = await find(physicalId);
  // CloudFormation makes an id of its own for what it got no answer about.
  const stored =
    known?.declared?.stackId === stackId
      ? known
      : await find(await findDeclaredId(context, properties));
  const { declared } = stored ?? {};
  if (stored === undefined || declared?.stackId !== stackId) return;
  if (declared.logicalId !== logicalId || idsOf(declared).includes(requestId)) return;
  const { takenOverAt, undeclaredAt = currentTime(context) } = declared;
  const undeclared = { ...declarationAfter(context, declared), undeclaredAt, takenOverAt };
  // What people took over goes on.
  const stops =
    takenOverAt === undefined
      ? withStop(stored.stops, 'stack', await newStop(context))
      : stored.stops;
  const action = stops === stored.stops ? 'client.update' : 'client.disable';
  await writeClient(context, stored, action, { stops, declared: undeclared });
}
