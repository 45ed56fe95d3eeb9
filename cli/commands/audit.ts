import { Option } from 'commander';
import type { Management } from '../../adapters/management.ts';
import type { AuditedChange } from '../../core/audit/audited-change.ts';
import type { AuditPage } from '../../core/management/list-audit.ts';
import type { HistoricChange, HistoryPage } from '../../core/management/list-history.ts';
import { isDay } from '../../core/rfc3339.ts';
import type { CommandGroup, CommandSpec } from '../command-spec.ts';
import { UsageError } from '../usage-error.ts';

interface ListOptions {
  readonly day?: string;
  readonly subject?: string;
  readonly actor?: string;
  readonly action?: string;
  readonly unfinished?: boolean;
}

/** The library checks the day too; this message names the option. */
function checkDay(day: string | undefined, option = '--day'): void {
  if (day === undefined || isDay(day)) return;
  throw new UsageError(`${option}: received "${day}"; allowed: a UTC day, e.g. 2026-11-20`);
}

async function readChanges(management: Management, day: string | undefined) {
  const changes: AuditedChange[] = [];
  let page: AuditPage | undefined;
  do {
    page = await management.listAudit({ day, cursor: page?.nextCursor });
    changes.push(...page.items);
  } while (page.nextCursor !== undefined);
  return { day: page.day, changes };
}

/** Whether a change is of a record, or of what belongs to it, as a secret to its client. */
function isAbout({ subject, before, after }: AuditedChange, id: string): boolean {
  return [subject, before?.['client_id'], after?.['client_id']].includes(id);
}

function matches(change: AuditedChange, options: ListOptions): boolean {
  const { subject, actor, action, unfinished } = options;
  return (
    (subject === undefined || isAbout(change, subject)) &&
    (actor === undefined || change.actor.includes(actor)) &&
    (action === undefined || change.action.startsWith(action)) &&
    (unfinished !== true || change.outcome === 'unfinished')
  );
}

const list: CommandSpec = {
  name: 'list',
  summary: 'Show who changed what on a day, the newest first, as this region recorded it',
  options: [
    new Option('--day <day>', 'UTC day, e.g. 2026-11-20; default today'),
    new Option('--subject <id>', 'changes of one client and its secrets, secret, key, provider'),
    new Option('--actor <text>', 'changes by callers whose ARN has this text'),
    new Option('--action <prefix>', 'e.g. client_secret, signing_key.withdraw'),
    new Option('--unfinished', 'only changes without an outcome: check the item that they concern'),
  ],
  examples: [
    'audit list',
    'audit list --day 2026-11-20 --action client_secret.delete',
    'audit list --unfinished --json',
  ],
  run: async (cli, _, options: ListOptions) => {
    checkDay(options.day);
    const { day, changes } = await readChanges(await cli.management(), options.day);
    cli.output.printList<AuditedChange>(
      changes.filter((change) => matches(change, options)),
      {
        view: ({ changeId, ...change }) => ({ change_id: changeId, ...change }),
        id: ({ changeId }) => changeId,
        columns: {
          time: ({ time }) => time,
          actor: ({ actor }) => actor,
          action: ({ action }) => action,
          subject: ({ subject }) => subject,
          outcome: ({ outcome }) => outcome,
        },
        none: `There is nothing in the audit of ${day}.`,
      },
    );
  },
};

const history: CommandSpec = {
  name: 'history',
  summary: 'Show every change of one thing and of what belongs to it, over days, in all regions',
  arguments: [['id', 'of a client, a secret or an API key, or the issuer of a provider']],
  options: [
    new Option(
      '--since <day>',
      'first UTC day; default: that of its creation, or 400 days ago if it no longer exists',
    ),
  ],
  examples: [
    'audit history client_4fWqXbN1uYJ7ZkP0aLmE3d',
    'audit history secret_4fWqXbN1uYJ7ZkP0aLmE3d --since 2026-11-01 --json',
  ],
  run: async (cli, [id = ''], { since }: { readonly since?: string }) => {
    checkDay(since, '--since');
    const management = await cli.management();
    const changes: HistoricChange[] = [];
    const unread = new Map<string, string>();
    let page: HistoryPage | undefined;
    do {
      page = await management.listHistory(id, { since, cursor: page?.nextCursor });
      changes.push(...page.items);
      for (const { region, reason } of page.unread) unread.set(region, reason);
    } while (page.nextCursor !== undefined);
    cli.output.printList<HistoricChange>(changes, {
      view: ({ changeId, ...change }) => ({ change_id: changeId, ...change }),
      id: ({ changeId }) => changeId,
      columns: {
        time: ({ time }) => time,
        region: ({ region }) => region,
        actor: ({ actor }) => actor,
        action: ({ action }) => action,
        subject: ({ subject }) => subject,
        outcome: ({ outcome }) => outcome,
      },
      none: `There is nothing about it in the audit since ${page.since}.`,
    });
    for (const [region, reason] of unread) {
      cli.output.note(`The changes of ${region} are missing: ${reason}`);
    }
  },
};

export const auditCommands: CommandGroup = {
  name: 'audit',
  summary: 'Show who changed what',
  commands: [list, history],
};
