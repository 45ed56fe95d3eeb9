import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, extname, join, normalize } from 'node:path';
import type { Command } from 'commander';
import { createProgram } from '../../cli/program.ts';
import { markdownFiles, root } from '../support/markdown.ts';
import { parts } from './contents.ts';

function leavesOf(command: Command, words: string): readonly (readonly [string, Command])[] {
  if (command.commands.length === 0) return [[words, command]];
  return command.commands.flatMap((each) => leavesOf(each, `${words} ${each.name()}`));
}

/** What `--help` of a command prints, as Markdown that fits a narrow page. */
function formatHelp(command: Command): string {
  const help = command.createHelp();
  const rows = [
    ...help
      .visibleArguments(command)
      .map((each) => [help.argumentTerm(each), help.argumentDescription(each)]),
    ...help
      .visibleOptions(command)
      .filter(({ long }) => long !== '--help')
      .map((each) => [help.optionTerm(each), help.optionDescription(each)]),
  ].map((cells) => cells.map((cell) => cell.replaceAll('|', String.raw`\|`)));
  const table = [
    '| argument or option | meaning |',
    '|---|---|',
    ...rows.map(([term, text]) => `| \`${term}\` | ${text} |`),
  ];
  return `${help.commandDescription(command)}

\`\`\`text
${help.commandUsage(command)}
\`\`\`
${rows.length === 0 ? '' : `\n${table.join('\n')}\n`}`;
}

/** A page with the help of every command. The global options stand once, at the top. */
function formatCommands(): string {
  const { stdin, stdout, stderr } = process;
  const program = createProgram({ stdin, stdout, stderr, env: {}, cwd: '/' }, () => undefined);
  const sections = leavesOf(program, 'authctl').map(
    ([words, command]) => `## ${words}\n\n${formatHelp(command)}`,
  );
  return `# Every command of authctl

Every command also takes the options of \`authctl\` itself. \`--help\` after a command has an example.

${formatHelp(program)}
${sections.join('\n')}`;
}

/** A page of the site that is made, not written, by its path. */
const made: Readonly<Record<string, () => string>> = { 'authctl-commands.md': formatCommands };

/** Where a page of the repository is in the site. */
export function sitePath(page: string): string {
  const path = page
    .replace(/^docs\/README\.md$/, 'documents.md')
    .replace(/^docs\//, '')
    .replace(/^verifier\/README\.md$/, 'packages/verifier.md')
    .replace(/^packages\/(\w+)\/README\.md$/, 'packages/$1.md')
    .replace(/(^|\/)README\.md$/, '$1index.md');
  return path.includes('/') ? path : path.toLowerCase();
}

function listPages(): readonly string[] {
  const under = (folder: string) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => basename(name) === 'README.md' && !name.includes('node_modules'))
      .map((name) => join(folder, name));
  const readmes = ['packages', 'verifier', 'examples'].flatMap(under);
  return [...new Set([...markdownFiles(), 'CHANGELOG.md', ...readmes])];
}

const asText: ReadonlySet<string> = new Set(['.png', '.svg', '.json', '.yaml', '.txt']);
const languages: Readonly<Record<string, string>> = {
  '.conf': 'nginx',
  '.cfg': 'text',
  '.go': 'go',
  '.java': 'java',
  '.py': 'python',
  '.sh': 'sh',
  '.ts': 'ts',
  '.yaml': 'yaml',
  '.yml': 'yaml',
};

/** A file of the repository that a page links to, as a page of its own. */
function formatCode(path: string): string {
  const file = join(root, path);
  const content = statSync(file).isDirectory()
    ? readdirSync(file).sort().join('\n')
    : readFileSync(file, 'utf8').trimEnd();
  const language = languages[extname(path)] ?? 'text';
  return `# ${basename(path)}\n\n\`${path}\`\n\n\`\`\`\`${language}\n${content}\n\`\`\`\`\n`;
}

/** The innermost folder of the contents that a page is in; empty if it is in none. */
export function folderOf(page: string): string {
  const all = parts.flatMap(({ folders = [] }) => folders);
  const around = all.filter((folder) => page.startsWith(`${folder}/`));
  return around.sort((one, other) => other.length - one.length)[0] ?? '';
}

