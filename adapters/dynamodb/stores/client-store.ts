import { isDeepStrictEqual } from 'node:util';
import { lastUseAttribute, tables } from '../../../contract/tables.ts';
import type { Client, ClientStore } from '../../../core/client/client.ts';
import { itemKeyOf } from '../../../core/client/provider-client-id.ts';
import { ConflictError } from '../../../core/errors.ts';
import type { DynamoDbDocuments } from '../clients/dynamodb-calls.ts';
import {
  type ClientAttributes,
  parseClientItem,
  type SecretAttributes,
  toClient,
  toClientItem,
} from '../items/client-item.ts';
import type { Item } from '../items/item.ts';
import { findOnly, readOwnedPage } from '../pages/owned-page.ts';
import { listOwned, openOwnedStore } from './owned-store.ts';
import { createFind, type StoreOptions } from './read-items.ts';
import {
  type AttributeChange,
  changedMeanwhile,
  having,
  toUpdateExpression,
  toUpdateInput,
  type UpdateExpression,
  writeConditionally,
} from './write-item.ts';

const { partitionKey } = tables.clients;

/** The ids and names of a client's secrets, before the item is parsed. */
function ownTexts({ secrets }: Item): readonly unknown[] {
  return Object.entries(secrets ?? {}).flatMap(([id, secret]: readonly [string, unknown]) => [
    id,
    typeof secret === 'object' && secret !== null && 'name' in secret ? secret.name : undefined,
  ]);
}

async function replaceClient(
  dynamodb: DynamoDbDocuments,
  table: string,
  client: Client,
): Promise<void> {
  const doing = `change client "${client.clientId}"`;
  const next = parseClientItem(toClientItem(client));
  const kind = { table, partitionKey, keyOf: itemKeyOf, parse: parseClientItem };
  const find = createFind(dynamodb, kind, { consistentRead: true });
  const stored = await find(client.clientId);
  if (stored?.version !== client.version - 1) {
    throw new ConflictError(`could not ${doing}: ${changedMeanwhile}`);
  }
  // A change between the read and the write also changes the version. Only the days of last use are
  // exempt, and the update leaves them alone.
  const condition = having('version', stored.version);
  const key = { [partitionKey]: itemKeyOf(client.clientId) };
  const input = toUpdateInput({ table, key, condition }, createClientUpdate(stored, next));
  await writeConditionally({
    doing,
    conflict: changedMeanwhile,
    send: () => dynamodb.update(input),
    wasDone: async () => {
      const now = await find(client.clientId);
      return now !== undefined && isSameClient(now, next);
    },
  });
}

/** Clients in DynamoDB, one item each. */
export function createDynamoDbClientStore(
  dynamodb: DynamoDbDocuments,
  table: string,
  store: StoreOptions = {},
): ClientStore {
  const kind = {
    table,
    partitionKey,
    noun: 'client',
    exists: 'a client of this id exists',
    idOf: ({ clientId }: Client) => clientId,
    keyOf: itemKeyOf,
    parse: (item: Item) => toClient(parseClientItem(item)),
    toItem: toClientItem,
  };
  return {
    ...openOwnedStore(dynamodb, kind, store),
    replace: async (client) => replaceClient(dynamodb, table, client),
    readPage: ({ issuer, secretId, importId, ...query }) => {
      const conditions = [
        ...(issuer === undefined ? [] : [{ path: ['provider', 'issuer'], values: [issuer] }]),
        ...(importId === undefined ? [] : [{ path: ['import_id'], values: [importId] }]),
        ...(secretId === undefined ? [] : [{ path: ['secrets', secretId] }]),
      ];
      const list = listOwned(kind, query, { conditions, textsOf: ownTexts });
      // No index leads from a secret to its client.
      return secretId === undefined
        ? readOwnedPage(dynamodb, list, store)
        : findOnly(dynamodb, list, store);
    },
  };
}

/** The attributes that differ, without a day of last use, which is not management's to write. */
function changesOf<T extends object>(
  path: readonly string[],
  [from, to]: readonly [T, T],
): readonly AttributeChange[] {
  const values = (attributes: T) => new Map<string, unknown>(Object.entries(attributes));
  const [before, after] = [values(from), values(to)];
  return [...new Set([...before.keys(), ...after.keys()])]
    .toSorted()
    .filter(
      (name) => name !== lastUseAttribute && !isDeepStrictEqual(before.get(name), after.get(name)),
    )
    .map((name) => [[...path, name], after.get(name)]);
}

function secretChanges(
  secretId: string,
  from: SecretAttributes | undefined,
  to: SecretAttributes | undefined,
): readonly AttributeChange[] {
  const path = ['secrets', secretId];
  if (from === undefined || to === undefined) return [[path, to]];
  return changesOf(path, [from, to]);
}

/**
 * The update that changes one state of a client into another. It writes only differences, and never
 * `last_used_on` of it or of an existing secret. A use that the token path records at the same time is
 * therefore kept. Recording a use never adds a secret, so a deleted secret stays deleted.
 */
export function createClientUpdate(from: ClientAttributes, to: ClientAttributes): UpdateExpression {
  const [{ secrets: before, ...others }, { secrets: after, ...changed }] = [from, to];
  const secretIds = new Set([...Object.keys(before), ...Object.keys(after)]);
  return toUpdateExpression([
    ...changesOf<object>([], [others, changed]),
    ...[...secretIds].flatMap((id) => secretChanges(id, before[id], after[id])),
  ]);
}

/** Whether two states of a client are equal except for what the token path writes. */
export function isSameClient(a: ClientAttributes, b: ClientAttributes): boolean {
  return createClientUpdate(a, b).UpdateExpression === '';
}
