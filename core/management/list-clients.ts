import { clientsFilter } from '../../contract/management/inputs.ts';
import type { Client, ClientSecret } from '../client/client.ts';
import type { ClientsQuery } from '../client/client-store.ts';
import { expiresWithin, findSecretConcern, isUnusedFor } from '../client/secret-attention.ts';
import { collect } from '../collect.ts';
import { isId } from '../credential/credential-value.ts';
import { hasApplicationRule } from '../identity-provider/application-rule.ts';
import type { StorePage } from '../paging.ts';
import { lastTime } from '../rfc3339.ts';
import { byNameThen } from './by-name.ts';
import { parseIssuer } from './input-fields.ts';
import {
  type Given,
  isOwnedItem,
  type OwnedItemsFilter,
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
  /** Seconds for which a secret of the client was not used. */
  readonly unusedFor?: number | undefined;
  /** Whether a secret of the client needs attention: see `findSecretConcern`. */
  readonly needsAttention?: boolean | undefined;
  /**
   * Whether the client is under a provider and has no rule that refuses tokens which the provider
   * issued for people: see `hasApplicationRule`.
   */
  readonly allowsUserTokens?: boolean | undefined;
}

type Holds = (client: Client) => boolean;

function readSeconds(field: string, value: unknown): number | undefined {
  return optional(value, (seconds) => readInteger(field, seconds, 0, lastTime));
}

/** Filters on a client's secrets. One secret must meet all of them. */
function readConditions(given: Given<keyof ClientsFilter>, now: number): readonly Holds[] {
  const soon = readSeconds('expiresWithin', given.expiresWithin);
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

/** The filter on tokens of people, which depends on how each provider is registered. */
async function readUserTokens(context: ManagementContext, value: unknown): Promise<Holds[]> {
  const wanted = optional(value, (given) => readBoolean('allowsUserTokens', given));
  if (wanted === undefined) return [];
  const registered = await collect(context.identityProviders.listRegistrations());
  const providers = new Map(registered.map((provider) => [provider.issuer, provider]));
  return [
    ({ provider: at }) => {
      const provider = at && providers.get(at.issuer);
      const allows = provider !== undefined && !hasApplicationRule(provider, at?.conditions);
      return allows === wanted;
    },
  ];
}

/** A full id is no text to search for: one read finds its client. */
async function findById(
  { clients }: ManagementContext,
  clientId: string,
  query: ClientsQuery,
): Promise<StorePage<Client>> {
  const client = await clients.findClient(clientId);
  const isWanted =
    client !== undefined &&
    isOwnedItem(client, query) &&
    (query.issuer === undefined || client.provider?.issuer === query.issuer) &&
    query.matches?.(client) !== false;
  return { items: isWanted ? [client] : [], examined: 1 };
}

/**
 * One page of clients. A text that is a full id of a client or of a secret finds that client in one
 * page.
 *
 * @throws {InputError} for a filter that is not allowed.
 */
export async function listClients(
  context: ManagementContext,
  filter: ClientsFilter = {},
): Promise<Page<Client>> {
  const given = readFields('filter', filter, clientsFilter.fields);
  const conditions = [
    ...readConditions(given, currentTime(context)),
    ...(await readUserTokens(context, given.allowsUserTokens)),
  ];
  const query = {
    ...readOwnedItemsFilter(given),
    issuer: optional(given.provider, (value) => parseIssuer(value, 'provider')),
    matches:
      conditions.length === 0
        ? undefined
        : (client: Client) => conditions.every((holds) => holds(client)),
  };
  const { text = '' } = query;
  const page = isId('client', text)
    ? await findById(context, text, query)
    : await context.clients.readClients(
        isId('secret', text) ? { ...query, text: undefined, secretId: text } : query,
      );
  return toPage(
    page,
    byNameThen((client) => client.clientId),
  );
}
