import type { Check } from '../../core/deployment/doctor.ts';
import { command } from '../command-spec.ts';

const words: Readonly<Record<Check['outcome'], string>> = {
  ok: 'ok',
  warning: 'warning',
  problem: 'PROBLEM',
  unseen: 'not seen',
};

/** Looks at what a deployment needs, and changes nothing. */
export const doctorCommand = command({
  name: 'doctor',
  summary: 'Check what a deployment needs: this machine, the account, its quotas, the config',
  examples: ['doctor --config config/mine.json', 'doctor --local', 'doctor --json'],
  run: async (cli) => {
    const { lookAround } = await import('../look-around.ts');
    const checks = await lookAround(cli);
    cli.output.printList(checks, {
      view: (check) => ({ ...check }),
      id: ({ name, outcome }) => `${name}: ${words[outcome]}`,
      columns: {
        check: ({ name }) => name,
        result: ({ outcome }) => words[outcome],
        seen: ({ seen }) => seen,
        needed: ({ needed }) => needed,
        'what to do': ({ todo }) => todo,
      },
      none: '',
    });
    const count = (expected: Check['outcome']) =>
      checks.filter(({ outcome }) => outcome === expected).length;
    const [problems, unseen] = [count('problem'), count('unseen')];
    cli.output.note(
      `Of ${checks.length} checks, problems: ${problems}, warnings: ${count('warning')}, not seen: ${unseen}.`,
    );
    if (problems + unseen > 0) cli.answerNo();
  },
});
