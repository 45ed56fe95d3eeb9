import type { ApiKey } from '../../../core/api-key/api-key.ts';
import type { Client } from '../../../core/client/client.ts';
import { RefusedError } from '../../../core/errors.ts';
import type { ManagementContext } from '../../../core/management/management-context.ts';
import { type TestManagement, testConfig } from '../../support/management.ts';
import {
  addSubnet,
  createApiKey,
  createClient,
  createClientSecret,
  deleteApiKey,
  deleteClient,
  deleteClientSecret,
  disableClientSecret,
  enableClientSecret,
  removeSubnet,
  revokeClientTokens,
  rotateApiKey,
  rotateClientSecret,
  setApiKeyEnabled,
  setClientEnabled,
  updateApiKey,
  updateClient,
  updateClientSecret,
} from '../../support/operations.ts';

/** One management operation. `pick` selects one of the existing resources. */
export interface Operation {
  readonly name: string;
  /** Whether it never lets anybody do more. */
  readonly narrows: boolean;
  readonly run: (test: TestManagement, pick: number) => Promise<unknown>;
}

const scopes = ['messaging:view', 'messaging:manage', 'calls:view'];
const audiences = ['https://a.example', 'https://b.example', testConfig.defaultAudience];
const cidrs = ['10.0.0.0/8', '10.1.0.0/16', '10.1.2.0/24', '192.0.2.0/24', '2001:db8::/32'];

/** Few, so that what was deleted is made again under its old id. */
const idempotencyKeys = ['key-one-1', 'key-two-2'];

function choose<T>(list: readonly T[], pick: number): T {
  const chosen = list[pick % list.length];
  if (chosen === undefined) throw new RefusedError('there is nothing to choose from');
  return chosen;
}

function subset<T>(list: readonly T[], pick: number): readonly T[] {
  const some = list.filter((_, index) => ((pick >> index) & 1) === 1);
  return some.length === 0 ? [choose(list, pick)] : some;
}

const someClient = (test: TestManagement, pick: number): Client =>
  choose([...test.clients.values()], pick);
const someKey = (test: TestManagement, pick: number): ApiKey =>
  choose([...test.apiKeys.values()], pick);

function on(
  name: string,
  narrows: boolean,
  run: (context: ManagementContext, client: Client, pick: number) => Promise<unknown>,
): Operation {
  return {
    name,
    narrows,
    run: (test, pick) => run(test.context, someClient(test, pick), pick >> 3),
  };
}

function onKey(
  name: string,
  narrows: boolean,
  run: (context: ManagementContext, key: ApiKey, pick: number) => Promise<unknown>,
): Operation {
  return { name, narrows, run: (test, pick) => run(test.context, someKey(test, pick), pick >> 3) };
}

const secretOf = (client: Client, pick: number) => choose(client.secrets, pick);

