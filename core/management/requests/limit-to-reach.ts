import type { PortalReach, Reach } from '../../../contract/operations-config.ts';
import type { Client, ClientSecret } from '../../client/client.ts';
import { RefusedError } from '../../errors.ts';
import { currentTime, type ManagementContext } from '../management-context.ts';
import { refuseInput } from '../read-input.ts';
import { limitToTrunkGroups } from '../trunk-group-limit.ts';

/** What can be reached and granted, of a principal or of the portal. */
type Limits = Pick<Reach, Exclude<keyof Reach, 'principals' | 'trunkGroups'>> &
  Pick<PortalReach, 'trunkGroups'>;

/** What a client that did not exist had. */
const nothing: Pick<Client, 'scopes' | 'tokenLifetime' | 'secrets'> = {
  scopes: [],
  tokenLifetime: 0,
  secrets: [],
};

function hasLaterEnd(secret: ClientSecret, before: ClientSecret | undefined): boolean {
  if (before === undefined) return true;
  const end = ({ expiresAt = Number.POSITIVE_INFINITY }: ClientSecret) => expiresAt;
  return end(secret) > end(before);
}

/**
 * Checks what a change adds. What a client has already stays, also above limits that were lowered
 * since: a change that only takes something away is always possible.
 *
 * @throws {InputError} if the client would get more than the limits allow.
 */
function checkGrant(
  limits: Limits,
  before: Pick<Client, 'scopes' | 'tokenLifetime' | 'secrets'>,
  after: Client,
  now: number,
): void {
  const { scopes, maxTokenLifetime, maxSecretLifetime } = limits;
  const added = after.scopes.find(
    (scope) => !before.scopes.includes(scope) && scopes?.includes(scope) === false,
  );
  if (added !== undefined) {
    refuseInput('scopes', added, `${scopes?.join(', ') || 'none'}, within your reach`);
  }
  if (maxTokenLifetime !== undefined) {
    const { tokenLifetime } = after;
    if (tokenLifetime > Math.max(maxTokenLifetime, before.tokenLifetime)) {
      refuseInput('tokenLifetime', tokenLifetime, `at most ${maxTokenLifetime} seconds`);
    }
  }
  if (maxSecretLifetime === undefined) return;
  for (const secret of after.secrets) {
    const former = before.secrets.find(({ secretId }) => secretId === secret.secretId);
    const { expiresAt = Number.POSITIVE_INFINITY } = secret;
    if (expiresAt > now + maxSecretLifetime && hasLaterEnd(secret, former)) {
      refuseInput(
        'expiresAt',
        secret.expiresAt,
        `an end at most ${maxSecretLifetime} seconds from now`,
      );
    }
  }
}

/**
 * Counts what a trunk group has, page by page. Creations at the same moment do not see each other:
 * the limit can be exceeded by as many as are made at once, less one.
 *
 * @throws {RefusedError} if there are as many as are allowed.
 */
async function checkRoom(
  what: string,
  most: number | undefined,
  readPage: (after: string | undefined) => Promise<{
    readonly items: readonly unknown[];
    readonly next?: string | undefined;
  }>,
): Promise<void> {
  if (most === undefined) return;
  let count = 0;
  let after: string | undefined;
  do {
    const page = await readPage(after);
    count += page.items.length;
    after = page.next;
  } while (after !== undefined && count < most);
  if (count < most) return;
  throw new RefusedError(`the service trunk group has ${count} ${what}; allowed: at most ${most}`);
}

/** Items of one read while counting. */
const countedAtOnce = 500;

/**
 * Limits every operation to what a principal can reach: its trunk groups, if the limits name any,
 * and what it may grant in them.
 */
export function limitToReach(context: ManagementContext, limits: Limits): ManagementContext {
  const { trunkGroups } = limits;
  const limited = trunkGroups === undefined ? context : limitToTrunkGroups(context, trunkGroups);
  const { clients, apiKeys } = limited;
  const within = (group: string, after: string | undefined) => ({
    limit: countedAtOnce,
    trunkGroups: [group],
    after,
  });
  return {
    ...limited,
    clients: {
      ...clients,
      createClient: async (client) => {
        checkGrant(limits, nothing, client, currentTime(context));
        const { serviceTrunkGroup: group } = client;
        await checkRoom('clients', limits.maxClients, (after) =>
          clients.readClients(within(group, after)),
        );
        await clients.createClient(client);
      },
      replaceClient: async (client) => {
        const before = (await clients.findClient(client.clientId)) ?? nothing;
        checkGrant(limits, before, client, currentTime(context));
        await clients.replaceClient(client);
      },
    },
    apiKeys: {
      ...apiKeys,
      createApiKey: async (key) => {
        const { serviceTrunkGroup: group } = key;
        await checkRoom('API keys', limits.maxApiKeys, (after) =>
          apiKeys.readApiKeys(within(group, after)),
        );
        await apiKeys.createApiKey(key);
      },
    },
  };
}
