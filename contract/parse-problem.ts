import type * as v from 'valibot';

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** Those of some texts that apply. */
export function saying(...texts: readonly (string | false)[]): readonly string[] {
  return texts.filter((text) => text !== false);
}

/** One sentence for each thing that is wrong: the key, the value received, what is allowed. */
export function describeIssues(issues: readonly v.BaseIssue<unknown>[]): readonly string[] {
  return issues.map((issue) => {
    const path = issue.path?.map((item) => String(item.key)).join('.') ?? '';
    const where = path === '' ? 'the document' : path;
    if (issue.type === 'strict_object' && issue.expected === 'never') {
      const key = issue.path?.at(-1);
      return issue.message.startsWith('allowed')
        ? `${where}: received ${show(key?.value)}; ${issue.message}`
        : `${where}: ${issue.message.startsWith('unknown') ? issue.message : 'unknown key'}`;
    }
    if (issue.kind === 'schema' && issue.input === undefined) return `${where}: missing`;
    const isSaid = issue.kind === 'validation' || issue.message.startsWith('expected ');
    const said = isSaid ? issue.message : `expected ${issue.expected ?? issue.message}`;
    return `${where}: received ${show(issue.input)}; ${said}`;
  });
}
