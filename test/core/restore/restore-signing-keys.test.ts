import { expect, it } from 'vitest';
import type { AuditRecord } from '../../../core/audit/audit-log.ts';
import { restoreSigningKeys } from '../../../core/restore/restore-tables.ts';
import type { SigningKey } from '../../../core/signing-key/signing-key.ts';
import { createTestManagement } from '../../support/management.ts';
import { createMemoryShelf } from '../../support/memory-shelf.ts';
import { signingKey } from '../../support/rotation-keys.ts';
import { storedKind } from '../../support/stored-kind.ts';

const since = 1_800_000_000;
const withdrawnAt = since + 3600;

const none = <T>() => storedKind<T>(() => [], new Map(), String);

async function restoreKey(
  state: SigningKey['state'],
  record: Partial<AuditRecord>,
  at = withdrawnAt,
) {
  const stored = signingKey('key-1', { state, version: 4 });
  const change: AuditRecord = {
    recordId: 'c-2-done',
    time: new Date(at * 1000).toISOString(),
    actor: 'rotation',
    action: 'signing_key.withdraw',
    subject: stored.kid,
    outcome: 'done',
    after: { region: 'slc' },
    ...record,
  };
  const live = new Map<string, SigningKey>();
  const rows = await restoreSigningKeys(
    createTestManagement().context,
    {
      signingKeys: storedKind(
        () => [stored],
        live,
        ({ kid }) => kid,
      ),
      algorithmChoice: none(),
      heartbeats: none(),
    },
    {
      async *readAudit() {
        yield change;
      },
      shelf: createMemoryShelf(),
      undelete: new Set(),
      since,
      dryRun: false,
    },
  );
  return { stored, rows, restored: live.get(stored.kid) };
}

const withdrawn = { state: 'withdrawn', withdrawnAt, disableAt: withdrawnAt, version: 5 };

it.each<[SigningKey['state'], string, Partial<AuditRecord>]>([
  ['next', 'was withdrawn since', {}],
  ['current', 'was withdrawn since', {}],
  ['previous', 'was withdrawn since', {}],
  ['current', 'was perhaps withdrawn since', { outcome: 'intended', recordId: 'c-1-intended' }],
])('a key in state %s that %s stays out of the JWKS', async (state, _, record) => {
  const { stored, rows, restored } = await restoreKey(state, record);
  // With its record, the rotation disables the key in KMS, and takes it up no more.
  expect(restored).toEqual({ ...stored, ...withdrawn });
  expect(rows[0]?.because.join()).toMatch(/withdrawn at 20/);
});

it.each<[SigningKey['state'], string, Partial<AuditRecord>, number?]>([
  ['current', 'whose withdrawal failed', { outcome: 'failed' }],
  ['current', 'of which another one was withdrawn', { subject: 'key-2' }],
  ['current', 'that took another step', { action: 'signing_key.retire' }],
  ['disabled', 'that was withdrawn before', {}, since - 3600],
  ['withdrawn', 'that was withdrawn before', {}],
])('a key in state %s %s comes back as it was', async (state, _, record, at) => {
  const { stored, rows, restored } = await restoreKey(state, record, at);
  expect(restored).toEqual(stored);
  expect(rows[0]).toMatchObject({ outcome: 'restored', because: [] });
});

it('a key that was published since and is lost is named', async () => {
  const { rows } = await restoreKey('current', { action: 'signing_key.publish', subject: 'key-2' });
  expect(rows[1]).toMatchObject({ id: 'key-2', outcome: 'lost' });
  expect(rows[1]?.lookAt.join()).toContain('its tokens are refused, unless');
});
