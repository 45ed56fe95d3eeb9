import type { RequestFinding } from '../core/management/explain-request.ts';

/** Longer values are cut: the problem is usually visible in the beginning. */
const maxShown = 300;

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}

/** What a rule of the verifier looked at, in one or two lines. */
export function describeFinding(finding: RequestFinding | undefined): readonly string[] {
  if (finding === undefined) return [];
  const { name, received, expected, hint } = finding;
  return [
    `${name}: received ${show(received)}; expected ${expected}.`,
    ...(hint === undefined ? [] : [`Hint: ${hint}.`]),
  ];
}
