import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { noticeDetails } from '../../../contract/notices.ts';
import { formatRecordId } from '../../../core/audit/audit-change.ts';
import type { AuditRecord } from '../../../core/audit/audit-log.ts';
import { ChangeNotices } from '../../../core/notices/change-notices.ts';
import type { Notice } from '../../../core/notices/notice.ts';

const source = { deployment: 'authorization-server', region: 'slc' } as const;
const at = (time: string) => Date.parse(`2026-11-20T${time}Z`);
const since = at('00:00:00');
const until = at('12:00:00');

function record(
  changeId: string,
  time: string,
  outcome: AuditRecord['outcome'] = 'done',
  more: Partial<AuditRecord> = {},
): AuditRecord {
  return {
    time: `2026-11-20T${time}.000Z`,
    recordId: formatRecordId(changeId, outcome),
    actor: 'arn:aws:iam::123456789012:user/ada',
    action: 'client.update',
    subject: 'client_1',
    outcome,
    ...more,
  };
}

const changesOf = (notices: readonly Notice<'change'>[]) =>
  notices.map(({ detail }) => [detail.change_id, detail.outcome]);

describe('the notice of a change', () => {
  it('has names and ids, and no values', () => {
    const notices = new ChangeNotices(source, { since, until });
    const state = {
      client_id: 'client_1',
      service_trunk_group: 'tg-1001',
      name: 'Billing',
      scope: 'messaging:view',
      version: 1,
      updated_at: '2026-11-20T10:00:00Z',
    };
    const after = { ...state, scope: 'messaging:view calls:view', version: 2, updated_at: 'x' };
    const taken = notices.take([record('c1', '10:00:00', 'done', { before: state, after })]);
    expect(taken).toEqual([
      {
        kind: 'change',
        detail: {
          version: 1,
          notice_id: expect.stringMatching(/^[\w-]{43}$/),
          deployment: 'authorization-server',
          service_trunk_group: 'tg-1001',
          change_id: 'c1',
          region: 'slc',
          action: 'client.update',
          subject: 'client_1',
          name: 'Billing',
          client_id: 'client_1',
          actor: 'arn:aws:iam::123456789012:user/ada',
          outcome: 'done',
          changed_at: '2026-11-20T10:00:00.000Z',
          changed: ['scope'],
        },
      },
    ]);
    expect(v.parse(noticeDetails.change, taken[0]?.detail)).toEqual(taken[0]?.detail);
    expect(JSON.stringify(taken)).not.toContain('calls:view');
  });

  it('has no trunk group if the change concerns all of them', () => {
    const notices = new ChangeNotices(source, { since, until });
    const [notice] = notices.take([
      record('c1', '10:00:00', 'done', { action: 'identity_provider.register', after: {} }),
    ]);
    expect(notice?.detail).not.toHaveProperty('service_trunk_group');
  });

  it.each<[string, Pick<AuditRecord, 'before' | 'after'>, object]>([
    [
      'registered',
      { after: { service_trunk_groups: ['tg-1001'] } },
      { service_trunk_group: 'tg-1001' },
    ],
    [
      'deleted',
      { before: { service_trunk_groups: ['tg-1001'] } },
      { service_trunk_group: 'tg-1001' },
    ],
    [
      'taken over by the staff',
      { before: { service_trunk_groups: ['tg-1001'] }, after: { service_trunk_groups: [] } },
      { service_trunk_group: 'tg-1001' },
    ],
    [
      'given to another trunk group',
      {
        before: { service_trunk_groups: ['tg-2002'] },
        after: { service_trunk_groups: ['tg-1001'] },
      },
      { service_trunk_groups: ['tg-1001', 'tg-2002'] },
    ],
  ])('names the trunk group of an own provider that was %s', (_, states, expected) => {
    const notices = new ChangeNotices(source, { since, until });
    const [notice] = notices.take([record('c1', '10:00:00', 'done', states)]);
    const { service_trunk_group, service_trunk_groups } = notice?.detail ?? {};
    expect({ service_trunk_group, service_trunk_groups }).toEqual(expected);
    expect(v.parse(noticeDetails.change, notice?.detail)).toEqual(notice?.detail);
  });

  it.each<[string, readonly AuditRecord[], readonly (readonly string[])[]]>([
    ['done', [record('c1', '10:00:00', 'intended'), record('c1', '10:00:01')], [['c1', 'done']]],
    ['failed', [record('c1', '10:00:00', 'intended'), record('c1', '10:00:01', 'failed')], []],
    ['without an outcome', [record('c1', '10:00:00', 'intended')], [['c1', 'unfinished']]],
    [
      'without an outcome for 15 minutes, and then with one',
      [record('c1', '10:00:00', 'intended'), record('c2', '10:15:00'), record('c1', '10:16:00')],
      [
        ['c1', 'unfinished'],
        ['c2', 'done'],
        ['c1', 'done'],
      ],
    ],
    ['of the next run', [record('c1', '12:00:01', 'intended'), record('c1', '12:00:02')], []],
    [
      'whose outcome is of the next run',
      [record('c1', '12:00:00', 'intended'), record('c1', '12:00:01')],
      [],
    ],
  ])('is sent for one that is %s', (_, records, expected) => {
    const notices = new ChangeNotices(source, { since, until });
    const taken = notices.take(records);
    expect(changesOf([...taken, ...notices.advance(at('12:15:00'))])).toEqual(expected);
    expect(notices.told).toBe(until);
  });

  it('is not lost if the reading stops between an intent and its outcome', () => {
    const first = new ChangeNotices(source, { since, until });
    const read = [
      record('c1', '10:00:00', 'intended'),
      record('c2', '10:00:00', 'intended'),
      record('c2', '10:00:02'),
    ];
    expect(changesOf(first.take(read))).toEqual([['c2', 'done']]);
    expect(first.told).toBe(at('10:00:00'));
    const next = new ChangeNotices(source, { since: first.told, until });
    const again = next.take([...read, record('c1', '10:00:03')]);
    expect(changesOf(again)).toEqual([
      ['c2', 'done'],
      ['c1', 'done'],
    ]);
    // The repetition has the same id.
    expect(again[0]).toEqual(new ChangeNotices(source, { since, until }).take(read)[0]);
  });
});
