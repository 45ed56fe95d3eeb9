import { createHash } from 'node:crypto';
import {
  managementOperations,
  type OperationName,
  operationOf,
} from '../../../contract/management/operations.ts';
import { grantIssuer, grantSubject, registerOwn, type World } from './world.ts';

/** A call of an operation that is valid, with the name of each argument, and who may make it. */
export interface ValidCall {
  readonly names: readonly string[];
  readonly args: readonly unknown[];
  /** The command of `authctl` that makes it; empty if there is none. */
  readonly command: string;
  /** What it does through the portal: `test/integration/portal/portal-role.test.ts` has the letters. */
  readonly portal: string;
}

const filters = { limit: 10, cursor: undefined, trunkGroup: 'tg-1001', text: 'a', enabled: true };

type Row = readonly [portal: string, command: string, ...args: readonly unknown[]];

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

/**
 * The one row of each operation: its outcome in the portal, its command, and a valid call with every
 * field that its arguments can have. The outcome is a literal on purpose.
 */
export function validCalls(world: World): Readonly<Record<OperationName, ValidCall>> {
  const { clientId, secretId, keyId, subnetId, issuer, discoveryUrl, ownIssuer } = world;
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
  const ofClient = { ifVersion: world.clients.get(clientId)?.version };
  const ofKey = { ifVersion: world.apiKeys.get(keyId)?.version };
  const rows: Readonly<Record<OperationName, Row>> = {
    describeDeployment: ['ddd ddd ddd ddd', 'scope list'],
    createClient: [
      'mdd mid mdd mcd',
      'client create',
      {
        name: 'Dialer',
        serviceTrunkGroup: 'tg-1001',
        scopes: ['calls:view'],
        audiences: ['https://a.example'],
        tokenLifetime: 900,
        provider: issuer,
        externalClientId: 'dialer',
        idempotencyKey: 'key-12345',
      },
    ],
    importClient: [
      'aad aad aad aad',
      'client import',
      {
        clientId: '7abcdefghijklmnopqrstuvwxy',
        secret: createHash('sha256').update('imported').digest('hex'),
        name: 'Dialer',
        serviceTrunkGroup: 'tg-1001',
        scopes: ['calls:view'],
        audiences: ['https://a.example'],
        tokenLifetime: 900,
        importId: 'import_07k9GwqqC4UuPpPZaUImQB',
        checkOnly: false,
      },
    ],
    findClient: ['ddd nnd ddd ddd', 'client show', clientId],
    listClients: [
      'ddd eed ddd ddd',
      'client list',
      {
        ...filters,
        provider: issuer,
        expiresWithin: 60,
        unusedFor: 60,
        importId: 'import_07k9GwqqC4UuPpPZaUImQB',
        needsAttention: true,
      },
    ],
    updateClient: [
      'mdd mnd mdd mcd',
      'client update',
      clientId,
      {
        name: 'Billing EU',
        scopes: ['calls:view', 'messaging:view'],
        addScopes: ['messaging:manage'],
        removeScopes: ['messaging:view'],
        audiences: ['https://a.example'],
        tokenLifetime: 900,
        ...ofClient,
      },
    ],
    setClientEnabled: ['mdd mnd mdd mdd', 'client disable', clientId, false, ofClient],
    revokeClientTokens: ['mdd mnd mdd mdd', 'client revoke-tokens', clientId, ofClient],
    deleteClient: ['mdd mnd mdd mdd', 'client delete', clientId, ofClient],
    createClientSecret: [
      'mdd mnd mdd mcd',
      'client-secret create',
      clientId,
      { ...secret, ...ofClient },
    ],
    rotateClientSecret: [
      'mdd mnd mdd mcd',
      'client-secret rotate',
      clientId,
      { ...secret, overlap: 60, ...ofClient },
    ],
    updateClientSecret: [
      'mdd mnd mdd mdd',
      'client-secret update',
      clientId,
      secretId,
      { name: 'green', expiresAt: world.now + 3600, ...ofClient },
    ],
    disableClientSecret: ['mdd mnd mdd mdd', 'client-secret disable', clientId, secretId, ofClient],
    enableClientSecret: ['mdd mnd mdd mdd', 'client-secret enable', clientId, secretId, ofClient],
    deleteClientSecret: ['mdd mnd mdd mdd', 'client-secret delete', clientId, secretId, ofClient],
    createApiKey: [
      'mdd mid mdd mcd',
      'api-key create',
      {
        name: 'Bea',
        serviceTrunkGroup: 'tg-1001',
        enabled: true,
        subnets: [{ name: 'home', address: '2001:db8::', netmask: 32 }],
        scopes: ['calls:view'],
        expiresAt: world.now + 3600,
        idempotencyKey: 'key-12345',
      },
    ],
    findApiKey: ['ddd nnd ddd ddd', 'api-key show', keyId],
    listApiKeys: [
      'ddd eed ddd ddd',
      'api-key list',
      { ...filters, anySource: false, withLastUse: false, expiresWithin: 60 },
    ],
    updateApiKey: [
      'mdd mnd mdd mdd',
      'api-key update',
      keyId,
      {
        name: 'Ada L.',
        endOldValues: false,
        scopes: ['calls:view'],
        expiresAt: world.now + 3600,
        ...ofKey,
      },
    ],
    rotateApiKey: [
      'mdd mnd mdd mdd',
      'api-key rotate',
      keyId,
      { overlap: 60, expiresAt: world.now + 3600, idempotencyKey: 'key-12345', ...ofKey },
    ],
    setApiKeyEnabled: ['mdd mnd mdd mdd', 'api-key disable', keyId, false, ofKey],
    deleteApiKey: ['mdd mnd mdd mdd', 'api-key delete', keyId, ofKey],
    addSubnet: [
      'mdd mnd mdd mdd',
      'api-key-subnet add',
      keyId,
      { name: 'home', address: '198.51.100.0', netmask: '255.255.255.0', ...ofKey },
    ],
    removeSubnet: [
      'mdd mnd mdd mcd',
      'api-key-subnet remove',
      keyId,
      subnetId,
      { allowAnySource: true, ...ofKey },
    ],
    inspectProvider: ['mrd mrd mrd mdd', 'provider inspect', discoveryUrl],
    registerProvider: [
      'mrd mid mrd mdd',
      'provider register',
      discoveryUrl,
      {
        ifIssuer: issuer,
        ifJwksUri: `${issuer}/keys`,
        algorithms: ['ES256'],
        leeway: 60,
        trunkGroups: ['tg-1001'],
      },
    ],
    findProvider: ['ddd ddd ddd ddd', 'provider show', issuer],
    listProviders: ['ddd ddd ddd ddd', 'provider list'],
    listProvidersWithLimits: ['ddd nnd ddd ddd', '', ['tg-1001']],
    inspectProviderKeys: ['ddd ddd ddd ddd', '', issuer],
    deleteProvider: [
      'mrd mrd mrd mrd',
      'provider delete',
      issuer,
      {
        cascade: true,
        limit: 500,
        cursor: undefined,
        ifRegistration: world.providers.get(issuer)?.registrationId,
      },
    ],
    setProviderTrunkGroups: [
      'mdd mid mdd mdd',
      'provider assign',
      ownIssuer,
      { trunkGroups: ['tg-1001'], ifVersion: 1 },
    ],
    findSubjectGrants: ['ddd ddd ddd ddd', '', issuer],
    setSubjectGrant: [
      'aad aad aad aad',
      'provider grant',
      issuer,
      {
        value: 'repo:acme/',
        trunkGroups: ['tg-1001'],
        clients: [{ clientId, action: 'leave' }],
        ifVersion: world.grants.get(`subject ${issuer}`)?.version ?? 0,
      },
    ],
    findIssuerGrants: ['ddd ddd ddd ddd', '', ownIssuer],
    setIssuerGrant: [
      'aad aad aad aad',
      'provider grant-issuer',
      ownIssuer,
      {
        trunkGroups: ['tg-1001'],
        leave: [ownIssuer],
        ifVersion: world.grants.get('issuer own.example.net')?.version ?? 0,
      },
    ],
    listGrants: [
      'aae aae aae aae',
      'provider grants',
      { kind: 'subject', limit: 10, cursor: undefined },
    ],
    checkGrants: ['aae aae aae aae', 'provider check', { issuer, limit: 10, cursor: undefined }],
    findTrunkGroupLimits: ['ddd nnd ddd ddd', 'trunk-group-limits show', 'tg-1001'],
    listTrunkGroupLimits: [
      'ddd eed ddd ddd',
      'trunk-group-limits list',
      { limit: 10, cursor: undefined },
    ],
    checkTrunkGroupLimits: ['ddd nnd ddd ddd', 'trunk-group-limits check', 'tg-1001', limits],
    setTrunkGroupLimits: [
      'aad aad aad aad',
      'trunk-group-limits set',
      'tg-1001',
      { ...limits, ifVersion: world.limits.get('tg-1001')?.version ?? 0 },
    ],
    setTrunkGroupEnabled: [
      'aad aad aad aad',
      'trunk-group stop',
      'tg-1001',
      false,
      { members: undefined, ifVersion: world.limits.get('tg-1001')?.version ?? 0 },
    ],
    explainToken: [
      'ddd eed ddd ddd',
      'explain token',
      { clientId, scope: 'messaging:view', resource: 'https://api.example.com' },
    ],
    explainRequest: [
      'ddd eed ddd ddd',
      'explain request',
      {
        credential: 'x',
        sourceAddress: '203.0.113.9',
        scopes: ['calls:view'],
        audience: 'https://api.example.com',
        issuer: 'https://auth.example.com',
        assertion: undefined,
        clientId: undefined,
      },
    ],
    listAudit: [
      'mdd med mdd mdd',
      'audit list',
      { day: '2027-01-15', text: 'a', limit: 10, cursor: undefined },
    ],
    listHistory: [
      'mdd med mdd mdd',
      'audit history',
      world.clientId,
      { since: '2027-01-01', cursor: undefined },
    ],
    erasePersonName: ['aad aad aad aad', 'audit erase-name', 'https://login.example.com#ada'],
  };
  const calls = (Object.entries(rows) as [OperationName, Row][]).map(
    ([name, [portal, command, ...args]]): readonly [OperationName, ValidCall] => {
      const names = Object.keys(operationOf(name).parameters).slice(0, args.length);
      return [name, { portal, command, args, names }];
    },
  );
  return Object.fromEntries(calls) as Record<OperationName, ValidCall>;
}

/** Changes of what has a version: a client, its secrets, an API key. */
export const versionedChanges = (Object.keys(managementOperations) as OperationName[]).filter(
  (name) => {
    const { guarded, guards } = operationOf(name);
    const isOfVersion = guards.includes('version') || guards.includes('stop');
    return isOfVersion && (guarded === 'client' || guarded === 'apiKey');
  },
);
