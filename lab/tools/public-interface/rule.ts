/** What a release changes of the public interface: lines that are gone, and lines that are new. */
export function compareInterfaces(before: readonly string[], after: readonly string[]) {
  return {
    removed: before.filter((line) => !after.includes(line)),
    added: after.filter((line) => !before.includes(line)),
  };
}

type Version = readonly [major: number, minor: number, patch: number];

/** The version of a release; a pre-release (`1.0.0-preview.0`) is read as the release that it becomes. */
function parseVersion(text: string): Version {
  const [release = ''] = text.split('-');
  const [major = 0, minor = 0, patch = 0] = release.split('.').map(Number);
  return [major, minor, patch];
}

/**
 * The lowest version that may follow. Below 1.0, a removal is a minor version and an addition a
 * patch; from 1.0 on, a major and a minor one (https://semver.org, items 4, 7 and 8).
 */
export function lowestVersion(
  before: string,
  { removed, added }: ReturnType<typeof compareInterfaces>,
): string {
  const [major, minor, patch] = parseVersion(before);
  const parts =
    removed.length > 0
      ? [`${major + 1}.0.0`, `0.${minor + 1}.0`]
      : added.length > 0
        ? [`${major}.${minor + 1}.0`, `0.${minor}.${patch + 1}`]
        : [before, before];
  return (major > 0 ? parts[0] : parts[1]) ?? before;
}

function isLower(version: string, than: string): boolean {
  const [left, right] = [parseVersion(version), parseVersion(than)];
  const at = left.findIndex((part, index) => part !== right[index]);
  return at >= 0 && (left[at] ?? 0) < (right[at] ?? 0);
}

/** The name within a line, as the changelog has it: its last word. */
function nameOf(line: string): string {
  return line.split(' ').at(-1) ?? line;
}

/**
 * Names of which the changelog needs one: that of the line; of a key above it (`portal` for
 * `portal.domain`) that changes as well; or of its group, such as a kind of item, if all lines of
 * the group change.
 */
function allowedNames(line: string, changed: readonly string[], stays: readonly string[]) {
  const words = line.split(' ');
  const group = words.slice(0, -1).join(' ');
  const parts = nameOf(line).split('.');
  const above = parts
    .map((_, index) => parts.slice(0, index + 1).join('.'))
    .filter((name) => changed.includes(`${group} ${name}`));
  const isWhole = words.length > 2 && !stays.some((each) => each.startsWith(`${group} `));
  return [nameOf(line), ...above, ...(isWhole ? [nameOf(group)] : [])];
}

export interface Release {
  /** The last version, and the one that follows. */
  readonly before: string;
  readonly version: string;
  /** The public interface of both. */
  readonly linesBefore: readonly string[];
  readonly lines: readonly string[];
  /** The part of the changelog about the version that follows. */
  readonly changelog: string;
}

/** What is missing for a release: a higher version, or names in the changelog. */
export function findProblems(release: Release): readonly string[] {
  const { before, version, linesBefore, lines } = release;
  const { removed, added } = compareInterfaces(linesBefore, lines);
  const lowest = lowestVersion(before, { removed, added });
  const code = release.changelog.match(/`[^`]+`/g)?.join(' ') ?? '';
  const named = new Set(code.match(/[\w./-]+/g));
  const unnamed = (changed: readonly string[], stays: readonly string[], what: string) =>
    changed
      .filter((line) => !allowedNames(line, changed, stays).some((name) => named.has(name)))
      .map((line) => `CHANGELOG.md has to name \`${nameOf(line)}\`: ${what} (${line})`);
  return [
    ...(isLower(version, lowest)
      ? [`package.json: received ${version}; allowed after ${before}: ${lowest} or higher`]
      : []),
    ...unnamed(removed, lines, 'it is gone'),
    ...unnamed(added, linesBefore, 'it is new'),
  ];
}
