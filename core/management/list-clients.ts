import type * as v from 'valibot';
import type { clientsFilter } from '../../contract/management/inputs.ts';
import { type Client, type ClientSecret, isDeclared } from '../client/client.ts';
import {
  expiresWithin as doesExpireWithin,
  findSecretConcern,
  isUnusedFor,
} from '../client/secret-attention.ts';
import { isId } from '../credential/credential-value.ts';
import { hasApplicationRule } from '../identity-provider/application-rule.ts';
import { collect } from '../paging.ts';
import { type Page, readOwnedItemsFilter } from './list-query.ts';
import { currentTime, type ManagementContext } from './management-context.ts';
import { ownedClients } from './owned-clients.ts';

/** Filters of a list of clients. A client must meet all of them. */
export type ClientsFilter = v.InferOutput<typeof clientsFilter>;

type Holds = (client: Client) => boolean;

/** Filters on a client's secrets. One secret must meet all of them. */
function readConditions(filter: ClientsFilter, now: number): readonly Holds[] {
  const { expiresWithin: soon, unusedFor: unused, needsAttention } = filter;
  const isWanted = (secret: ClientSecret) =>
    (soon === undefined || doesExpireWithin(secret, soon, now)) &&
    (unused === undefined || isUnusedFor(secret, unused, now));
  const hasConcern: Holds = (client) =>
    client.secrets.some((secret) => findSecretConcern(client, secret, now) !== undefined);
  return [
    ...((soon ?? unused) === undefined ? [] : [(client: Client) => client.secrets.some(isWanted)]),
    ...(needsAttention === undefined
      ? []
      : [(client: Client) => hasConcern(client) === needsAttention]),
  ];
}

/** The filter on tokens of people, which depends on how each provider is registered. */
async function readUserTokens(
  context: ManagementContext,
  userTokens: boolean | undefined,
): Promise<Holds[]> {
  if (userTokens === undefined) return [];
  const registered = await collect(context.identityProviders.listRegistrations());
  const providers = new Map(registered.map((provider) => [provider.issuer, provider]));
  return [
    ({ provider: at }) => {
      const provider = at && providers.get(at.issuer);
      const allows = provider !== undefined && !hasApplicationRule(provider, at?.conditions);
      return allows === userTokens;
    },
  ];
}

function wasUndeclaredBy(time: number): Holds {
  return ({ declared: { undeclaredAt = Number.POSITIVE_INFINITY } = {} }) => undeclaredAt <= time;
}

/**
 * One page of clients. A text that is a full id of a client or of a secret finds that client in one
 * page.
 */
export async function listClients(
  context: ManagementContext,
  filter: ClientsFilter = {},
): Promise<Page<Client>> {
  const query = readOwnedItemsFilter(filter);
  const { provider: issuer, allowsUserTokens, declared, undeclaredFor } = filter;
  const { text = '' } = query;
  const conditions = [
    ...readConditions(filter, currentTime(context)),
    ...(await readUserTokens(context, allowsUserTokens)),
    ...(declared === undefined ? [] : [(client: Client) => isDeclared(client) === declared]),
    ...(undeclaredFor === undefined ? [] : [wasUndeclaredBy(currentTime(context) - undeclaredFor)]),
    // By its id, a client is found regardless of its provider.
    ...(isId('client', text) && issuer !== undefined
      ? [({ provider }: Client) => provider?.issuer === issuer]
      : []),
  ];
  return ownedClients.list(context, {
    ...query,
    ...(isId('secret', text) && { text: undefined, secretId: text }),
    issuer,
    matches:
      conditions.length === 0
        ? undefined
        : (client: Client) => conditions.every((holds) => holds(client)),
  });
}
