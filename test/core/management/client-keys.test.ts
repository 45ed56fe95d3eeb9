import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { DeploymentConfigInput } from '../../../contract/deployment-config.ts';
import { thumbprintOf } from '../../../core/client/client-key.ts';
import { InputError, RefusedError } from '../../../core/errors.ts';
import { viewClientSecret } from '../../../core/management/client-view.ts';
import { onlyStopsClient } from '../../../core/management/trunk-group-limits/only-stops.ts';
import { findSecretNotices } from '../../../core/notices/expiry-notices.ts';
import { replaySecrets } from '../../../core/restore/replay-secrets.ts';
import { personStop } from '../../../lab/support/stops.ts';
import { configWithKeys, createTestManagement } from '../../support/management.ts';
import {
  createClient,
  createClientSecret,
  disableClientSecret,
  rotateClientSecret,
} from '../../support/operations.ts';

const pemOf = (pair: ReturnType<typeof generateKeyPairSync>) =>
  String(pair.publicKey.export({ format: 'pem', type: 'spki' }));
const ec = () => pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }));
const rsa = () => pemOf(generateKeyPairSync('rsa', { modulusLength: 2048 }));

async function withClient(
  clientKeys: Partial<NonNullable<DeploymentConfigInput['clientKeys']>> | undefined = {},
) {
  const test = createTestManagement();
  const config = {
    ...configWithKeys,
    clientKeys: clientKeys && { ...configWithKeys.clientKeys, ...clientKeys },
  };
  const context = { ...test.context, config } as typeof test.context;
  const { client } = await createClient(context, {
    name: 'Billing',
    serviceTrunkGroup: 'tg-1001',
    scopes: ['messaging:view'],
  });
  return Object.assign(test, { context, clientId: client.clientId });
}

