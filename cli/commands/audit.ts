import type { AuditedChange } from '../../core/audit/audit-change.ts';
import type { HistoricChange } from '../../core/management/list-changes.ts';
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
  view: ({ changeId, actorName, actorIsStaff, ...change }: AuditedChange) => ({
    change_id: changeId,
    ...change,
    ...(actorName !== undefined && { actor_name: actorName }),
    ...(actorIsStaff && { actor_is_staff: true }),
  }),
  id: ({ changeId }: AuditedChange) => changeId,
};

/** Makes the cells of each change but its time. The name is a person's own claim: it has a column. */
function cellsOf(changes: readonly AuditedChange[]) {
  const isNamed = changes.some(({ actorName }) => actorName !== undefined);
  return ({ actor, actorIsStaff, actorName, action, subject, outcome }: AuditedChange) => ({
    // No actor begins like that, but names can.
    actor: actorIsStaff ? `Platform staff ${actor}` : actor,
    ...(isNamed && { name: actorName }),
    action,
    subject,
    outcome,
  });
}

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
    let day = options.day;
    const pages = readPages(cli.output, (cursor) => cli.management.listAudit({ day, cursor }));
    async function* readMatches() {
      for await (const page of pages) {
        day ??= page.day;
        yield page.items.filter((change) => matches(change, options));
      }
    }
    await cli.output.printPages<AuditedChange>(readMatches(), (items) => {
      const cells = cellsOf(items);
      return {
        ...changes,
        row: (change) => ({ time: change.time, ...cells(change) }),
        none: `There is nothing in the audit of ${day}.`,
      };
    });
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
    const unread = new Map<string, string>();
    let from = since;
    const pages = readPages(cli.output, (cursor) =>
      cli.management.listHistory(id, { since, cursor }),
    );
    async function* readHistory() {
      for await (const page of pages) {
        from = page.since;
        for (const { region, reason } of page.unread) unread.set(region, reason);
        yield page.items;
      }
    }
    await cli.output.printPages<HistoricChange>(readHistory(), (items) => {
      const cells = cellsOf(items);
      return {
        ...changes,
        row: (change) => ({ time: change.time, region: change.region, ...cells(change) }),
        none: `There is nothing about it in the audit since ${from}.`,
      };
    });
    for (const [region, reason] of unread) {
      cli.output.note(`The changes of ${region} are missing: ${reason}`);
    }
  },
});

const eraseName = command({
  name: 'erase-name',
  summary: 'Erase the name of a person for good; the subject stays, and gets no name again',
  arguments: [['subject', 'of the person, as the audit shows it: https://issuer#subject']],
  examples: ["audit erase-name 'https://login.example.com#ada'"],
  run: async (cli, [subject]) => {
    await cli.confirm(`Erase the name of ${subject}? It is never recorded again.`);
    await cli.management.erasePersonName(subject);
    cli.output.print({ json: { subject, erased: true }, quiet: [subject], text: 'Erased.' });
  },
});

export const auditCommands: CommandGroup = {
  name: 'audit',
  summary: 'Show who changed what',
  commands: [list, history, eraseName],
};
