import { hash } from 'node:crypto';
import * as v from 'valibot';
import { isJsonObject, type JsonObject } from '../../contract/json-object.ts';
import { checkInput, exactly, list, secretText, Wrong } from '../../contract/management/fields.ts';
import { type NewClient, newClient, plainClientFields } from '../../contract/management/inputs.ts';
import * as rule from '../../contract/management/rules.ts';
import { type Client, type ClientDeclaration, describeDeclaration } from '../client/client.ts';
import { readGivenKey } from '../client/client-key.ts';
import { ConflictError, NotFoundError, RefusedError, UnavailableError } from '../errors.ts';
import { createClientSecret, deleteClientSecret } from './client-secrets.ts';
import { findClient, removeClient, writeClient } from './clients.ts';
import { createPrepared, prepareClient } from './create-client.ts';
import { currentTime, type ManagementContext, type StackResource } from './management-context.ts';
import { problemsOf, refuseProblems } from './read-input.ts';
import { factsOf } from './requests/read-call.ts';
import { toManagementError } from './requests/wire-errors.ts';

/** What CloudFormation asks for a resource of a stack. */
type StackContext = ManagementContext & { readonly stack: StackResource };

const resourceSchema = exactly(
  {
    client: newClient,
    /** All keys of the client. Left out: those that people give it. */
    publicKeys: v.optional(list(secretText('a public key: a JWK, or PEM'))),
    /** A client that exists and becomes the resource. It stays in the template. */
    adoptClientId: v.optional(rule.id('client')),
  },
  ({ client, publicKeys }) =>
    publicKeys === undefined || (client as NewClient).provider === undefined
      ? []
      : [['publicKeys', new Wrong({ message: 'no keys next to a provider', input: undefined })]],
);

/** What one stack has in common with the one that has its name after it was deleted. */
const nameOf = (stackId: string) => stackId.split('/').slice(0, 2).join('/');

function readResource(context: StackContext, properties: unknown) {
  const { ServiceToken: _, ServiceTimeout: _timeout, ...own } = properties as JsonObject;
  const { publicKeys, adoptClientId, tokenLifetime: life, ...client } = own;
  // CloudFormation makes texts of numbers.
  const tokenLifetime = typeof life === 'string' && /^\d{1,9}$/.test(life) ? Number(life) : life;
  const text = `${nameOf(context.stack.stackId)}\n${context.stack.logicalId}`;
  const idempotencyKey = hash('sha256', text, 'base64url');
  const { output, issues } = checkInput(
    resourceSchema,
    { client: { ...client, tokenLifetime, idempotencyKey }, publicKeys, adoptClientId },
    factsOf(context),
  );
  refuseProblems(problemsOf(issues));
  return output;
}

/** Events of a resource that are remembered. CloudFormation sends one after another. */
const maxEvents = 5;

/**
 * Also of a deleted stack of the same name, whose events may still come.
 *
 * @throws {RefusedError} if a later event of the resource was answered already.
 */
function checkOrder({ stack: { requestId } }: StackContext, { declared }: Client): void {
  const events = declared?.events ?? [];
  if (!events.includes(requestId) || events.at(-1) === requestId) return;
  throw new RefusedError('this event was answered, and a later one after it');
}

/** The declaration after an event. */
function declarationAfter({ stack }: StackContext, before?: ClientDeclaration): ClientDeclaration {
  const { requestId, stackId, logicalId } = stack;
  const earlier = before?.events.filter((one) => one !== requestId) ?? [];
  return { stackId, logicalId, events: [...earlier, requestId].slice(-maxEvents) };
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
  if (declared === undefined) {
    if (adopts) return;
    throw new RefusedError(
      `${clientId} exists already, and no stack declares it; adoptClientId: ${clientId} makes it this resource`,
    );
  }
  const isSame =
    declared.logicalId === stack.logicalId && nameOf(declared.stackId) === nameOf(stack.stackId);
  const isFree = declared.undeclaredAt !== undefined || declared.stackId === stack.stackId;
  if (isSame || (adopts && isFree)) return;
  throw new RefusedError(
    `${clientId} is declared by ${describeDeclaration(declared)}; remove it there, then adoptClientId: ${clientId} makes it this resource`,
  );
}

