import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bindManagement } from '../../../adapters/bind-management.ts';
import { hashSecret } from '../../../core/credential/credential-value.ts';
import { configWithKeys, createTestManagement, testConfig } from '../../support/management.ts';

const clientId = '7abcdefghijklmnopqrstuvwxy';
const drawn = (seed: string) => createHash('sha256').update(seed).digest('hex');
const secret = drawn('first');
const client = { clientId, secret, name: 'ERP', serviceTrunkGroup: 'tg-1', scopes: ['calls:view'] };
const day = 86_400;

function open(config: typeof testConfig = configWithKeys) {
  const test = createTestManagement({ config });
  return { ...test, test, management: bindManagement(test.context) };
}

describe('an imported client', () => {
  it('has its id and its secret of before, for as long as the config allows', async () => {
    const { test, management, clients, audit } = open();
    const made = await management.importClient({ ...client, tokenLifetime: 900 });
    expect(made).toMatchObject({ existed: false, client: { clientId } });
    const [stored] = clients.get(clientId)?.secrets ?? [];
    const expiresAt = test.now + 180 * day;
    expect(stored).toMatchObject({ hash: hashSecret(secret), imported: true, expiresAt });
    expect(JSON.stringify([made, audit])).not.toContain(secret.slice(0, 8));
    expect(audit.at(-1)?.after).toMatchObject({ client_id: clientId });
    const { steps } = await management.explainToken({ clientId });
    expect(steps[2]?.detail).toBe(
      `${stored?.secretId} (Imported): good until 2027-07-14T08:00:00Z, imported`,
    );
  });

  it('is imported once: with the same secret again, and with another one never', async () => {
    const { management, clients } = open();
    const check = await management.importClient({ ...client, checkOnly: true });
    expect([check.existed, clients.size]).toEqual([false, 0]);
    const { client: made } = await management.importClient(client);
    expect((await management.importClient(client)).existed).toBe(true);
    const refused = `the client "${clientId}" was imported before, with another secret or other values`;
    for (const other of [{ secret: drawn('second') }, { name: 'B' }, { tokenLifetime: 60 }]) {
      await expect(management.importClient({ ...client, ...other })).rejects.toThrow(refused);
    }
    const { version, secrets } = made;
    await management.deleteClientSecret(made.clientId, secrets[0]?.secretId ?? '', {
      ifVersion: version,
    });
    await expect(management.importClient(client)).rejects.toThrow(refused);
    expect(clients.size).toBe(1);
  });

  it('has a second secret, with it or later, until its end; none that was deleted comes back', async () => {
    const { test, management, clients } = open();
    const both = { ...client, secondSecret: drawn('second'), expiresAt: test.now + day };
    const hashes = () => clients.get(clientId)?.secrets.map(({ hash }) => hash);
    expect((await management.importClient({ ...both, secondSecret: secret })).existed).toBe(false);
    expect(hashes()).toEqual([hashSecret(secret)]);
    const other = { ...both, secret: drawn('third') };
    await expect(management.importClient(other)).rejects.toThrow('was imported before');
    await management.importClient({ ...both, checkOnly: true });
    expect(hashes()).toHaveLength(1);
    expect((await management.importClient(both)).existed).toBe(false);
    expect(hashes()).toEqual([secret, both.secondSecret].map(hashSecret));
    expect((await management.importClient(both)).existed).toBe(true);
    const [, second] = clients.get(clientId)?.secrets ?? [];
    expect(second).toMatchObject({ imported: true, expiresAt: both.expiresAt });
    await management.deleteClientSecret(clientId, second?.secretId ?? '');
    for (const secondSecret of [both.secondSecret, drawn('third')]) {
      const call = management.importClient({ ...both, secondSecret });
      await expect(call).rejects.toThrow('was imported before');
    }
    await management.importClient({ ...both, clientId: 'at-once' });
    expect(clients.get('at-once')?.secrets).toHaveLength(2);
  });

  it('is another one for an id that differs by case', async () => {
    const { management, clients } = open();
    await management.importClient(client);
    await management.importClient({ ...client, clientId: clientId.toUpperCase() });
    expect(clients.size).toBe(2);
  });

  it('has a secret whose end only comes sooner', async () => {
    const { test, management } = open();
    const { client: made } = await management.importClient(client);
    const { clientId } = made;
    const secretId = made.secrets[0]?.secretId ?? '';
    const end = test.now + 180 * day;
    for (const expiresAt of [null, end + 1]) {
      await expect(
        management.updateClientSecret(clientId, secretId, { expiresAt }),
      ).rejects.toThrow(`${secretId} was imported: its end only comes sooner. Create a secret`);
    }
    await management.updateClientSecret(clientId, secretId, { name: 'old' });
    await management.updateClientSecret(clientId, secretId, { expiresAt: end - 1 });
    const { expired } = await management.rotateClientSecret(clientId, { overlap: 60 });
    expect(expired).toMatchObject([{ secretId, expiresAt: test.now + 60 }]);
  });

  it('is refused without clientImport, and for a restricted caller', async () => {
    await expect(open(testConfig).management.importClient(client)).rejects.toThrow(
      'no client can be imported: the config has no clientImport',
    );
    const limited = open().management.forCaller({ trunkGroups: ['tg-1'] });
    await expect(limited.importClient(client)).rejects.toThrow(
      'An import concerns every service trunk group; the caller is limited to tg-1',
    );
  });
});

