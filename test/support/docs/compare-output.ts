/** Ids that differ from run to run; a page's own are learnt from the first output that has them. */
const idPattern = /\b(?:client|secret|key)_[0-9A-Za-z]{22}\b/g;

/** What differs from run to run as well: secrets, tokens, hashes, times, numbers. */
const variable =
  /(?:…|(?:client|secret|key)_[0-9A-Za-z]{22}|(?:cs|ak)_[\w-]+…?|eyJ[\w.-]+…?|\d{4}-\d{2}-\d{2}(?:T[\d:]+Z)?|https?:\/\/localhost:\d+|\d+)/g;

function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

/** A pattern of a documented line: columns may be wider, and variable parts are anything. */
function patternOf(line: string): RegExp {
  const parts = line.trim().split(variable);
  const found = line.trim().match(variable) ?? [];
  const pattern = parts
    .map((part, index) => {
      const text = escape(part).replaceAll(/\s+/g, String.raw`\s+`);
      if (index >= found.length) return text;
      return text + (found[index] === '…' ? '.*' : String.raw`\S+?`);
    })
    .join('');
  return new RegExp(pattern);
}

/** The documented lines that the output lacks, in the order of the page. */
export function missingLines(documented: readonly string[], output: string): readonly string[] {
  const lines = output.split('\n');
  let next = 0;
  return documented.filter((line) => {
    const pattern = patternOf(line);
    const at = lines.findIndex((candidate, index) => index >= next && pattern.test(candidate));
    if (at === -1) return true;
    next = at + 1;
    return false;
  });
}

/** Ids of the page by the ids of this run, in the order in which both name them. */
export function learnIds(
  documented: readonly string[],
  output: string,
  known: Map<string, string>,
): void {
  const theirs = [...new Set(documented.join('\n').match(idPattern))];
  const ours = [...new Set(output.match(idPattern))];
  for (const [index, id] of theirs.entries()) {
    const own = ours[index];
    if (own !== undefined && !known.has(id)) known.set(id, own);
  }
}
