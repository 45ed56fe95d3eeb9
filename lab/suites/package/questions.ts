import assert from 'node:assert/strict';
import type { Command } from '../../support/run-command.ts';
import { type Answers, keys, runInTerminal } from '../../support/run-in-terminal.ts';

/** A question, the key that ends it, and what the person then reads. */
interface Row {
  readonly answers: Answers;
  readonly code: number;
  readonly last: RegExp;
}

/** What a program says when a person does not answer: one line, and no stack trace. */
async function check(command: Command, rows: readonly Row[], environment = {}): Promise<string> {
  for (const { answers, code, last } of rows) {
    const result = await runInTerminal(command, answers, { environment });
    if ('missing' in result) return `SKIPPED: questions on a terminal: ${result.missing}`;
    const lines = result.output.trim().split('\r\n');
    assert.match(lines.at(-1) ?? '', last, result.output);
    assert.doesNotMatch(result.output, /^\s+at |Error:|Warning:/m, result.output);
    assert.equal(result.code, code, result.output);
  }
  return 'Ctrl-C and Ctrl-D end each question with one line';
}

const folder = ['Folder (', keys.enter] as const;
const region = ['AWS region (', keys.enter] as const;

/** `create` at each of its questions. A wrong answer is refused when it is given. */
export function checkCreateQuestions(command: Command): Promise<string> {
  const prompts: readonly Answers[] = [
    [['Folder (', '']],
    [folder, ['AWS region (', '']],
    [folder, region, ['URI of your API (', '']],
  ];
  const typed = (answers: Answers, key: string): Answers =>
    answers.map(([prompt, text], at) => [prompt, at === answers.length - 1 ? key : text] as const);
  return check(command, [
    ...prompts.flatMap((answers) => [
      {
        answers: typed(answers, keys.ctrlC),
        code: 130,
        last: /^create: interrupted; nothing was written$/,
      },
      {
        answers: typed(answers, keys.ctrlD),
        code: 1,
        last: /^create: cancelled; nothing was written$/,
      },
    ]),
    {
      answers: [
        folder,
        ['AWS region (', `us-west-9${keys.enter}`],
        ['received "us-west-9"; allowed: ', ''],
        ['AWS region (', keys.ctrlC],
      ],
      code: 130,
      last: /^create: interrupted; nothing was written$/,
    },
  ]);
}

/** `authctl` before a change that cannot be undone. */
export function checkConfirmation(command: Command, environment: object): Promise<string> {
  const rows = [
    {
      answers: [['[y/N]', keys.ctrlC]],
      code: 130,
      last: /^authctl: interrupted; nothing was changed$/,
    },
    { answers: [['[y/N]', keys.ctrlD]], code: 1, last: /^authctl: nothing was changed$/ },
  ] as const;
  return check(command, rows, environment);
}
