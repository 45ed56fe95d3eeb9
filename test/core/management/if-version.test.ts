import { describe, expect, it } from 'vitest';
import type { Management } from '../../../adapters/management.ts';
import { VersionConflictError } from '../../../core/errors.ts';
import { createWorld, type World } from '../../adapters/management/world.ts';

type Change = (management: Management, world: World, ifVersion: number) => Promise<unknown>;

const ofClient: Readonly<Record<string, Change>> = {
  updateClient: (management, { clientId }, ifVersion) =>
    management.updateClient(clientId, { name: 'New', ifVersion }),
  setClientEnabled: (management, { clientId }, ifVersion) =>
    management.setClientEnabled(clientId, false, { ifVersion }),
  createClientSecret: (management, { clientId }, ifVersion) =>
    management.createClientSecret(clientId, { ifVersion }),
  rotateClientSecret: (management, { clientId }, ifVersion) =>
    management.rotateClientSecret(clientId, { overlap: 0, ifVersion }),
  updateClientSecret: (management, { clientId, secretId }, ifVersion) =>
    management.updateClientSecret(clientId, secretId, { name: 'x', ifVersion }),
  disableClientSecret: (management, { clientId, secretId }, ifVersion) =>
    management.disableClientSecret(clientId, secretId, { ifVersion }),
  deleteClientSecret: (management, { clientId, secretId }, ifVersion) =>
    management.deleteClientSecret(clientId, secretId, { ifVersion }),
  deleteClient: (management, { clientId }, ifVersion) =>
    management.deleteClient(clientId, { ifVersion }),
};

const ofApiKey: Readonly<Record<string, Change>> = {
  updateApiKey: (management, { keyId }, ifVersion) =>
    management.updateApiKey(keyId, { name: 'New', ifVersion }),
  rotateApiKey: (management, { keyId }, ifVersion) =>
    management.rotateApiKey(keyId, { overlap: 60, ifVersion }),
  setApiKeyEnabled: (management, { keyId }, ifVersion) =>
    management.setApiKeyEnabled(keyId, false, { ifVersion }),
  addSubnet: (management, { keyId }, ifVersion) =>
    management.addSubnet(keyId, { name: 'x', address: '10.0.0.0/8', ifVersion }),
  removeSubnet: (management, { keyId, subnetId }, ifVersion) =>
    management.removeSubnet(keyId, subnetId, { allowAnySource: true, ifVersion }),
  deleteApiKey: (management, { keyId }, ifVersion) => management.deleteApiKey(keyId, { ifVersion }),
};

const stored = ({ clients, apiKeys, providers }: World) =>
  JSON.stringify([...clients, ...apiKeys, ...providers]);

describe('a change of what was changed since it was seen', () => {
  it.each(Object.entries({ ...ofClient, ...ofApiKey }))('is refused to %s', async (_, change) => {
    const world = await createWorld();
    const { management, clientId, keyId } = world;
    await management.updateClient(clientId, { name: 'Changed by another' });
    await management.updateApiKey(keyId, { name: 'Changed by another' });
    const before = stored(world);
    const records = world.audit.length;
    const error = await change(management, world, 1).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(VersionConflictError);
    expect(error).toMatchObject({ name: 'VersionConflictError', expected: 1 });
    expect(stored(world)).toBe(before);
    expect(world.audit).toHaveLength(records);
  });

  it.each(Object.entries(ofClient))(
    'of a client is made by %s if nothing was',
    async (_, change) => {
      const world = await createWorld();
      const before = stored(world);
      const { version } = await world.management.findClient(world.clientId);
      await change(world.management, world, version);
      expect(stored(world)).not.toBe(before);
    },
  );

  it.each(Object.entries(ofApiKey))('of a key is made by %s if nothing was', async (_, change) => {
    const world = await createWorld();
    const before = stored(world);
    const { version } = await world.management.findApiKey(world.keyId);
    await change(world.management, world, version);
    expect(stored(world)).not.toBe(before);
  });

  it('is refused if the provider was deleted and registered again', async () => {
    const world = await createWorld();
    const { management, issuer, discoveryUrl } = world;
    const { registrationId } = await management.findProvider(issuer);
    await management.deleteProvider(issuer);
    await management.registerProvider(discoveryUrl);
    await expect(
      management.deleteProvider(issuer, { ifRegistration: registrationId }),
    ).rejects.toThrow(VersionConflictError);
    expect(world.providers.size).toBe(1);
  });

  it('is refused for a provider whose document says something else than it did', async () => {
    const world = await createWorld();
    const { management, issuer, discoveryUrl, documents } = world;
    await management.deleteProvider(issuer);
    const { jwksUri } = await management.inspectProvider(discoveryUrl);
    documents.set(`${issuer}/other-keys`, documents.get(`${issuer}/keys`));
    documents.set(discoveryUrl, { issuer, jwks_uri: `${issuer}/other-keys` });
    await expect(management.registerProvider(discoveryUrl, { ifJwksUri: jwksUri })).rejects.toThrow(
      `its JWKS URI ${issuer}/other-keys`,
    );
    expect(world.providers.size).toBe(0);
  });

  it('does not block a repeated request', async () => {
    const { management, clientId } = await createWorld();
    const { version } = await management.findClient(clientId);
    const request = { idempotencyKey: 'form-12345', ifVersion: version };
    const first = await management.createClientSecret(clientId, request);
    const second = await management.createClientSecret(clientId, request);
    expect(first.value).toMatch(/^cs_/);
    expect(second).toMatchObject({ secret: first.secret, value: undefined });
  });
});