const allowedIds =
  'allowed: 3 to 256 printable ASCII characters without space, "%", "+" and ":", and not "client_", "key_" or the like first';
const allowedSecrets =
  'allowed: 24 to 256 random characters of printable ASCII without space and "%"';

describe('what is refused of another provider', () => {
  it.each([
    ['..', '".."'],
    ['x'.repeat(257), `"${'x'.repeat(76)}...`],
    ['client_4fWqEXAMPLE', '"client_4fWqEXAMPLE"'],
    ['CLIENT_3af3ntUH2vSIRxDiaXoEdd', '"CLIENT_3af3ntUH2vSIRxDiaXoEdd"'],
    [`${clientId} `, `"${clientId} "`],
    [`${clientId}\n`, `"${clientId}\\n"`],
    ...['secret_1', 'Key_erp', 'SUBNET_1', 'idp_1', 'cs_1', 'ak_1'].map((id): [string, string] => [
      id,
      `"${id}"`,
    ]),
    ['urn:example:erp', '"urn:example:erp"'],
    ['erp%20billing', '"erp%20billing"'],
    ['erp+billing', '"erp+billing"'],
    ['größenwahn', '"größenwahn"'],
    [['erp-billing'], '["erp-billing"]'],
    [undefined, 'nothing'],
  ])('the id %j', async (id, shown) => {
    const call = open().management.importClient({ ...client, clientId: id as string });
    await expect(call).rejects.toThrow(`client_id: received ${shown}; ${allowedIds}`);
  });

  const chosen = `Password-${drawn('a')}`;
  it.each([
    [secret.slice(0, 23), 'other characters, or 23 of them'],
    [secret.repeat(4) + 'a', 'other characters, or 257 of them'],
    [`${secret} `, 'other characters, or 65 of them'],
    [`${secret}\n`, 'other characters, or 65 of them'],
    [`${secret}%`, 'other characters, or 65 of them'],
    ['a'.repeat(40), 'fewer than 8 different characters'],
    ['0110100110010110100101100110100110', 'fewer than 8 different characters'],
    ['correct-horse1'.repeat(3), 'repetitions'],
    [secret.slice(0, 20).repeat(3), 'repetitions'],
    [chosen, 'a well-known word'],
    ['Change-Me_0a9b8c7d6e5f4g3h2i1j0kzz', 'a well-known word'],
    [5, 'no text'],
    [undefined, 'no text'],
  ])('a secret of no machine, which no message repeats', async (value, weakness) => {
    const { management, audit } = open();
    const call = management.importClient({ ...client, secret: value as string });
    const message = `secret: received one with ${weakness}; ${allowedSecrets}`;
    await expect(call).rejects.toEqual(expect.objectContaining({ message }));
    if (value !== undefined) {
      const second = management.importClient({ ...client, secondSecret: value as string });
      await expect(second).rejects.toMatchObject({ message: `second_${message}` });
    }
    expect(audit).toEqual([]);
  });

  it.each([
    ['its id', { clientId: secret.slice(0, 40) }],
    ['its id in capitals', { clientId: 'acme-01', secret: 'xK3-ACME01-q9Zt4mWv8rYb2nHsPdL' }],
    ['its name', { name: 'Acme Billing', secret: 'AcmeBillingServiceProduction2024!' }],
    ['a word of its name', { name: 'Globex GmbH', secret: 'Zt4mWv8rYb2nHsQ1-gLoBeX-7uPx5kLd' }],
  ])('a secret with %s inside', async (_, changed) => {
    const call = open().management.importClient({ ...client, ...changed });
    const message = `secret: received one with the id or the name of its client inside; ${allowedSecrets}`;
    await expect(call).rejects.toThrow(message);
    const { secret: secondSecret } = { secret, ...changed };
    const second = { ...client, ...changed, secret: drawn('other'), secondSecret };
    await expect(open().management.importClient(second)).rejects.toThrow(`second_${message}`);
  });

  it('is no random secret in the forms of Cognito, Keycloak, Auth0 and Okta', async () => {
    const { management } = open();
    const lower = 'abcdefghijklmnopqrstuvwxyz0123456789';
    const letters = `${lower}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;
    const forms = [
      [lower, 51],
      [letters, 32],
      [`${letters}_-`, 64],
      [`${letters}_-`, 40],
    ] as const;
    for (let seed = 0; seed < 2500; seed += 1) {
      const bytes = createHash('shake256', { outputLength: 320 }).update(`${seed}`).digest();
      const draw = (alphabet: string, from: number, length: number) =>
        Array.from({ length }, (_, at) => alphabet[(bytes[from + at] ?? 0) % alphabet.length]).join(
          '',
        );
      for (const [at, [alphabet, length]] of forms.entries()) {
        const value = draw(alphabet, 64 * at, length);
        const named = { clientId: draw(lower, 256, 26), name: 'Billing of Acme GmbH' };
        const call = { ...client, ...named, secret: value, checkOnly: true };
        expect((await management.importClient(call)).existed).toBe(false);
      }
    }
  });
});