async function changeClient(context: StackContext, stored: Client, next: Client): Promise<void> {
  const { declared: before } = stored;
  const declared = declarationAfter(context, before);
  const isUndeclared = before?.undeclaredAt !== undefined;
  // The answer to this event was lost.
  if (!isUndeclared && before?.events.at(-1) === context.stack.requestId) return;
  const { name, scopes, audiences, provider } = next;
  const plain = Object.fromEntries(plainClientFields.map((field) => [field, next[field]]));
  // What a person disabled stays disabled.
  const enabled = stored.enabled || (isUndeclared && before.stopped !== true);
  const changes = { name, scopes, audiences, provider, ...plain, enabled, declared };
  await writeClient(context, stored, 'client.update', changes);
}

/** @param former what the resource had before. In a rollback, what may have been refused. */
function hadKey(former: unknown, key: string): boolean {
  const { publicKeys } = isJsonObject(former) ? former : {};
  return [publicKeys].flat().some((text) => {
    try {
      return readGivenKey(String(text)).publicKey === key;
    } catch {
      return false;
    }
  });
}

const byKey = (publicKeys: readonly string[]) =>
  new Map(publicKeys.map((text) => [readGivenKey(text).publicKey, text]));

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
  const known = new Set(before.map((secret) => secret.publicKey));
  try {
    for (const [key, publicKey] of byKey(publicKeys)) {
      if (!known.has(key)) await createClientSecret(context, clientId, { publicKey });
    }
    await change();
  } catch (error) {
    // The event is tried again, and finds the keys.
    if (error instanceof UnavailableError || error instanceof ConflictError) throw error;
    for (const { secretId, publicKey } of (await findClient(context, clientId)).secrets) {
      if (publicKey === undefined || known.has(publicKey)) continue;
      await deleteClientSecret(context, clientId, secretId);
    }
    throw error;
  }
}

/** A key that a person disabled goes an update later: a rollback would bring it back enabled. */
async function removeKeys(
  context: StackContext,
  clientId: string,
  publicKeys: readonly string[] | undefined,
  former: unknown,
): Promise<void> {
  if (publicKeys === undefined) return;
  const declared = byKey(publicKeys);
  const { secrets } = await findClient(context, clientId);
  for (const { secretId, publicKey: key, disabled } of secrets) {
    if (key === undefined || declared.has(key) || (disabled && hadKey(former, key))) continue;
    await deleteClientSecret(context, clientId, secretId);
  }
}

/**
 * Makes the client of a resource what its properties say. An event that comes again changes nothing.
 *
 * @param former the properties before an update.
 * @returns its id. It follows from the stack and the properties, so a rollback ends where it began.
 */
export async function declareClient(
  context: StackContext,
  properties: unknown,
  former?: unknown,
): Promise<string> {
  const { client: input, publicKeys, adoptClientId: adopted } = readResource(context, properties);
  const prepared = await prepareClient(context, input);
  const { provider, asGiven } = prepared;
  const next = { ...asGiven, provider: provider?.withRule() };
  const clientId = adopted ?? next.clientId;
  const stored = await context.clients.find(clientId);
  if (stored !== undefined) {
    checkOwner(context, stored, next, adopted !== undefined);
    checkOrder(context, stored);
    const change = async () => changeClient(context, await findClient(context, clientId), next);
    await addKeys(context, stored, publicKeys, change);
    await removeKeys(context, clientId, publicKeys, former);
    return clientId;
  }
  if (adopted !== undefined) throw new NotFoundError('client', adopted);
  const { client, existed } = await createPrepared(context, input, prepared);
  if (existed) throw new ConflictError(`${clientId} was created in the meantime`);
  try {
    await addKeys(context, client, publicKeys);
  } catch (error) {
    // CloudFormation does not know its id yet, and would leave it behind.
    await removeClient(context, await findClient(context, clientId));
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
  const clientId = physicalId?.startsWith('client_')
    ? physicalId
    : await findDeclaredId(context, properties);
  const stored = clientId === undefined ? undefined : await context.clients.find(clientId);
  const { stackId, logicalId, requestId } = context.stack;
  const { declared } = stored ?? {};
  if (stored === undefined || declared?.stackId !== stackId) return;
  if (declared.logicalId !== logicalId || declared.events.includes(requestId)) return;
  const undeclared = {
    ...declarationAfter(context, declared),
    undeclaredAt: declared.undeclaredAt ?? currentTime(context),
    ...(!stored.enabled && { stopped: true as const }),
  };
  await writeClient(context, stored, 'client.disable', { enabled: false, declared: undeclared });
}
