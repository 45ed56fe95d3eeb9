import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createProgram } from '../../cli/program.ts';
import { operatorGroups } from '../../contract/operator-permissions.ts';
import { commandOf, suites } from '../../lab/suites/suites.ts';
import { readDocument, readPart } from '../../lab/support/generated-parts.ts';
import {
  codeBlocks,
  countBlocks,
  describeBlocks,
  isShell,
  markdownFiles,
  readPage,
  root,
} from '../../lab/support/markdown.ts';
import { figure } from '../support/figure.ts';

interface PackageJson {
  readonly scripts: Readonly<Record<string, string>>;
}

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as PackageJson;
const program = createProgram(
  { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: {}, cwd: root },
  () => undefined,
);

interface Named {
  readonly page: string;
  readonly code: string;
}

/** Every line of code of every page, from blocks and from between backticks. */
const named: readonly Named[] = markdownFiles().flatMap((page) => {
  const text = readPage(page);
  const lines = codeBlocks(text).flatMap((block) => block.lines);
  const spans = [...text.replaceAll(/^( *)```.*?^\1```$/gms, '').matchAll(/`([^`\n]+)`/g)];
  return [...lines, ...spans.map(([, code = '']) => code)].map((code) => ({ page, code }));
});

function complaints(of: (code: string) => readonly string[]): readonly string[] {
  return named.flatMap(({ page, code }) => of(code).map((problem) => `${page}: ${problem}`));
}

/** npm's own commands that run a script of the package. */
const shortcuts = new Set(['start', 'test']);

function unknownScripts(code: string): readonly string[] {
  const names = [...code.matchAll(/\bnpm (?:run )?(-s )?([a-z][\w:-]*)/g)];
  return names
    .map(([text, , name = '']) => ({ text, name }))
    .filter(({ text, name }) => text.startsWith('npm run ') || shortcuts.has(name))
    .filter(({ name }) => !(name in scripts))
    .map(({ name }) => `there is no script ${name}`);
}

const ownOptions = new Set(program.options.map(({ long }) => long));

function optionsOf(command: Command): ReadonlySet<string | undefined> {
  return new Set([...ownOptions, '--help', ...command.options.map(({ long }) => long)]);
}

/** Follows the words of a command line into the tree of commands, as authctl itself would. */
function unknownCommands(code: string): readonly string[] {
  return [...code.matchAll(/(?:^|[\s(])authctl((?: +[^\s|;)]+)+)/g)].flatMap(([, rest = '']) => {
    const words = rest.trim().split(/ +/);
    let command: Command = program;
    for (const word of words.filter((one) => /^[a-z][a-z-]*$/.test(one))) {
      const next = command.commands.find((candidate) => candidate.name() === word);
      if (next === undefined && command.commands.length > 0) return [`authctl ${rest.trim()}`];
      command = next ?? command;
    }
    const known = optionsOf(command);
    const options = words.map((word) => /^\[?(--[a-z-]+)/.exec(word)?.[1]);
    return options
      .filter((option) => option !== undefined && !known.has(option))
      .map((option) => `authctl ${command.name()} has no option ${option}`);
  });
}

/** The CDK synthesises before each of these. */
const synthesises =
  /\bcdk (?:bootstrap|deploy|destroy|diff|drift|import|list|ls|rollback|synth|watch)\b/;

/** The stacks of an example have the names of the deployed ones, so no config is a default. */
function commandsWithoutConfig(code: string): readonly string[] {
  const isCommand = /^(?:\$ )?(?:\w+=\S+ )*npx (?:--no -- )?cdk /.test(code.trim());
  return isCommand && synthesises.test(code) && !/ (?:-c config=|--app cdk\.out)/.test(code)
    ? [code]
    : [];
}

describe('what the documentation names exists:', () => {
  it('npm scripts', () => {
    expect(complaints(unknownScripts)).toEqual([]);
    expect(unknownScripts('npm run no-such-script')).toEqual(['there is no script no-such-script']);
  });

  it('authctl commands and their options', () => {
    expect(complaints(unknownCommands)).toEqual([]);
    expect(unknownCommands('npx --no -- authctl --local client destroy X')).toHaveLength(1);
    expect(unknownCommands('authctl client list --colour')).toEqual([
      'authctl list has no option --colour',
    ]);
  });

  it('commands of this project that npx runs only if they are installed', () => {
    const downloads = (code: string) =>
      /\bnpx (?!--no -- )[^|;]*\b(?:authctl|forward-auth)\b/.test(code) ? [code] : [];
    const warning = 'Write `npx --no -- authctl`, not `npx authctl`.';
    expect(readPage('docs/authctl.md')).toContain(warning);
    expect(complaints(downloads)).toEqual(['docs/authctl.md: npx authctl']);
    expect(downloads('npx -y authctl client list')).toHaveLength(1);
  });

  it('packages by their archives: until the scope is owned, a name installs what its owner wants', () => {
    const byName = (code: string) =>
      /\bnp[mx] (?!pack\b|view\b)[^|;]*\s@authorization-server-aws\b/.test(code) ? [code] : [];
    expect(complaints(byName)).toEqual([]);
    expect(byName('npm install --save-exact @authorization-server-aws/verifier')).toHaveLength(1);
    expect(byName('npm create @authorization-server-aws')).toHaveLength(1);
  });

  it('the config of every command of the CDK, except in a project of npm create, which has one', () => {
    expect(complaints(commandsWithoutConfig)).toEqual([
      'README.md: npx cdk deploy',
      'docs/deployment-test.md: npx cdk deploy',
    ]);
    const one = 'AWS_REGION=us-east-2 npx cdk deploy AuthorizationServer-dfw';
    expect(commandsWithoutConfig(`${one} -c config=config/mine.json`)).toEqual([]);
    expect(commandsWithoutConfig(`${one} --app cdk.out`)).toEqual([]);
    expect(commandsWithoutConfig(one)).toEqual([one]);
  });

  it('the option by which a deployment takes back what an earlier one left', () => {
    const deployments = markdownFiles().flatMap((page) =>
      readPage(page)
        .split('\n')
        .filter((line) => /^(?:AWS_REGION=\S+ )?npx cdk deploy AuthorizationServer-/.test(line))
        .map((line) => `${page}: ${line}`),
    );
    expect(deployments.length).toBeGreaterThan(10);
    expect(deployments.filter((line) => !line.includes(' --import-existing-resources '))).toEqual(
      [],
    );
  });

  it('the alarms that ring when they are created, for those who update', () => {
    const [, section = ''] = readPage('docs/runbook/README.md').split('## When alarms are created');
    for (const name of [
      'signing-key-rotation-missed',
      'synthetic-check-failed',
      'notices-missed',
    ]) {
      expect(section).toContain(`\`${name}\``);
      expect(readPage('docs/upgrade.md')).toContain(`\`${name}\``);
    }
  });

  it('the option without which a provider with clients is not deleted', () => {
    const promises = markdownFiles().flatMap((page) =>
      readPage(page)
        .split('\n')
        .filter((line) => line.includes('`authctl provider delete') && line.includes('clients'))
        .map((line) => ({ page, line })),
    );
    expect(promises.length).toBeGreaterThan(1);
    expect(promises.filter(({ line }) => !line.includes(' --cascade`'))).toEqual([]);
  });

  it('the policies of operators that a removal deletes', () => {
    const loops = [...readPage('docs/deploy.md').matchAll(/^for group in (.+); do$/gm)];
    const all = Object.keys(operatorGroups);
    expect(loops.map(([, names = '']) => names.split(' '))).toEqual([all, all]);
  });

  it('no partition, where the account is a variable', () => {
    const one = (code: string) => (/arn:aws:\S*\$[A-Z{]/.test(code) ? [code] : []);
    expect(complaints(one)).toEqual([]);
  });

  it('the labels of the portal, in bold', () => {
    const page = readPage('docs/procedures/leaked-token.md');
    const [, section = ''] = /## In the portal\n(.*?)\n## /s.exec(page) ?? [];
    const labels = [...section.matchAll(/\*\*([^*]+)\*\*/g)].map(([, label = '']) => label);
    expect(labels.length).toBeGreaterThan(5);
    const sources = readdirSync(join(root, 'portal/pages'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(root, 'portal/pages', name), 'utf8'))
      .join('\n');
    expect(labels.filter((label) => !sources.includes(`'${label}'`))).toEqual([]);
  });

  it('files that links lead to', () => {
    const broken = markdownFiles().flatMap((page) =>
      [...readPage(page).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !existsSync(join(root, dirname(page), target)))
        .map((target) => `${page}: ${target}`),
    );
    expect(broken).toEqual([]);
  });
});

