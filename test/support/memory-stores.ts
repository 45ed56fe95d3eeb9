import { isDeepStrictEqual } from 'node:util';
import type { RegionId } from '../../contract/regions.ts';
import type { ApiKey, ApiKeyStore } from '../../core/api-key/api-key.ts';
import {
  type AuditHistoryReader,
  type AuditLog,
  type AuditPageReader,
  type AuditRecord,
  filedUnder,
} from '../../core/audit/audit-log.ts';
import type { PersonName, PersonNameStore } from '../../core/audit/person-name.ts';
import type { Client, ClientStore } from '../../core/client/client.ts';
import { ConflictError } from '../../core/errors.ts';

import {
  type GrantKind,
  type GrantList,
  withoutGrants,
} from '../../core/identity-provider/grant.ts';
import type {
  GivenKeys,
  IdentityProvider,
  IdentityProviderStore,
  ProviderOwner,
} from '../../core/identity-provider/identity-provider.ts';
import { refuseInput } from '../../core/management/read-input.ts';
import type { OwnedItemsQuery, StorePage } from '../../core/paging.ts';
import type { RecordStore } from '../../core/record-store.ts';
import { isEnabled } from '../../core/stops.ts';
import { type TrunkGroupLimits, withoutLimits } from '../../core/trunk-group/trunk-group-limits.ts';

interface VersionedTable<T> {
  find(id: string): Promise<T | undefined>;
  create(item: T): Promise<void>;
  replace(item: T): Promise<void>;
  remove(id: string, version: number): Promise<void>;
  list(): AsyncIterable<T>;
}

/** A table in memory with the conditions of the real one: no one's change is overwritten. */
function versionedTable<T extends { readonly version: number }>(
  items: Map<string, T>,
  idOf: (item: T) => string,
): VersionedTable<T> {
  const check = (id: string, version: number): void => {
    if (items.get(id)?.version !== version) throw new ConflictError(`${id} changed meanwhile`);
  };
  return {
    find: async (id) => structuredClone(items.get(id)),
    create: async (item) => {
      if (items.has(idOf(item))) throw new ConflictError(`${idOf(item)} exists`);
      items.set(idOf(item), structuredClone(item));
    },
    replace: async (item) => {
      check(idOf(item), item.version - 1);
      items.set(idOf(item), structuredClone(item));
    },
    remove: async (id, version) => {
      check(id, version);
      items.delete(id);
    },
    list: async function* list() {
      for (const item of items.values()) yield structuredClone(item);
    },
  };
}

interface Owned {
  readonly name: string;
  readonly serviceTrunkGroup: string;
  readonly stops?: Client['stops'];
  readonly secrets?: Client['secrets'];
}

/** What a text is searched in. */
function textsOf(id: string, item: Owned): readonly (string | undefined)[] {
  const secrets = item.secrets ?? [];
  return [id, item.name, ...secrets.flatMap(({ secretId, name }) => [secretId, name])];
}

type Position = readonly string[];

/** A list of trunk groups is in the order of groups and names, another one in that of ids. */
function positionOf([id, item]: readonly [string, Owned], isByGroup: boolean): Position {
  return isByGroup ? [item.serviceTrunkGroup, item.name, id] : [id];
}

function parsePosition(text: string, isByGroup: boolean): Position {
  if (!isByGroup) return [text];
  try {
    const position: unknown = JSON.parse(text);
    if (Array.isArray(position) && position.length === 3) return position.map(String);
  } catch {
    // Refused below.
  }
  return refuseInput('cursor', text, 'the nextCursor of a page');
}

function comparePositions(a: Position, b: Position): number {
  const index = a.findIndex((part, at) => part !== b[at]);
  if (index < 0) return 0;
  return (a[index] ?? '') < (b[index] ?? '') ? -1 : 1;
}

