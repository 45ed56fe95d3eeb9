import type { Management } from '../../../adapters/management.ts';

/** What the examples of `core/management/operations.ts` take as known. */
interface Known {
  readonly management: Management;
  readonly name: string;
  readonly serviceTrunkGroup: string;
  readonly trunkGroup: string;
  readonly trunkGroups: readonly string[];
  readonly scopes: readonly string[];
  readonly clientId: string;
  readonly secretId: string;
  readonly secret: string;
  readonly keyId: string;
  readonly subnetId: string;
  readonly issuer: string;
  readonly discoveryUrl: string;
  readonly credential: string;
  readonly cursor: string | undefined;
  readonly expiresAt: number;
  readonly limits: Parameters<Management['checkTrunkGroupLimits']>[1];
}

/** Each example, so that it compiles: `examples.test.ts` compares them. It is never run. */
export async function examples({ management, ...known }: Known): Promise<void> {
  const { name, serviceTrunkGroup, trunkGroup, trunkGroups, scopes, clientId, secretId } = known;
  const { keyId, subnetId, issuer, discoveryUrl, credential, cursor, expiresAt } = known;
  const { limits, secret } = known;
  {
    const { scopes: offered } = await management.describeDeployment();
    void [offered];
  }
  {
    const { client } = await management.createClient({ name, serviceTrunkGroup, scopes });
    void [client];
  }
  {
    await management.importClient({ clientId, secret, name, serviceTrunkGroup, scopes });
  }
  {
    const client = await management.findClient(clientId);
    void [client];
  }
  {
    const { items, nextCursor } = await management.listClients({ trunkGroup, cursor });
    void [items, nextCursor];
  }
  {
    await management.updateClient(clientId, { name });
  }
  {
    await management.setClientEnabled(clientId, false);
  }
  {
    await management.revokeClientTokens(clientId);
  }
  {
    await management.deleteClient(clientId);
  }
  {
    const { value } = await management.createClientSecret(clientId, { name, expiresAt });
    void [value];
  }
  {
    const { value, expired } = await management.rotateClientSecret(clientId, { overlap: 604_800 });
    void [value, expired];
  }
  {
    await management.updateClientSecret(clientId, secretId, { expiresAt: null });
  }
  {
    await management.disableClientSecret(clientId, secretId);
  }
  {
    await management.enableClientSecret(clientId, secretId);
  }
  {
    await management.deleteClientSecret(clientId, secretId);
  }
  {
    const { key, value } = await management.createApiKey({ name, serviceTrunkGroup });
    void [key, value];
  }
  {
    const key = await management.findApiKey(keyId);
    void [key];
  }
  {
    const { items } = await management.listApiKeys({ trunkGroup });
    void [items];
  }
  {
    const { value } = await management.rotateApiKey(keyId, { overlap: 7 * 86_400 });
    void [value];
  }
  {
    await management.updateApiKey(keyId, { expiresAt });
  }
  {
    await management.setApiKeyEnabled(keyId, false);
  }
  {
    await management.deleteApiKey(keyId);
  }
  {
    await management.addSubnet(keyId, { name: 'office', address: '203.0.113.0/24' });
  }
  {
    await management.removeSubnet(keyId, subnetId, { allowAnySource: true });
  }
  {
    const { registrable, problem } = await management.inspectProvider(discoveryUrl);
    void [registrable, problem];
  }
  {
    const { provider } = await management.registerProvider(discoveryUrl);
    void [provider];
  }
  {
    const provider = await management.findProvider(issuer);
    void [provider];
  }
  {
    const providers = await management.listProviders();
    void [providers];
  }
  {
    const { limits } = await management.listProvidersWithLimits([serviceTrunkGroup]);
    void [limits];
  }
  {
    const keys = await management.inspectProviderKeys(issuer);
    void [keys];
  }
  {
    await management.deleteProvider(issuer, { cascade: true });
  }
  {
    await management.setProviderTrunkGroups(issuer, { trunkGroups: [serviceTrunkGroup] });
  }
  {
    const { grants } = await management.findSubjectGrants(issuer);
    void [grants];
  }
  {
    await management.setSubjectGrant(issuer, { value: 'repo:acme/', trunkGroups });
  }
  {
    const { grants } = await management.findIssuerGrants(issuer);
    void [grants];
  }
  {
    await management.setIssuerGrant(issuer, { trunkGroups });
  }
  {
    const { items } = await management.listGrants({ kind: 'subject' });
    void [items];
  }
  {
    const { items } = await management.checkGrants({ issuer });
    void [items];
  }
  {
    const { maxClients } = await management.findTrunkGroupLimits(serviceTrunkGroup);
    void [maxClients];
  }
  {
    const { items } = await management.listTrunkGroupLimits();
    void [items];
  }
  {
    const { excesses } = await management.checkTrunkGroupLimits(trunkGroup, limits);
    void [excesses];
  }
  {
    await management.setTrunkGroupLimits(serviceTrunkGroup, { maxClients: 20 });
  }
  {
    const { items } = await management.listExpiring();
    void items;
  }
  {
    const { granted, steps } = await management.explainToken({ clientId });
    void [granted, steps];
  }
  {
    const { accepted, rule } = await management.explainRequest({ credential });
    void [accepted, rule];
  }
  {
    const { items } = await management.listAudit({ day: '2026-11-21' });
    void [items];
  }
  {
    const { items } = await management.listHistory(clientId, { since: '2026-11-01' });
    void [items];
  }
  {
    await management.erasePersonName('https://login.example.com#ada');
  }
}