/** The pages of the site in a folder. */
export class Stage {
  readonly #folder: string;
  readonly #pages = new Map<string, string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Writes every page, and what the pages link to. */
  fill(): void {
    const pages = listPages();
    for (const page of pages) this.#pages.set(page, sitePath(page));
    for (const page of Object.keys(made)) this.#pages.set(page, page);
    for (const page of pages) this.#write(page, readFileSync(join(root, page), 'utf8'));
    for (const [page, format] of Object.entries(made)) this.#write(page, format());
    writeFileSync(this.#path('llms.txt', true), this.#formatIndex());
  }

  #path(name: string, isPublic: boolean): string {
    const path = join(this.#folder, isPublic ? 'public' : '', name);
    mkdirSync(dirname(path), { recursive: true });
    return path;
  }

  #write(page: string, text: string): void {
    const path = this.#pages.get(page) ?? page;
    writeFileSync(this.#path(path, true), text);
    writeFileSync(this.#path(path, false), this.#rewriteLinks(page, text));
  }

  /** Links lead to the site's pages, outside code only. */
  #rewriteLinks(page: string, text: string): string {
    const withoutParts = text.replaceAll(/^<!-- .*? -->\n/gm, '');
    return withoutParts
      .split(/(^ *```.*?^ *```$|`[^`\n]+`)/ms)
      .map((piece, index) =>
        index % 2 === 1
          ? piece
          : piece.replaceAll(
              /\]\((?![a-z]+:|#)([^)\s#]+)(#[^)\s]*)?\)/g,
              (_, target: string, anchor = '') => {
                const path = normalize(join(dirname(page), target)).replace(/\/$/, '');
                return `](${this.addressOf(path)}${anchor})`;
              },
            ),
      )
      .join('');
  }

  /** The address of a path of the repository. @throws {Error} if there is no such file. */
  addressOf(path: string): string {
    const found = this.#pages.get(path) ?? this.#pages.get(join(path, 'README.md'));
    if (found !== undefined) return `/${found.replace(/(?:(^|\/)index)?\.md$/, '$1')}`;
    if (!existsSync(join(root, path)))
      throw new Error(`a page links to ${path}, which is not there`);
    if (path === 'docs/openapi.yaml') return '/api.html';
    if (asText.has(extname(path)) && path.startsWith('docs/')) {
      const name = path.replace(/^docs\//, '');
      cpSync(join(root, path), this.#path(name, true));
      return `/${name}`;
    }
    // With another extension than .html in its name, VitePress and static servers take it for a file.
    const code = `code/${path.replaceAll('.', '-')}.md`;
    this.#pages.set(path, code);
    writeFileSync(this.#path(code, false), formatCode(path));
    return this.addressOf(path);
  }

  titleOf(page: string): string {
    const text = readFileSync(join(this.#folder, this.#pages.get(page) ?? page), 'utf8');
    return /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? page;
  }

  /** VitePress's sidebar. Every page has its place. */
  formatSidebar(): readonly object[] {
    const named = new Set(parts.flatMap(({ entries }) => entries.map(([, page]) => page)));
    return parts.map(({ text, entries, folders = [], isClosed = false }) => {
      const others = [...this.#pages.keys()].filter(
        (page) => page.endsWith('.md') && !named.has(page) && folders.includes(folderOf(page)),
      );
      const items = [
        ...entries.map(([label, page]) => {
          const [path = '', anchor] = page.split('#');
          const link = this.addressOf(path) + (anchor === undefined ? '' : `#${anchor}`);
          return { text: label, link, ...(link === '/api.html' && { target: '_self' }) };
        }),
        ...others.map((page) => ({ text: this.titleOf(page), link: this.addressOf(page) })),
      ];
      return { text, items, collapsed: isClosed };
    });
  }

  /** For programs that read: https://llmstxt.org. Each page is there as Markdown, too. */
  #formatIndex(): string {
    const lines = [...this.#pages]
      .filter(([page]) => page.endsWith('.md'))
      .map(([page, path]) => `- [${this.titleOf(page)}](${path})`);
    return `# Authorization server for AWS

> An OAuth 2.0 authorization server for machine-to-machine access on AWS. Not yet run on AWS.

## Pages

${lines.join('\n')}
- [API, OpenAPI 3.1](openapi.json)
`;
  }
}
