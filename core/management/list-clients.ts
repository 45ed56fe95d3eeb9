import type { Client, ClientSecret } from '../client/client.ts';
import { expiresWithin, findSecretConcern, isUnusedFor } from '../client/secret-attention.ts';
import { byNameThen } from './by-name.ts';
import { lastTime, parseIssuer } from './input-fields.ts';
import {
  type Given,
  type OwnedItemsFilter,
  ownedItemsFields,
  type Page,
  readOwnedItemsFilter,
  toPage,
} from './list-query.ts';
import { currentTime, type ManagementContext } from './management-context.ts';
import { optional, readBoolean, readFields, readInteger } from './read-input.ts';

/** Filters of a list of clients. A client must meet all of them. */
export interface ClientsFilter extends OwnedItemsFilter {
  /** Issuer of the registered provider that the clients are under. */
  readonly provider?: string | undefined;
  /** Seconds within which a secret of the client expires. */
  readonly expiresWithin?: number | undefined;
  /** @deprecated The former name of `expiresWithin`. */
  readonly endsWithin?: number | undefined;
  /** Seconds for which a secret of the client was not used. */
  readonly unusedFor?: number | undefined;
  /** Whether a secret of the client needs attention: see `findSecretConcern`. */
  readonly needsAttention?: boolean | undefined;
}

const fields = [
  ...ownedItemsFields,
  'provider',
  'expiresWithin',
  'endsWithin',
  'unusedFor',
  'needsAttention',
] as const;

type Holds = (client: Client) => boolean;

function readSeconds(field: string, value: unknown): number | undefined {
  return optional(value, (seconds) => readInteger(field, seconds, 0, lastTime));
}

/** Filters on a client's secrets. One secret must meet all of them. */
function readConditions(given: Given<(typeof fields)[number]>, now: number): readonly Holds[] {
  const soon =
    readSeconds('expiresWithin', given.expiresWithin) ??
    readSeconds('endsWithin', given.endsWithin);
  const unused = readSeconds('unusedFor', given.unusedFor);
  const wanted = optional(given.needsAttention, (value) => readBoolean('needsAttention', value));
  const isWanted = (secret: ClientSecret) =>
    (soon === undefined || expiresWithin(secret, soon, now)) &&
    (unused === undefined || isUnusedFor(secret, unused, now));
  const hasConcern: Holds = (client) =>
    client.secrets.some((secret) => findSecretConcern(client, secret, now) !== undefined);
  return [
    ...((soon ?? unused) === undefined ? [] : [(client: Client) => client.secrets.some(isWanted)]),
    ...(wanted === undefined ? [] : [(client: Client) => hasConcern(client) === wanted]),
  ];
}

/**
 * One page of clients.
 *
 * @throws {InputError} for a filter that is not allowed.
 */
export async function listClients(
  context: ManagementContext,
  filter: ClientsFilter = {},
): Promise<Page<Client>> {
  const given = readFields('filter', filter, fields);
  const conditions = readConditions(given, currentTime(context));
  const page = await context.clients.readClients({
    ...readOwnedItemsFilter(given),
    issuer: optional(given.provider, (value) => parseIssuer(value, 'provider')),
    matches:
      conditions.length === 0 ? undefined : (client) => conditions.every((holds) => holds(client)),
  });
  return toPage(
    page,
    byNameThen((client) => client.clientId),
  );
}