/** Looks at no more items than a page may have, as a table does that is read once. */
function readPage<T extends Owned>(
  items: ReadonlyMap<string, T>,
  query: OwnedItemsQuery & { readonly matches?: ((item: T) => boolean) | undefined },
  isWanted: (item: T) => boolean = () => true,
): StorePage<T> {
  const { after, trunkGroups } = query;
  const isByGroup = trunkGroups !== undefined;
  const start = after === undefined ? undefined : parsePosition(after, isByGroup);
  const sorted = [...items]
    .filter(([, item]) => trunkGroups?.includes(item.serviceTrunkGroup) !== false)
    .map((entry) => ({ entry, position: positionOf(entry, isByGroup) }))
    .filter(({ position }) => start === undefined || comparePositions(position, start) > 0)
    .toSorted((a, b) => comparePositions(a.position, b.position));
  const examined = sorted.slice(0, query.limit);
  const text = query.text?.toLowerCase() ?? '';
  const found = examined.filter(
    ({ entry: [id, item] }) =>
      (query.enabled ?? isEnabled(item)) === isEnabled(item) &&
      textsOf(id, item).join('\n').toLowerCase().includes(text) &&
      isWanted(item) &&
      (query.matches?.(item) ?? true),
  );
  const last = examined.at(-1)?.position ?? [];
  const hasMore = sorted.length > examined.length;
  return {
    items: found.map(({ entry: [, item] }) => structuredClone(item)),
    examined: examined.length,
    next: hasMore ? (isByGroup ? JSON.stringify(last) : last[0]) : undefined,
    isOrdered: isByGroup,
  };
}

export function createMemoryClientStore(items = new Map<string, Client>()): ClientStore {
  const table = versionedTable(items, (client) => client.clientId);
  return {
    find: (id) => table.find(id),
    create: (client) => table.create(client),
    replace: (client) => table.replace(client),
    delete: (id, version) => table.remove(id, version),
    readPage: async (query) =>
      readPage(
        items,
        query,
        ({ provider, secrets, importId }) =>
          (query.importId ?? importId) === importId &&
          (query.issuer ?? provider?.issuer) === provider?.issuer &&
          (query.secretId === undefined ||
            secrets.some(({ secretId }) => secretId === query.secretId)),
      ),
    count: async (group, most) => countOwned(items, group, most),
    list: () => table.list(),
  };
}

function countOwned(items: ReadonlyMap<string, Owned>, group: string, most: number): number {
  const own = [...items.values()].filter(({ serviceTrunkGroup }) => serviceTrunkGroup === group);
  return Math.min(own.length, most);
}

export function createMemoryApiKeyStore(items = new Map<string, ApiKey>()): ApiKeyStore {
  const table = versionedTable(items, (key) => key.keyId);
  return {
    find: (id) => table.find(id),
    create: (key) => table.create(key),
    replace: (key) => table.replace(key),
    delete: (id, version) => table.remove(id, version),
    readPage: async (query) => readPage(items, query),
    count: async (group, most) => countOwned(items, group, most),
    list: () => table.list(),
  };
}

export function createMemoryIdentityProviderStore(
  items = new Map<string, IdentityProvider>(),
): IdentityProviderStore {
  async function* list() {
    for (const provider of items.values()) yield structuredClone(provider);
  }
  const keys = new Map<string, GivenKeys>();
  return {
    findIdentityProvider: async (issuer) => structuredClone(items.get(issuer)),
    findRegistration: async (issuer) => structuredClone(items.get(issuer)),
    findGivenKeys: async (issuer) => keys.get(issuer),
    putGivenKeys: async (next) => {
      const { version = 0 } = keys.get(next.issuer) ?? {};
      if (next.version !== version + 1) throw new ConflictError('they were replaced');
      keys.set(next.issuer, next);
    },
    createIdentityProvider: async (provider) => {
      if (items.has(provider.issuer)) throw new ConflictError(`${provider.issuer} is registered`);
      items.set(provider.issuer, structuredClone(provider));
    },
    replaceIdentityProvider: async (provider, before) => {
      const { issuer, registrationId } = provider;
      const stored = items.get(issuer);
      const isSame = isDeepStrictEqual(stored?.stops, before.stops);
      if (stored?.registrationId !== registrationId || !isSame) {
        throw new ConflictError(`${issuer} was deleted and registered again`);
      }
      items.set(issuer, structuredClone(provider));
    },
    deleteIdentityProvider: async (issuer, registrationId) => {
      if (items.get(issuer)?.registrationId !== registrationId) {
        throw new ConflictError(`${issuer} was deleted and registered again`);
      }
      items.delete(issuer);
    },
    listIdentityProviders: list,
    listRegistrations: list,
  };
}

