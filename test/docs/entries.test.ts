import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';
import { beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../core/management/operations.ts';
import { packages } from '../../lab/build/packages.ts';
import { root } from '../architecture/source-files.ts';

const plain = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
const read = (path: string) => readFileSync(path, 'utf8');

/** Only `authctl` and the tests call them: they take what no package exports. */
const internal = new Set(['bindManagement', 'bindFunction']);

/** What a module exports, by name, types included. */
function exportedNames(path: string): readonly string[] {
  const { module } = parseSync(path, read(path));
  return module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ exportName }) => (exportName.name === null ? [] : [exportName.name])),
  );
}

interface Declaration {
  readonly kind: string;
  readonly comment: string;
  readonly head: string;
}

/** The declaration of an exported name, in the entry or in the file that it comes from. */
function findDeclaration(path: string, name: string): Declaration {
  const text = read(path);
  const declared = new RegExp(
    `(/\\*\\*(?:(?!\\*/)[^])*\\*/\\n)?export (?:declare |async )*(function|class|interface|type|const) ${name}\\b([^\\n]*)`,
  ).exec(text);
  if (declared !== null) {
    const [, comment = '', kind = '', head = ''] = declared;
    return { kind, comment, head };
  }
  for (const [, list = '', from = ''] of text.matchAll(
    /^export (?:type )?\{([^}]*)\} from '([^']+)'/gm,
  )) {
    for (const item of list.split(',')) {
      const [own = '', as = own] = item
        .trim()
        .replace(/^type /, '')
        .split(' as ');
      if (as === name) return findDeclaration(resolve(dirname(path), from), own);
    }
  }
  throw new Error(`${path} does not export ${name}`);
}

const entries = packages.flatMap(({ entries: sources, declarations }) =>
  [...new Set(declarations ?? Object.values(sources))].map((source) => join(root, source)),
);
const exports = entries.flatMap((path) =>
  exportedNames(path)
    .filter((name) => !internal.has(name))
    .map((name) => ({ name, path, file: path.slice(root.length + 1) })),
);

const called = exports.filter(({ name, path }) => {
  const { kind, head } = findDeclaration(path, name);
  return kind === 'function' || (kind === 'class' && !/extends \w*Error\b/.test(head));
});

interface Documented {
  readonly name: string;
  readonly meaning: string;
  readonly example: string;
}

function readComment(name: string, comment: string): Documented {
  const text = comment.replaceAll(/^ *(?:\/\*\*|\*\/|\* ?)/gm, '');
  const [meaning = '', example = ''] = text.split(/@example\s/);
  return { name, meaning: plain(meaning), example };
}

/** The operations of the library, whose comments its callers see. */
const documented = [
  ...read(join(root, 'core/management/operations.ts')).matchAll(
    /^( {2}\/\*\*\n(?: {3}\*.*\n)+?) {2}(\w+)(?:: [\w.]+)?,$/gm,
  ),
].map(([, comment = '', name = '']) => readComment(name, comment));

const examples = [
  ...documented.map((one) => ({ ...one, call: `management.${one.name}(` })),
  ...called.map(({ name, path }) => ({
    ...readComment(name, findDeclaration(path, name).comment),
    call: `${name}(`,
  })),
];

const texts = 'name serviceTrunkGroup trunkGroup clientId secretId secret keyId subnetId issuer';
const knownTypes: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    `${texts} discoveryUrl credential audience authorization`
      .split(' ')
      .map((one) => [one, 'string']),
  ),
  ...Object.fromEntries(
    ['trunkGroups', 'scopes', 'audiences'].map((one) => [one, 'readonly string[]']),
  ),
  cursor: 'string | undefined',
  expiresAt: 'number',
  limits: `Parameters<Management['checkTrunkGroupLimits']>[1]`,
  management: 'Management',
  config: 'DeploymentConfig & Parameters<typeof parseDeploymentConfig>[0]',
  parsed: 'DeploymentConfig',
  scope: `import('constructs').Construct`,
  app: `import('aws-cdk-lib').App`,
  restApi: `import('aws-cdk-lib/aws-apigateway').RestApi`,
  messages: `import('aws-cdk-lib/aws-apigateway').Resource`,
  integration: `import('aws-cdk-lib/aws-apigateway').Integration`,
  nameOf: '(request: Request) => Promise<string>',
  verifier: 'Verifier',
  request: `import('node:http').IncomingMessage`,
  express: `import('express').Express`,
  fastify: `import('fastify').FastifyInstance`,
  hono: `import('hono').Hono`,
  messagesOf: '(serviceTrunkGroup: string) => object',
};

/** Compiles every example in a block of its own. @returns what the compiler says, by example. */
function compileExamples(): ReadonlyMap<string, string> {
  const folder = mkdtempSync(join(root, 'node_modules/.examples-'));
  const path = join(folder, 'examples.mts');
  const imported = new Map(exports.map(({ name, file }) => [name, file]));
  const lines = [
    ...[...imported].map(([name, file]) => `import { ${name} } from '../../${file}';`),
    ...Object.entries(knownTypes).map(([name, type]) => `declare const ${name}: ${type};`),
  ];
  const starts: (readonly [line: number, name: string])[] = [];
  for (const { name, example } of examples) {
    starts.push([lines.length, name]);
    lines.push('{', ...example.split('\n'), '}');
  }
  writeFileSync(path, lines.join('\n'));
  const flags = '--noEmit --strict --skipLibCheck --module nodenext --target es2024 --types node';
  const { status, stdout } = spawnSync(
    join(root, 'node_modules/.bin/tsc'),
    ['--ignoreConfig', '--allowImportingTsExtensions', ...flags.split(' '), path],
    { cwd: root, encoding: 'utf8' },
  );
  rmSync(folder, { recursive: true });
  const said = new Map<string, string>();
  for (const [, line, error = ''] of stdout.matchAll(/\((\d+),\d+\): error (.*)/g)) {
    const name = starts.findLast(([start]) => start < Number(line))?.[1] ?? 'what is known';
    said.set(name, `${said.get(name) ?? ''}${error}\n`);
  }
  if (said.size === 0 && status !== 0) throw new Error(`tsc ended with ${status}: ${stdout}`);
  return said;
}

describe('what a package exports', () => {
  it('is found', () => {
    expect(exports.length).toBeGreaterThan(60);
    expect(documented.map(({ name }) => name)).toEqual(Object.keys(operations));
  });

  it.each(exports)('has a comment that says what it is: $name of $file', ({ name, path }) => {
    expect(plain(findDeclaration(path, name).comment)).toMatch(/^\/\*\* .{12,}\*\/$/);
  });
});

describe('an example', () => {
  let said: ReadonlyMap<string, string>;
  beforeAll(() => {
    said = compileExamples();
  });

  it.each(examples)('compiles, next to a meaning: $name', ({ name, meaning, example, call }) => {
    expect(meaning).toMatch(/^.{12,}/);
    expect(example).toContain(call);
    expect(said.get(name)).toBeUndefined();
    expect(said.get('what is known')).toBeUndefined();
  });
});
