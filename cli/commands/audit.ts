import { Option } from 'commander';
import type { AuditRecord } from '../../core/audit/audit-log.ts';
import type { CommandGroup, CommandSpec } from '../command-spec.ts';
import { UsageError } from '../usage-error.ts';

interface ListOptions {
  readonly day?: string;
  readonly subject?: string;
  readonly actor?: string;
  readonly action?: string;
  readonly unfinished?: boolean;
}

const dayPattern = /^\d{4}-\d{2}-\d{2}$/;

/** JavaScript reads the 30th of February as the 2nd of March. */
function isDay(text: string): boolean {
  const time = dayPattern.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function readDay(day: string | undefined): string {
  if (day === undefined) return new Date().toISOString().slice(0, 'yyyy-mm-dd'.length);
  if (isDay(day)) return day;
  throw new UsageError(`--day: received "${day}"; allowed: a UTC day, e.g. 2026-11-20`);
}

/** Intents without an outcome: the change may have been made. */
function withoutOutcome(records: readonly AuditRecord[]): readonly AuditRecord[] {
  const nameOf = ({ action, subject }: AuditRecord): string => JSON.stringify([action, subject]);
  const lastOutcome = new Map(
    records
      .filter(({ outcome }) => outcome !== 'intended')
      .map((record) => [nameOf(record), record.time]),
  );
  return records.filter(
    (record) =>
      record.outcome === 'intended' && (lastOutcome.get(nameOf(record)) ?? '') < record.time,
  );
}

function matches(record: AuditRecord, { subject, actor, action }: ListOptions): boolean {
  return (
    (subject === undefined || record.subject === subject) &&
    (actor === undefined || record.actor.includes(actor)) &&
    (action === undefined || record.action.startsWith(action))
  );
}

const list: CommandSpec = {
  name: 'list',
  summary: 'Show who changed what on a day, as this region recorded it',
  options: [
    new Option('--day <day>', 'UTC day, e.g. 2026-11-20; default today'),
    new Option('--subject <id>', 'changes of one client, secret, key, provider'),
    new Option('--actor <text>', 'changes by callers whose ARN has this text'),
    new Option('--action <prefix>', 'e.g. client_secret, signing_key.withdraw'),
    new Option('--unfinished', 'only intents without an outcome: check what they changed'),
  ],
  examples: [
    'audit list',
    'audit list --day 2026-11-20 --action client_secret.delete',
    'audit list --unfinished --json',
  ],
  run: async (cli, _, options: ListOptions) => {
    const day = readDay(options.day);
    const reader = await cli.audit();
    const all: AuditRecord[] = [];
    for await (const record of reader.listAudit(day)) all.push(record);
    const records = options.unfinished === true ? withoutOutcome(all) : all;
    cli.output.printList<AuditRecord>(
      records.filter((record) => matches(record, options)),
      {
        view: ({ recordId, ...record }) => ({ record_id: recordId, ...record }),
        id: ({ recordId }) => recordId,
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

export const auditCommands: CommandGroup = {
  name: 'audit',
  summary: 'Show who changed what',
  commands: [list],
};
