import { createHash } from 'node:crypto';
import type { OperationName } from '../../../adapters/management.ts';
import { grantIssuer, grantSubject, registerOwn, type World } from './world.ts';

/** A call of an operation that is valid, with the name of each argument. */
export interface ValidCall {
  readonly names: readonly string[];
  readonly args: readonly unknown[];
}

const filters = { limit: 10, cursor: undefined, trunkGroup: 'tg-1001', text: 'a', enabled: true };

/** What the world must have so that the valid call of an operation on the trunk group can succeed. */
export async function prepareCall(
  world: World,
  name: OperationName,
  trunkGroup: string,
): Promise<void> {
  if (name === 'registerProvider') world.providers.clear();
  if (name === 'registerProvider' || name === 'inspectProvider') {
    const limits = { serviceTrunkGroup: trunkGroup, ownProviders: 1, version: 1 };
    world.limits.set(trunkGroup, limits);
    grantIssuer(world, world.issuer, [trunkGroup]);
  }
  if (name === 'createClient') grantSubject(world, world.issuer, { dialer: [trunkGroup] });
  if (name === 'setProviderTrunkGroups') await registerOwn(world, [trunkGroup]);
}

/** A valid call of every operation, with every field that its arguments can have. */
export function validCalls(world: World): Readonly<Record<OperationName, ValidCall>> {
  const { clientId, secretId, keyId, subnetId, issuer, discoveryUrl, ownIssuer } = world;
  const call = (names: string, ...args: readonly unknown[]): ValidCall => ({
    names: names === '' ? [] : names.split(' '),
    args,
  });
  const secret = { name: 'blue', expiresAt: world.now + 60, idempotencyKey: 'key-12345' };
  const limits = {
    scopes: ['calls:view'],
    maxClients: 10,
    maxApiKeys: 0,
    maxTokenLifetime: 900,
    maxSecretLifetime: 86_400,
    maxApiKeyLifetime: 86_400,
    requireApiKeyScopes: true,
    requireSubnet: true,
    providers: [issuer],
    ownProviders: 2,
  };
  const clientVersion = world.clients.get(clientId)?.version;
  const keyVersion = world.apiKeys.get(keyId)?.version;
  return {
    describeDeployment: call(''),
    createClient: call('client', {
      name: 'Dialer',
      serviceTrunkGroup: 'tg-1001',
      scopes: ['calls:view'],
      audiences: ['https://a.example'],
      tokenLifetime: 900,
      provider: issuer,
      externalClientId: 'dialer',
      idempotencyKey: 'key-12345',
    }),
    importClient: call('client', {
      clientId: '7abcdefghijklmnopqrstuvwxy',
      secret: createHash('sha256').update('imported').digest('hex'),
      name: 'Dialer',
      serviceTrunkGroup: 'tg-1001',
      scopes: ['calls:view'],
      audiences: ['https://a.example'],
      tokenLifetime: 900,
      importId: 'import_07k9GwqqC4UuPpPZaUImQB',
      checkOnly: false,
    }),
    findClient: call('clientId', clientId),
    listClients: call('filter', {
      ...filters,
      provider: issuer,
      expiresWithin: 60,
      unusedFor: 60,
      importId: 'import_07k9GwqqC4UuPpPZaUImQB',
      needsAttention: true,
    }),
    updateClient: call('clientId changes', clientId, {
      name: 'Billing EU',
      scopes: ['calls:view', 'messaging:view'],
      addScopes: ['messaging:manage'],
      removeScopes: ['messaging:view'],
      audiences: ['https://a.example'],
      tokenLifetime: 900,
      ifVersion: clientVersion,
    }),
    setClientEnabled: call('clientId enabled options', clientId, false, {
      ifVersion: clientVersion,
    }),
    revokeClientTokens: call('clientId options', clientId, { ifVersion: clientVersion }),
    deleteClient: call('clientId options', clientId, { ifVersion: clientVersion }),
    createClientSecret: call('clientId secret', clientId, { ...secret, ifVersion: clientVersion }),
    rotateClientSecret: call('clientId secret', clientId, {
      ...secret,
      overlap: 60,
      ifVersion: clientVersion,
    }),
    updateClientSecret: call('clientId secretId changes', clientId, secretId, {
      name: 'green',
      expiresAt: world.now + 3600,
      ifVersion: clientVersion,
    }),
    disableClientSecret: call('clientId secretId options', clientId, secretId, {
      ifVersion: clientVersion,
    }),
    enableClientSecret: call('clientId secretId options', clientId, secretId, {
      ifVersion: clientVersion,
    }),
    deleteClientSecret: call('clientId secretId options', clientId, secretId, {
      ifVersion: clientVersion,
    }),
    createApiKey: call('apiKey', {
      name: 'Bea',
      serviceTrunkGroup: 'tg-1001',
      enabled: true,
      subnets: [{ name: 'home', address: '2001:db8::', netmask: 32 }],
      scopes: ['calls:view'],
      expiresAt: world.now + 3600,
      idempotencyKey: 'key-12345',
    }),
    findApiKey: call('keyId', keyId),
    listApiKeys: call('filter', {
      ...filters,
      anySource: false,
      withLastUse: false,
      expiresWithin: 60,
    }),
    updateApiKey: call('keyId changes', keyId, {
      name: 'Ada L.',
      endOldValues: false,
      scopes: ['calls:view'],
      expiresAt: world.now + 3600,
      ifVersion: keyVersion,
    }),
    rotateApiKey: call('keyId rotation', keyId, {
      overlap: 60,
      expiresAt: world.now + 3600,
      idempotencyKey: 'key-12345',
      ifVersion: keyVersion,
    }),
    setApiKeyEnabled: call('keyId enabled options', keyId, false, { ifVersion: keyVersion }),
    deleteApiKey: call('keyId options', keyId, { ifVersion: keyVersion }),
    addSubnet: call('keyId subnet', keyId, {
      name: 'home',
      address: '198.51.100.0',
      netmask: '255.255.255.0',
      ifVersion: keyVersion,
    }),
    removeSubnet: call('keyId subnetId options', keyId, subnetId, {
      allowAnySource: true,
      ifVersion: keyVersion,
    }),
    inspectProvider: call('discoveryUrl', discoveryUrl),
    registerProvider: call('discoveryUrl options', discoveryUrl, {
      ifIssuer: issuer,
      ifJwksUri: `${issuer}/keys`,
      algorithms: ['ES256'],
      leeway: 60,
      trunkGroups: ['tg-1001'],
    }),
    findProvider: call('issuer', issuer),
    listProviders: call(''),
    listProvidersWithLimits: call('serviceTrunkGroups', ['tg-1001']),
    inspectProviderKeys: call('issuer', issuer),
    deleteProvider: call('issuer options', issuer, {
      cascade: true,
      limit: 500,
      cursor: undefined,
      ifRegistration: world.providers.get(issuer)?.registrationId,
    }),
    setProviderTrunkGroups: call('issuer owners', ownIssuer, {
      trunkGroups: ['tg-1001'],
      ifVersion: 1,
    }),
    findSubjectGrants: call('issuer', issuer),
    setSubjectGrant: call('issuer grant', issuer, {
      value: 'repo:acme/',
      trunkGroups: ['tg-1001'],
      clients: [{ clientId, action: 'leave' }],
      ifVersion: world.grants.get(`subject ${issuer}`)?.version ?? 0,
    }),
    findIssuerGrants: call('issuer', ownIssuer),
    setIssuerGrant: call('issuer grant', ownIssuer, {
      trunkGroups: ['tg-1001'],
      leave: [ownIssuer],
      ifVersion: world.grants.get('issuer own.example.net')?.version ?? 0,
    }),
    listGrants: call('filter', { kind: 'subject', limit: 10, cursor: undefined }),
    checkGrants: call('filter', { issuer, limit: 10, cursor: undefined }),
    findTrunkGroupLimits: call('serviceTrunkGroup', 'tg-1001'),
    listTrunkGroupLimits: call('filter', { limit: 10, cursor: undefined }),
    checkTrunkGroupLimits: call('serviceTrunkGroup limits', 'tg-1001', limits),
    setTrunkGroupLimits: call('serviceTrunkGroup limits', 'tg-1001', {
      ...limits,
      ifVersion: world.limits.get('tg-1001')?.version ?? 0,
    }),
    listExpiring: call('filter', { trunkGroup: 'tg-1001', cursor: undefined }),
    explainToken: call('question', {
      clientId,
      scope: 'messaging:view',
      resource: 'https://api.example.com',
    }),
    explainRequest: call('question', {
      credential: 'x',
      sourceAddress: '203.0.113.9',
      scopes: ['calls:view'],
      audience: 'https://api.example.com',
      issuer: 'https://auth.example.com',
      assertion: undefined,
      clientId: undefined,
    }),
    listAudit: call('filter', { day: '2027-01-15', text: 'a', limit: 10, cursor: undefined }),
    listHistory: call('id filter', world.clientId, { since: '2027-01-01', cursor: undefined }),
    erasePersonName: call('subject', 'https://login.example.com#ada'),
  };
}
