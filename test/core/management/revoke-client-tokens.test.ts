import { describe, expect, it } from 'vitest';
import {
  ConflictError,
  NotFoundError,
  UnavailableError,
  VersionConflictError,
} from '../../../core/errors.ts';
import { viewClient } from '../../../core/management/client-view.ts';
import type { ManagementContext } from '../../../core/management/management-context.ts';
import { createTestManagement } from '../../support/management.ts';
import {
  createClient,
  createClientSecret,
  deleteClient,
  revokeClientTokens,
  updateClient,
} from '../../support/operations.ts';

const input = { name: 'Billing', serviceTrunkGroup: 'tg-1001', scopes: ['messaging:view'] };

async function withClient(overrides: Partial<ManagementContext> = {}) {
  const test = createTestManagement(overrides);
  const { client } = await createClient(test.context, input);
  return { ...test, test, client };
}

describe("revoking a client's tokens", () => {
  it('refuses what was issued until now, by clocks that differ by a second', async () => {
    const { test, context, client } = await withClient();
    const calledAt = test.now;
    const changed = await revokeClientTokens(context, client.clientId);
    // A function whose clock is a second ahead has issued tokens of calledAt + 1.
    expect(changed.tokensNotBefore).toBe(calledAt + 2);
    // One whose clock is a second behind issues no token before the cut-off from now on.
    expect(test.now - 1).toBeGreaterThanOrEqual(calledAt + 2);
    expect(changed).toMatchObject({ version: client.version + 1, updatedAt: test.now });
    expect(test.clients.get(client.clientId)).toEqual(changed);
  });

  it('takes the latest time that AWS may have, and waits for the earliest', async () => {
    const waits: number[] = [];
    const { context, client } = await withClient({
      awsTime: () => ({ earliest: 1_799_999_990_400, latest: 1_799_999_991_450 }),
      wait: async (milliseconds) => void waits.push(milliseconds),
    });
    const changed = await revokeClientTokens(context, client.clientId);
    expect(changed.tokensNotBefore).toBe(1_799_999_993);
    expect(waits).toEqual([3600]);
  });

  it('never moves the cut-off back', async () => {
    const { context, client } = await withClient();
    const first = await revokeClientTokens(context, client.clientId);
    const behind = { ...context, awsTime: () => ({ earliest: 1000, latest: 2000 }) };
    const second = await revokeClientTokens(behind, client.clientId);
    expect(second).toEqual(first);
  });

  it('changes nothing if AWS has not said the time', async () => {
    const { context, client, clients } = await withClient({ awsTime: () => undefined });
    await expect(revokeClientTokens(context, client.clientId)).rejects.toThrow(UnavailableError);
    expect(clients.get(client.clientId)).toEqual(client);
  });

  it('changes nothing if the version is another, also one that appears meanwhile', async () => {
    const { test, context, client, clients } = await withClient();
    const options = { ifVersion: client.version + 1 };
    await expect(revokeClientTokens(context, client.clientId, options)).rejects.toThrow(
      VersionConflictError,
    );
    const renames = {
      ...context,
      wait: async () => void (await updateClient(context, client.clientId, { name: 'Other' })),
    };
    const seen = { ifVersion: client.version };
    await expect(revokeClientTokens(renames, client.clientId, seen)).rejects.toThrow(ConflictError);
    expect(clients.get(client.clientId)).toMatchObject({
      name: 'Other',
      version: client.version + 1,
    });
    expect(clients.get(client.clientId)?.tokensNotBefore).toBeUndefined();
    expect(test.audit.at(-1)).toMatchObject({ action: 'client.update', outcome: 'done' });
    // Without a version, what was renamed meanwhile is revoked.
    const revoked = await revokeClientTokens(renames, client.clientId);
    expect(revoked.tokensNotBefore).toBeGreaterThan(0);
  });

  it('changes nothing of a client that was created again under the same id meanwhile', async () => {
    const test = createTestManagement();
    const again = { ...input, idempotencyKey: 'billing-production' };
    const { client } = await createClient(test.context, again);
    await createClientSecret(test.context, client.clientId, {});
    const replaced: ManagementContext = {
      ...test.context,
      wait: async () => {
        await deleteClient(test.context, client.clientId);
        await createClient(test.context, { ...again, scopes: ['calls:view'] });
        await createClientSecret(test.context, client.clientId, {});
      },
    };
    await expect(revokeClientTokens(replaced, client.clientId)).rejects.toThrow(NotFoundError);
    expect(test.clients.get(client.clientId)).toMatchObject({ scopes: ['calls:view'] });
  });

  it('is in the audit and in every view, and stays with later changes', async () => {
    const { context, client, audit } = await withClient();
    const { tokensNotBefore = 0 } = await revokeClientTokens(context, client.clientId);
    const shown = new Date(tokensNotBefore * 1000).toISOString().replace('.000', '');
    expect(audit.at(-1)).toMatchObject({
      action: 'client.revoke_tokens',
      subject: client.clientId,
      outcome: 'done',
      after: { tokens_not_before: shown, version: client.version + 1 },
    });
    const renamed = await updateClient(context, client.clientId, { name: 'Other' });
    expect(viewClient(renamed, context.config)).toMatchObject({ tokens_not_before: shown });
  });
});
