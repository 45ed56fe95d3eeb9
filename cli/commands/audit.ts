import type { AuditedChange } from '../../core/audit/audit-change.ts';
import type { HistoricChange } from '../../core/management/list-history.ts';
import { type CommandGroup, command, type OptionValues, option } from '../command-spec.ts';
import { readPages } from './list-options.ts';

const listOptions = [
  option('--day <day>', 'UTC day, e.g. 2026-11-20; default today'),
  option('--subject <id>', 'changes of one client and its secrets, secret, key, provider'),
  option('--actor <text>', 'changes by callers whose ARN has this text'),
  option('--action <prefix>', 'e.g. client_secret, signing_key.withdraw'),
  option('--unfinished', 'only changes without an outcome: check the item that they concern'),
] as const;

/** Whether a change is of a record, or of what belongs to it, as a secret to its client. */
function isAbout({ subject, before, after }: AuditedChange, id: string): boolean {
  return [subject, before?.['client_id'], after?.['client_id']].includes(id);
}

function matches(change: AuditedChange, options: OptionValues<typeof listOptions>): boolean {
  const { subject, actor, action, unfinished } = options;
  return (
    (subject === undefined || isAbout(change, subject)) &&
    (actor === undefined || change.actor.includes(actor)) &&
    (action === undefined || change.action.startsWith(action)) &&
    (unfinished !== true || change.outcome === 'unfinished')
  );
}

const changes = {
  view: ({ changeId, ...change }: AuditedChange) => ({ change_id: changeId, ...change }),
  id: ({ changeId }: AuditedChange) => changeId,
  columns: {
    time: ({ time }: AuditedChange) => time,
    actor: ({ actor }: AuditedChange) => actor,
    action: ({ action }: AuditedChange) => action,
    subject: ({ subject }: AuditedChange) => subject,
    outcome: ({ outcome }: AuditedChange) => outcome,
  },
};

const list = command({
  name: 'list',
  summary: 'Show who changed what on a day, the newest first, as this region recorded it',
  options: listOptions,
  examples: [
    'audit list',
    'audit list --day 2026-11-20 --action client_secret.delete',
    'audit list --unfinished --json',
  ],
  run: async (cli, _, options) => {
    const management = await cli.management();
    const pages = await readPages((cursor) => management.listAudit({ day: options.day, cursor }));
    cli.output.printList<AuditedChange>(
      pages.flatMap(({ items }) => items).filter((change) => matches(change, options)),
      { ...changes, none: `There is nothing in the audit of ${pages[0]?.day}.` },
    );
  },
});

const history = command({
  name: 'history',
  summary: 'Show every change of one thing and of what belongs to it, over days, in all regions',
  arguments: [['id', 'of a client, a secret or an API key, or the issuer of a provider']],
  options: [
    option(
      '--since <day>',
      'first UTC day; default: that of its creation, or 400 days ago if it no longer exists',
    ),
  ],
  examples: [
    'audit history client_4fWqXbN1uYJ7ZkP0aLmE3d',
    'audit history secret_4fWqXbN1uYJ7ZkP0aLmE3d --since 2026-11-01 --json',
  ],
  run: async (cli, [id], { since }) => {
    const management = await cli.management();
    const pages = await readPages((cursor) => management.listHistory(id, { since, cursor }));
    const unread = new Map(
      pages.flatMap((page) => page.unread.map(({ region, reason }) => [region, reason] as const)),
    );
    const { time, ...columns } = changes.columns;
    cli.output.printList<HistoricChange>(
      pages.flatMap(({ items }) => items),
      {
        ...changes,
        columns: { time, region: ({ region }) => region, ...columns },
        none: `There is nothing about it in the audit since ${pages.at(-1)?.since}.`,
      },
    );
    for (const [region, reason] of unread) {
      cli.output.note(`The changes of ${region} are missing: ${reason}`);
    }
  },
});

export const auditCommands: CommandGroup = {
  name: 'audit',
  summary: 'Show who changed what',
  commands: [list, history],
};