describe('a public key in place of a secret', () => {
  it('is stored, listed and audited by its thumbprint, and has no value', async () => {
    const { context, clients, clientId, audit, now } = await withClient();
    const { secret, value } = await createClientSecret(context, clientId, {
      publicKey: ec(),
      name: 'signer',
      expiresAt: now + 60,
    });
    expect(value).toBeUndefined();
    expect(secret).toMatchObject({ alg: 'ES256', name: 'signer' });
    expect(secret).not.toHaveProperty('hash');
    expect(clients.get(clientId)?.secrets).toEqual([secret]);
    expect(audit.at(-1)?.after).toEqual({
      ...viewClientSecret(secret, now),
      client_id: clientId,
      client_version: clients.get(clientId)?.version,
      service_trunk_group: 'tg-1001',
    });
    expect(audit.at(-1)?.after).toMatchObject({ thumbprint: thumbprintOf(secret), alg: 'ES256' });
    const client = clients.get(clientId);
    const notices = client && findSecretNotices(client, { deployment: 'demo', time: now });
    expect(notices).toMatchObject([{ secret_id: secret.secretId, days_to_expiry: 1 }]);
  });

  it('is created once for an idempotency key, and once for a client', async () => {
    const { context, clients, clientId } = await withClient();
    const input = { publicKey: ec(), idempotencyKey: 'key-12345' };
    const first = await createClientSecret(context, clientId, input);
    expect((await createClientSecret(context, clientId, input)).secret).toEqual(first.secret);
    const again = createClientSecret(context, clientId, { publicKey: input.publicKey });
    await expect(again).rejects.toThrow(`has this key as ${first.secret.secretId}`);
    expect(clients.get(clientId)?.secrets).toHaveLength(1);
  });

  it('is rotated without the secrets, and they without it', async () => {
    const { context, clients, clientId, now } = await withClient();
    const { secret: password } = await createClientSecret(context, clientId, {});
    const { secret: key } = await createClientSecret(context, clientId, { publicKey: ec() });
    const rotatedKey = await rotateClientSecret(context, clientId, {
      publicKey: ec(),
      overlap: 60,
    });
    expect(rotatedKey.expired).toEqual([{ ...key, expiresAt: now + 60 }]);
    const rotated = await rotateClientSecret(context, clientId, { overlap: 30 });
    expect(rotated.expired).toEqual([{ ...password, expiresAt: now + 30 }]);
    expect(clients.get(clientId)?.secrets).toHaveLength(4);
  });

  it('is one of six at most, of which two are RSA', async () => {
    const { context, clientId } = await withClient();
    const add = (publicKey: string) => createClientSecret(context, clientId, { publicKey });
    await add(rsa());
    await add(rsa());
    await expect(add(rsa())).rejects.toThrow('has 2 keys, 2 of them RSA; at most 6 are allowed, 2');
    for (let count = 0; count < 4; count += 1) await add(ec());
    await expect(add(ec())).rejects.toThrow('has 6 keys, 2 of them RSA');
    await expect(
      rotateClientSecret(context, clientId, { publicKey: ec(), overlap: 0 }),
    ).rejects.toThrow(RefusedError);
    await createClientSecret(context, clientId, {});
  });

  it('is refused if it is private, before anything is stored or written to the audit', async () => {
    const { context, clients, clientId, audit } = await withClient();
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    const jwk = JSON.stringify(privateKey.export({ format: 'jwk' }));
    const before = JSON.stringify([...clients, audit]);
    for (const publicKey of [pem, jwk]) {
      for (const call of [
        createClientSecret(context, clientId, { publicKey }),
        rotateClientSecret(context, clientId, { publicKey, overlap: 60 }),
      ]) {
        const error: unknown = await call.catch((refusal: unknown) => refusal);
        expect(error).toBeInstanceOf(InputError);
        expect(String(error)).toContain(
          'public_key: nothing was stored, because the key is private',
        );
        expect(JSON.stringify([error, (error as Error).stack])).not.toContain(
          publicKey.slice(60, 90),
        );
      }
    }
    expect(JSON.stringify([...clients, audit])).toBe(before);
  });

  it.each([
    [
      { publicKey: 1 },
      InputError,
      'public_key: received nothing; allowed: a public key: a JWK, or PEM',
    ],
    [{ publicKey: 'hunter2' }, InputError, 'no JWK'],
    [{ alg: 'ES256' }, InputError, 'alg: received "ES256"; allowed: no value without a public key'],
    [{ publicKey: ec(), alg: 'HS256' }, InputError, 'alg: received "HS256"; allowed: ES256, ES384'],
    [{ publicKey: ec(), alg: 'PS256' }, InputError, 'the key is not one for PS256'],
    [
      { publicKey: rsa(), alg: 'RS256' },
      RefusedError,
      'the key is for RS256; clientKeys.algorithms allows ES256, PS256',
    ],
  ])('is refused: %#', async (input, type, message) => {
    const { context, clientId } = await withClient();
    const call = createClientSecret(context, clientId, input as object);
    await expect(call).rejects.toThrow(type);
    await expect(call).rejects.toThrow(message);
  });

  it('is in no deployment without clientKeys, and secrets are in none with clientKeys.only', async () => {
    const off = createTestManagement();
    const { client } = await createClient(off.context, {
      name: 'Billing',
      serviceTrunkGroup: 'tg-1001',
      scopes: ['messaging:view'],
    });
    await expect(
      createClientSecret(off.context, client.clientId, { publicKey: ec() }),
    ).rejects.toThrow('clients have no keys in this deployment: its config has no clientKeys');
    const only = await withClient({ only: true });
    await expect(createClientSecret(only.context, only.clientId, {})).rejects.toThrow(
      'clientKeys.only',
    );
    await createClientSecret(only.context, only.clientId, { publicKey: ec() });
  });

  it('is not exchanged by a change that only stops, and comes back disabled from a restore', async () => {
    const { context, clients, clientId, audit } = await withClient();
    const { secret } = await createClientSecret(context, clientId, { publicKey: ec() });
    const stored = clients.get(clientId);
    if (stored === undefined) throw new Error('unreachable');
    const with1 = (more: object) => ({ ...stored, secrets: [{ ...secret, ...more }] });
    expect(onlyStopsClient(stored, with1({ stops: personStop }))).toBe(true);
    expect(onlyStopsClient(stored, with1({ publicKey: 'x', stops: personStop }))).toBe(false);
    expect(onlyStopsClient(stored, with1({ alg: 'PS256', stops: personStop }))).toBe(false);
    const made = audit.length;
    await disableClientSecret(context, clientId, secret.secretId);
    const replayed = replaySecrets(stored, audit.slice(made) as never, Number.POSITIVE_INFINITY);
    expect(replayed.secrets).toMatchObject([
      { ...secret, stops: { person: { by: 'arn:aws:iam::123456789012:user/ada' } } },
    ]);
  });
});