export const operations: readonly Operation[] = [
  {
    name: 'create client',
    narrows: false,
    run: ({ context }, pick) =>
      createClient(context, {
        name: 'A',
        serviceTrunkGroup: 'tg',
        scopes: subset(scopes, pick),
        audiences: pick % 2 === 0 ? [] : subset(audiences, pick >> 1),
        idempotencyKey: pick % 3 === 0 ? choose(idempotencyKeys, pick >> 2) : undefined,
      }),
  },
  on('delete client', true, (context, { clientId }) => deleteClient(context, clientId)),
  on('enable', false, (context, { clientId }) => setClientEnabled(context, clientId, true)),
  on('disable', true, (context, { clientId }) => setClientEnabled(context, clientId, false)),
  on('revoke tokens', true, (context, { clientId }) => revokeClientTokens(context, clientId)),
  on('change scopes', false, (context, { clientId }, pick) =>
    updateClient(context, clientId, { scopes: subset(scopes, pick) }),
  ),
  on('fewer scopes', true, (context, client, pick) =>
    updateClient(context, client.clientId, { scopes: subset(client.scopes, pick) }),
  ),
  on('change audiences', false, (context, { clientId }, pick) =>
    updateClient(context, clientId, { audiences: pick % 4 === 0 ? [] : subset(audiences, pick) }),
  ),
  on('fewer audiences', true, (context, client, pick) =>
    updateClient(context, client.clientId, {
      audiences: client.audiences.length === 0 ? [] : subset(client.audiences, pick),
    }),
  ),
  on('change lifetime', false, (context, { clientId }, pick) =>
    updateClient(context, clientId, { tokenLifetime: 60 * (1 + (pick % 50)) }),
  ),
  on('shorter lifetime', true, (context, { clientId, tokenLifetime }) =>
    updateClient(context, clientId, { tokenLifetime: Math.max(60, tokenLifetime - 60) }),
  ),
  on('rename', true, (context, { clientId }, pick) =>
    updateClient(context, clientId, { name: `Name ${pick % 9}` }),
  ),
  on('create secret', false, (context, { clientId }, pick) =>
    createClientSecret(context, clientId, {
      expiresAt: pick % 2 === 0 ? undefined : 2_000_000_000 + (pick % 100),
      idempotencyKey: pick % 3 === 0 ? choose(idempotencyKeys, pick) : undefined,
    }),
  ),
  on('rotate secret', false, (context, { clientId }, pick) =>
    rotateClientSecret(context, clientId, { overlap: pick % 1000 }),
  ),
  on('delete secret', true, (context, client, pick) =>
    deleteClientSecret(context, client.clientId, secretOf(client, pick).secretId),
  ),
  on('enable secret', false, (context, client, pick) =>
    enableClientSecret(context, client.clientId, secretOf(client, pick).secretId),
  ),
  on('disable secret', true, (context, client, pick) =>
    disableClientSecret(context, client.clientId, secretOf(client, pick).secretId),
  ),
  on('move the end of a secret', false, (context, client, pick) =>
    updateClientSecret(context, client.clientId, secretOf(client, pick).secretId, {
      expiresAt: pick % 3 === 0 ? null : 2_000_000_000 + (pick % 100),
    }),
  ),
  on('end a secret sooner', true, (context, client, pick) => {
    const secret = secretOf(client, pick);
    return updateClientSecret(context, client.clientId, secret.secretId, {
      expiresAt: (secret.expiresAt ?? 2_000_000_100) - 1,
    });
  }),
  {
    name: 'create API key',
    narrows: false,
    run: ({ context }, pick) =>
      createApiKey(context, {
        name: 'K',
        serviceTrunkGroup: 'tg',
        enabled: pick % 2 === 0,
        subnets:
          pick % 3 === 0 ? [] : subset(cidrs, pick).map((cidr) => ({ name: cidr, address: cidr })),
        idempotencyKey: pick % 5 === 0 ? choose(idempotencyKeys, pick) : undefined,
      }),
  },
  onKey('delete API key', true, (context, { keyId }) => deleteApiKey(context, keyId)),
  onKey('enable API key', false, (context, { keyId }) => setApiKeyEnabled(context, keyId, true)),
  onKey('disable API key', true, (context, { keyId }) => setApiKeyEnabled(context, keyId, false)),
  onKey('rename API key', true, (context, { keyId }) =>
    updateApiKey(context, keyId, { name: 'Other' }),
  ),
  onKey('end API key', true, (context, { keyId, expiresAt = 2_000_000_100 }) =>
    updateApiKey(context, keyId, { expiresAt: expiresAt - 1 }),
  ),
  onKey('change expiry of API key', false, (context, { keyId }, pick) =>
    updateApiKey(context, keyId, {
      expiresAt: pick % 3 === 0 ? null : 2_000_000_000 + (pick % 100),
    }),
  ),
  onKey('change scopes of API key', false, (context, { keyId }, pick) =>
    updateApiKey(context, keyId, { scopes: pick % 3 === 0 ? null : subset(scopes, pick) }),
  ),
  onKey('rotate API key', false, (context, { keyId }, pick) =>
    rotateApiKey(context, keyId, { overlap: (pick % 4) * 20_000 }),
  ),
  onKey('end old values', true, (context, { keyId }) =>
    updateApiKey(context, keyId, { endOldValues: true }),
  ),
  onKey('add subnet', false, (context, { keyId }, pick) => {
    const cidr = choose(cidrs, pick);
    return addSubnet(context, keyId, { name: cidr, address: cidr });
  }),
  onKey('remove subnet', false, (context, key, pick) =>
    removeSubnet(context, key.keyId, choose(key.subnets, pick).subnetId, { allowAnySource: true }),
  ),
  onKey('remove subnet but the last', true, (context, key, pick) =>
    removeSubnet(context, key.keyId, choose(key.subnets, pick).subnetId),
  ),
];
