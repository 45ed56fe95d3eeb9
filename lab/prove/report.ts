import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatColumns } from '../support/generated-parts.ts';
import { kinds } from './clean.ts';
import { type Proof, proofs } from './proofs.ts';
import { redact } from './redact.ts';
import type { Answer, RunRecord } from './run-record.ts';

/** A cell has one line, and no link, which would lead nowhere from the report's folder. */
function toCell(text: string): string {
  const line = text.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').replace(/\s+/g, ' ');
  return line.replaceAll('|', '\\|').slice(0, 600);
}

const reasonOf = ({ reason = '', figures = {} }: Answer): string =>
  [reason, ...Object.entries(figures).map(([name, value]) => `${name}: ${value}`)]
    .filter((word) => word !== '')
    .join('; ');

const results = ['failed', 'passed', 'not asked'] as const;

/** Of a run that did not come to it. */
function unreached({ check, needs }: Proof): Answer {
  const reason = check === undefined ? `it needs ${needs}` : 'the run ended before';
  return { result: 'not asked', reason };
}

/**
 * Writes `proof.json` and `proof.md` into the folder of the run. They may be sent to anyone.
 *
 * @param secrets that this run has made.
 * @returns the sum, and whether everything asked has passed and nothing is left.
 */
export function writeReport(record: RunRecord, isEmulator: boolean, secrets: readonly string[]) {
  const { name, awsRegions, startedAt, facts, answers } = record.contents;
  const target = isEmulator
    ? 'an emulator: it shows that the checks work, and **nothing about AWS**'
    : 'AWS';
  const rows = proofs
    .map((proof) => ({ ...proof, answer: answers[proof.id] ?? unreached(proof) }))
    .sort((a, b) => results.indexOf(a.answer.result) - results.indexOf(b.answer.result));
  const counts = results.map(
    (result) => `${rows.filter(({ answer }) => answer.result === result).length} ${result}`,
  );
  const sum = counts.join(', ');
  const left = record.things.map((thing) => ({ ...thing, price: kinds[thing.kind].price }));
  const write = (file: string, text: string) =>
    writeFileSync(join(record.folder, file), redact(text, secrets));
  const proved = rows.map(({ id, shows, answer }) => ({ id, shows, ...answer }));
  const document = { format: 1, target, awsRegions, startedAt, facts, proofs: proved, left };
  write('proof.json', `${JSON.stringify(document, undefined, 2)}\n`);
  write(
    'proof.md',
    `# Proof: ${sum}

The deployment ${name} of the authorization server ran on ${target}. Regions: ${awsRegions.join(', ')}. Begun: ${startedAt}.

- **passed**: what the row says was seen, or measured.
- **failed**: it was not, or the question ended with an error.
- **not asked**: this run says nothing about it.

${formatColumns(rows, {
  id: ({ id }: Proof) => `\`${id}\``,
  result: ({ answer }) => answer.result,
  'what is shown': ({ shows }) => toCell(shows),
  'figures, or why not': ({ answer }) => toCell(reasonOf(answer)),
})}

${formatColumns(Object.entries(facts), {
  'before the run': ([fact]) => fact,
  was: ([, value]) => toCell(value),
})}

## What is left

${
  left.length === 0
    ? 'Nothing with a price. KMS deletes the signing keys in 30 days, and does not bill them until then. If the run made it, the role with which API Gateway logs stays: a setting of the account names it.'
    : formatColumns(left, {
        'still there': ({ kind, name: one, awsRegion }) => `${kind} \`${one}\` in ${awsRegion}`,
        price: ({ price }) => price,
        why: ({ stays = 'it was not deleted yet' }) => toCell(stays),
      })
}
`,
  );
  return { sum, isGood: left.length === 0 && counts[0]?.startsWith('0') === true };
}
