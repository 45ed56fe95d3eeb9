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
  return new RegExp(String.raw`^\s*${pattern}\s*$`);
}

/** Pairs of a documented line and the line of the output that it describes, in any order. */
function matchLines(
  documented: readonly string[],
  output: string,
): readonly (readonly [documented: string, line: string | undefined])[] {
  const left = output.split('\n');
  return documented.map((line) => {
    const pattern = patternOf(line);
    const at = left.findIndex((candidate) => pattern.test(candidate));
    return [line, at === -1 ? undefined : left.splice(at, 1)[0]];
  });
}

/** The documented lines that the output lacks. What two commands made in one second has no order. */
export function missingLines(documented: readonly string[], output: string): readonly string[] {
  return matchLines(documented, output)
    .filter(([, line]) => line === undefined)
    .map(([line]) => line);
}

/** Ids of the page by the ids of this run, from the lines that have both. */
export function learnIds(
  documented: readonly string[],
  output: string,
  known: Map<string, string>,
): void {
  for (const [theirs, ours = ''] of matchLines(documented, output)) {
    const own = ours.match(idPattern) ?? [];
    for (const [index, id] of (theirs.match(idPattern) ?? []).entries()) {
      const found = own[index];
      if (found !== undefined && !known.has(id)) known.set(id, found);
    }
  }
}
