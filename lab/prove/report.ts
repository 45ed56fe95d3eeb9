import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatColumns } from '../support/generated-parts.ts';
import { kinds } from './clean.ts';
import { leaveOut, type Proof, proofs } from './proofs.ts';
import { type Answer, listThings, type RunRecord } from './run-record.ts';

/**
 * What no report may have: numbers of accounts, what contains them, and credentials. The word that
 * stands for each says what was there.
 */
const patterns: readonly (readonly [pattern: RegExp, word: string])[] = [
  [/\barn:aws[a-z-]*:[^\s"'`,;)\]}]*/g, '<arn>'],
  [/(?<!\d)\d{12}(?!\d)/g, '<account>'],
  [/\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,}\b/g, '<access key>'],
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, '<token>'],
  [/\b(?:Basic|Bearer) [\w+/=.~-]{12,}/gi, '<credential>'],
  [/\b[A-Za-z0-9]{10}(?=\.execute-api\.)/g, '<api>'],
];

export const redact = (text: string): string =>
  patterns.reduce((left, [pattern, word]) => left.replace(pattern, word), text);

/** A cell has one line, and no link, which would lead nowhere from the report's folder. */
function toCell(text: string): string {
  const line = text
    .replace(/ \(\[[^)]+\)\)/g, '')
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replace(/\s+/g, ' ');
  return line.replaceAll('|', '\\|').slice(0, 600);
}

type Row = Proof & { readonly answer: Answer };

/** Chapters of the report, for those who were not there. */
const chapters = {
  failed: ['Failed', 'It was not seen to be true, or the question ended with an error.'],
  passed: ['Passed', 'It was seen, or measured.'],
  'not asked': ['Not asked by this run', 'The command can ask it. This run says nothing about it.'],
  'left to people': [
    'Left to people',
    'No run of this command says anything about it. People must try it.',
  ],
} as const satisfies Readonly<Record<Answer['result'], readonly string[]>>;

function formatRows(rows: readonly Row[]): string {
  return formatColumns(rows, {
    id: ({ id }) => `\`${id}\``,
    about: ({ about }) => about,
    'what AWS must show': ({ shows }) => toCell(shows),
    'figures, or why not': ({ answer: { reason, figures = {} } }) => {
      const measured = Object.entries(figures).map(([name, value]) => `${name}: ${value}`);
      return toCell([...(reason === undefined ? [] : [reason]), ...measured].join('; '));
    },
  });
}

function formatLeft(things: ReturnType<typeof listThings>): string {
  if (things.length === 0) {
    return 'Nothing that has a price. Without one, the following stay: signing keys, which KMS deletes after 30 days; last backups of the tables, which DynamoDB keeps for 35 days; if the run made it, the role with which API Gateway writes logs, which a setting of the account names, and its log group `/aws/apigateway/welcome`.';
  }
  return formatColumns(things, {
    'still there': ({ kind, name, awsRegion }) => `${kind} \`${name}\` in ${awsRegion}`,
    price: ({ kind }) => kinds[kind].price,
    why: ({ stays = 'it was not deleted yet' }) => toCell(stays),
  });
}

/**
 * Writes `proof.json` and `proof.md` into the folder of the run. They may be sent to anyone.
 *
 * @returns the sum, and whether everything asked has passed and nothing is left.
 */
export function writeReport(record: RunRecord, isEmulator: boolean) {
  const { folder, name, awsRegions, startedAt, facts, answers } = record;
  const things = listThings(record);
  const endedAt = new Date().toISOString();
  const rows = proofs.map((proof): Row => {
    return { ...proof, answer: answers[proof.id] ?? leaveOut(proof, 'the run ended before') };
  });
  const all = Object.groupBy(rows, ({ answer }) => answer.result);
  const results = Object.keys(chapters) as (keyof typeof chapters)[];
  const sum = results.map((result) => `${all[result]?.length ?? 0} ${result}`).join(', ');
  const [target, warning] = isEmulator
    ? [
        'an emulator of AWS',
        '**This run says nothing about AWS**: it shows that the command works. What passed was seen on the emulator only. It rings no alarm, runs no schedule, shifts no requests between versions, restores no table to a moment, and has no TLS, logs, throttles and authorizers of AWS.',
      ]
    : ['AWS', ''];
  const parts = results.map((result) => {
    const [{ length }, [title, says]] = [all[result] ?? [], chapters[result]];
    return `## ${title}: ${length}\n\n${length === 0 ? 'None.' : `${says}\n\n${formatRows(all[result] ?? [])}`}`;
  });
  const text = `# Proof on ${target}: ${sum}

The authorization server was deployed to ${target} as \`${name}\`, in ${awsRegions.join(' and ')}. The run began at ${startedAt} and ended at ${endedAt}. ${warning}

${parts.join('\n\n')}

## The run

${formatColumns(Object.entries(facts), { fact: ([fact]) => fact, value: ([, value]) => toCell(value) })}

## What is left

${formatLeft(things)}
`;
  const proved = rows.map(({ id, about, shows, answer }) => ({ id, about, shows, ...answer }));
  const left = things.map((thing) => ({ ...thing, price: kinds[thing.kind].price }));
  const run = { format: 1, target, awsRegions, startedAt, endedAt, facts };
  const document = { ...run, proofs: proved, left };
  writeFileSync(join(folder, 'proof.json'), redact(`${JSON.stringify(document, undefined, 2)}\n`));
  writeFileSync(join(folder, 'proof.md'), redact(text));
  return { sum, isGood: all.failed === undefined && things.length === 0 };
}