describe('CONTRIBUTING.md', () => {
  it('has a line for every npm script, and for no other', () => {
    const rows = [...readPage('CONTRIBUTING.md').matchAll(/^\| `(?:run )?([\w:-]+)` \|/gm)];
    const names = rows.map(([, name = '']) => name);
    expect(names.sort()).toEqual(Object.keys(scripts).sort());
  });
});

describe('the suites of npm run test:all', () => {
  const unknownSuites = (code: string) =>
    [...code.matchAll(/\bnpm run test:all -- ([a-z][\w-]*)/g)]
      .map(([, name = '']) => name)
      .filter((name) => !Object.hasOwn(suites, name))
      .map((name) => `there is no suite ${name}`);

  it('are the ones that the documentation names', () => {
    expect(complaints(unknownSuites)).toEqual([]);
    expect(unknownSuites('npm run test:all -- no-such')).toEqual(['there is no suite no-such']);
  });

  it('are run with each change, each night, or by hand because `npm test` has them', () => {
    const { jobs } = parse(readFileSync(join(root, '.github/workflows/nightly.yml'), 'utf8')) as {
      readonly jobs: {
        readonly suite: { readonly strategy: { readonly matrix: { readonly suite: string[] } } };
      };
    };
    const named = (when: string) =>
      Object.keys(suites).filter((name) => suites[name]?.runs === when);
    expect(jobs.suite.strategy.matrix.suite).toEqual(named('nightly'));
    expect(named('by name')).toEqual(['faults', 'tenants']);
  });

  it.each(Object.keys(suites))('%s runs a file that exists', (name) => {
    const files = commandOf(name).filter((word) => word.includes('/'));
    expect(files).toHaveLength(1);
    expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

describe('the index of decisions', () => {
  const files = readdirSync(join(root, 'docs/adr')).filter((name) => /^\d{4}-/.test(name));
  const index = readPage('docs/adr/README.md');
  const records = files.map((name) => ({ name, text: readPage(join('docs/adr', name)) }));

  it('has each record once, by its number and title', () => {
    const expected = records.map(({ name, text }) => {
      const title = /^# (\d{4}): (.+)$/m.exec(text);
      return `- [${title?.[1]}](${name}) ${title?.[2]}`;
    });
    const rows = index.split('\n').filter((line) => line.startsWith('- ['));
    expect([...rows].sort()).toEqual([...expected].sort());
  });

  it.each(records)('$name has context, decision and consequences', ({ text }) => {
    const headings = [...text.matchAll(/^## (\w+)/gm)];
    expect(headings.map(([, heading]) => heading)).toEqual(
      expect.arrayContaining(['Context', 'Decision', 'Consequences']),
    );
  });

  it('has no number twice', () => {
    const numbers = files.map((name) => name.slice(0, 4));
    expect(new Set(numbers).size).toBe(numbers.length);
  });
});

describe('the count of commands that are run', () => {
  it('in docs/README.md is what node lab/tools/count-commands.ts writes', () => {
    const blocks = markdownFiles().flatMap((page) => codeBlocks(readPage(page)));
    const counts = countBlocks(blocks);
    figure('blocks of shell commands in the pages', counts);
    expect(readPart(readDocument('README.md'), 'commands')).toBe(describeBlocks(counts));
  });

  it('tells a block that another test runs from one that none does', () => {
    const reasons = [
      undefined,
      'needs an AWS account',
      'it does not end; test/a.test.ts starts it',
    ];
    const blocks = reasons.map((notRun) => ({ language: 'sh', line: 1, lines: [], notRun }));
    expect(countBlocks(blocks)).toEqual({ all: 3, run: 1, byOthers: 1, byNone: 1 });
  });
});

describe('a block that no test runs', () => {
  it('says why', () => {
    const silent = markdownFiles().flatMap((page) =>
      codeBlocks(readPage(page))
        .filter((block) => isShell(block) && block.notRun !== undefined)
        .filter((block) => (block.notRun ?? '').trim().length < 20)
        .map((block) => `${page}:${block.line}`),
    );
    expect(silent).toEqual([]);
  });

  it('is not hidden as a block without a language', () => {
    const hidden = markdownFiles().flatMap((page) =>
      codeBlocks(readPage(page))
        .filter((block) => block.language === '')
        .filter((block) => block.lines.some((line) => /^(\$ |npm |npx |curl )/.test(line)))
        .map((block) => `${page}:${block.line}`),
    );
    expect(hidden).toEqual([]);
  });
});