/** Records by key; `keyOf` finds the key of an id. */
function createMemoryRecords<T extends { readonly version: number }>(
  items: Map<string, T>,
  idOf: (record: T) => string,
  keyOf = (id: string) => id,
): RecordStore<T> {
  const find = (id: string) => structuredClone(items.get(keyOf(id)));
  return {
    find: async (id) => find(id),
    findEach: async (ids) =>
      new Map(
        ids.flatMap((id) => {
          const record = find(id);
          return record === undefined ? [] : [[id, record] as const];
        }),
      ),
    readPage: async ({ limit, after = '' }) => {
      const ids = [...items.values()]
        .map(idOf)
        .filter((id) => id > after && items.has(keyOf(id)))
        .toSorted();
      const page = [...new Set(ids)].slice(0, limit);
      return {
        items: page.flatMap((id) => find(id) ?? []),
        examined: page.length,
        next: ids.length > limit ? page.at(-1) : undefined,
      };
    },
    put: async (record) => {
      const key = keyOf(idOf(record));
      if ((items.get(key)?.version ?? 0) !== record.version - 1) {
        throw new ConflictError(`${key} changed meanwhile`);
      }
      items.set(key, structuredClone(record));
    },
  };
}

function createMemoryGrants(
  items: Map<string, GrantList>,
  kind: GrantKind,
): RecordStore<GrantList, never> {
  const store = createMemoryRecords(
    items,
    ({ place }) => place,
    (place) => `${kind} ${place}`,
  );
  return {
    ...store,
    find: async (place) => (await store.find(place)) ?? withoutGrants(kind, place),
  };
}

/** What the staff allows trunk groups. Grants are by kind and place. */
export function createMemorySettings({
  owners = new Map<string, ProviderOwner>(),
  grants = new Map<string, GrantList>(),
  limits = new Map<string, TrunkGroupLimits>(),
}) {
  const ofGroups = createMemoryRecords(limits, ({ serviceTrunkGroup }) => serviceTrunkGroup);
  return {
    providerOwners: createMemoryRecords(owners, ({ registrationId }) => registrationId),
    subjectGrants: createMemoryGrants(grants, 'subject'),
    issuerGrants: createMemoryGrants(grants, 'issuer'),
    trunkGroupLimits: {
      ...ofGroups,
      find: async (group: string) => (await ofGroups.find(group)) ?? withoutLimits(group),
    },
  };
}

export function createMemoryAuditLog(records: AuditRecord[] = []): AuditLog & AuditPageReader {
  const keyOf = ({ time, recordId }: AuditRecord) => `${time}#${recordId}`;
  return {
    appendAudit: async (record) => {
      records.push(structuredClone(record));
    },
    readAudit: async ({ day, limit, after, trunkGroups }) => {
      const rest = records
        .filter((record) => record.time.startsWith(day))
        .filter((record) => trunkGroups?.includes(filedUnder(record) ?? '') !== false)
        .filter((record) => after === undefined || keyOf(record) < after)
        .toSorted((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1));
      const items = rest.slice(0, limit);
      const last = items.at(-1);
      const next = rest.length > limit && last !== undefined ? keyOf(last) : undefined;
      return { items, examined: items.length, next };
    },
  };
}

/** @param audits records of each region; a region whose records are an error does not answer. */
export function createMemoryAuditHistory(
  audits: Readonly<Partial<Record<RegionId, readonly AuditRecord[] | Error>>>,
): AuditHistoryReader {
  const isAbout = ({ subject, before, after }: AuditRecord, id: string) =>
    [subject, before?.['client_id'], after?.['client_id']].includes(id);
  return {
    regions: Object.keys(audits) as RegionId[],
    readHistory: async (region, day, id) => {
      const records = audits[region] ?? [];
      if (records instanceof Error) throw records;
      return records
        .filter(({ time }) => time.startsWith(day))
        .filter((one) => isAbout(one, id))
        .toReversed();
    },
  };
}

/** Names of people by subject; undefined is an erased one. */
export function createMemoryPersonNames(
  people: Map<string, PersonName | undefined> = new Map(),
): PersonNameStore {
  return {
    findPersonNames: async (subjects) =>
      new Map(
        subjects.flatMap((subject) => {
          const found = people.get(subject);
          return found === undefined ? [] : [[subject, found]];
        }),
      ),
    recordPersonName: async (person) => {
      const isErased = people.has(person.subject) && people.get(person.subject) === undefined;
      if (!isErased) people.set(person.subject, person);
    },
    erasePersonName: async (subject) => {
      people.set(subject, undefined);
    },
  };
}
