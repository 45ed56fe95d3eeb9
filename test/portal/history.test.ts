import { describe, expect, it } from 'vitest';
import { UnavailableError } from '../../core/errors.ts';
import { createMemoryAuditHistory } from '../support/memory-stores.ts';
import { createPortalWorld, personOf } from './portal-world.ts';

const day = 86_400;

describe('the history of a client', () => {
  it('has its changes and those of its secrets, over days, in words', async () => {
    const world = await createPortalWorld();
    const { management, clientId, secretId, get } = world;
    world.now += 3 * day;
    await management.revokeClientTokens(clientId);
    world.now += 2 * day;
    await management.updateClientSecret(clientId, secretId, { name: 'blue' });
    await management.createClient({
      name: 'Other',
      serviceTrunkGroup: 'tg-1001',
      scopes: ['calls:view'],
    });
    world.now += day;
    const text = await (await get(`/clients/${clientId}/history`)).text();
    for (const words of [
      'Created a client',
      'Created a secret',
      'Revoked the tokens of a client',
      'Changed a secret',
    ]) {
      expect(text).toContain(words);
    }
    expect(text.match(/<h2>\d{4}-\d\d-\d\d<\/h2>/g)).toHaveLength(3);
    expect(text).not.toContain('Other');
    expect(text).not.toContain('revoke_tokens');
    // The page is about the client: only the secrets are named.
    expect(text).toContain('<p class="entry-subject"></p>');
    expect(text).not.toContain(`<code>${clientId}</code>`);
    expect(text).toContain(`<code>${secretId}</code>`);
    expect(text).not.toContain('>Earlier</a>');
  });

  it('of one day names that day once', async () => {
    const { clientId, get } = await createPortalWorld();
    const text = await (await get(`/clients/${clientId}/history`)).text();
    expect(text).toContain('Changes of 2027-01-15, in all regions.');
  });

  it('goes on over pages, down to its creation', async () => {
    const world = await createPortalWorld();
    const { clientId, get } = world;
    world.now += 120 * day;
    const text = await (await get(`/clients/${clientId}/history`)).text();
    expect(text).toContain('Nothing was changed in these days');
    let older = text;
    for (let pages = 0; pages < 20 && !older.includes('Created a client'); pages += 1) {
      const [, earlier = ''] = /href="([^"]+)">Earlier<\/a>/.exec(older) ?? [];
      older = await (await get(earlier.replaceAll('&amp;', '&'))).text();
    }
    expect(older).toContain('Created a client');
    expect(older).not.toContain('>Earlier</a>');
  });

  it('reads a day with many changes to its end', async () => {
    const world = await createPortalWorld();
    const { management, keyId, get } = world;
    for (let count = 0; count < 300; count++) {
      await management.setApiKeyEnabled(keyId, count % 2 === 1);
    }
    const text = await (await get(`/api-keys/${keyId}/history`)).text();
    expect(text).toContain('Created an API key');
    expect(text.match(/Disabled an API key/g)).toHaveLength(150);
  });

  it('names a region whose audit cannot be read', async () => {
    const down = new UnavailableError('could not read the audit in us-east-2');
    const world = await createPortalWorld();
    const { context, clientId, get } = world;
    Object.assign(context, { auditHistory: createMemoryAuditHistory({ slc: [], dfw: down }) });
    const text = await (await get(`/clients/${clientId}/history`)).text();
    expect(text).toContain('The audit of dfw could not be read');
  });

  it('is for managers of the trunk group', async () => {
    const world = await createPortalWorld({}, 'tg-1001');
    const path = `/clients/${world.clientId}/history`;
    world.signInAs(personOf('viewer', ['tg-1001']));
    expect((await world.get(path)).status).toBe(403);
    world.signInAs(personOf('manager', ['tg-2002']));
    expect((await world.get(path)).status).toBe(404);
    world.signInAs(personOf('manager', ['tg-1001']));
    expect(await (await world.get(path)).text()).toContain('Created a client');
  });
});

describe('the audit', () => {
  it.each(['Revoked the tokens', 'revoke_tokens', 'Billing', 'secret'])(
    'is found by %s',
    async (words) => {
      const { management, clientId, get } = await createPortalWorld();
      await management.revokeClientTokens(clientId);
      const text = await (await get(`/audit?text=${encodeURIComponent(words)}`)).text();
      expect(text).not.toContain('No change matches');
      expect(text).toContain(clientId);
    },
  );
});
