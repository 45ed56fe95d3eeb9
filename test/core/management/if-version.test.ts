import { describe, expect, it } from 'vitest';
import type { OperationName } from '../../../contract/management/operations.ts';
import { VersionConflictError } from '../../../core/errors.ts';
import { runOperation } from '../../adapters/management/run-operation.ts';
import { validCalls, versionedChanges } from '../../adapters/management/valid-calls.ts';
import { createWorld, type World } from '../../adapters/management/world.ts';

const stored = ({ clients, apiKeys, providers }: World) =>
  JSON.stringify([...clients, ...apiKeys, ...providers]);

/** A call that was prepared before what it is about may have changed. */
function prepareChange(world: World, name: OperationName): () => Promise<unknown> {
  const { args } = validCalls(world)[name];
  return () => runOperation(world.management, name, args);
}

describe('a change of what was changed since it was seen', () => {
  it.each(versionedChanges)('is refused to %s, and made if nothing was', async (name) => {
    const world = await createWorld();
    const { management, clientId, secretId, keyId } = world;
    if (name === 'enableClientSecret') await management.disableClientSecret(clientId, secretId);
    const stale = prepareChange(world, name);
    await management.updateClient(clientId, { name: 'Changed by another' });
    await management.updateApiKey(keyId, { name: 'Changed by another' });
    const before = stored(world);
    const records = world.audit.length;
    const error = await stale().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(VersionConflictError);
    expect(error).toMatchObject({ name: 'VersionConflictError', expected: expect.any(Number) });
    expect(stored(world)).toBe(before);
    expect(world.audit).toHaveLength(records);
    await prepareChange(world, name)();
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
