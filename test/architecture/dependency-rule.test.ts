import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf, root, sourceFiles } from './source-files.ts';

/**
 * What each folder may import: folders of this project, and packages by prefix. Of the lab, which
 * never runs in production, only the emulator is bound: it imitates AWS, so it must not share the
 * code that calls AWS. The rest of the lab may import anything but tests.
 */
const rule: Readonly<Record<string, { folders: readonly string[]; packages: readonly string[] }>> =
  {
    contract: { folders: ['contract'], packages: ['valibot'] },
    core: {
      folders: ['core', 'contract'],
      packages: ['node:crypto', 'node:buffer', 'jose', 'ipaddr.js', 'valibot'],
    },
    adapters: {
      folders: ['adapters', 'core', 'contract'],
      packages: ['@aws-sdk/', '@smithy/', 'jose', 'valibot', 'node:', 'ipaddr.js'],
    },
    lambda: {
      folders: ['lambda', 'adapters', 'core', 'contract'],
      packages: ['@middy/', 'aws-lambda', 'node:'],
    },
    // The only function with pages.
    'lambda/portal': {
      folders: ['lambda/portal', 'lambda', 'portal', 'adapters', 'core', 'contract'],
      packages: ['aws-lambda', 'node:'],
    },
    // It gets what it does with AWS as an argument, so that it never imports the SDK.
    portal: {
      folders: ['portal', 'adapters', 'core', 'contract'],
      packages: ['hono', '@hono/node-server', 'openid-client', 'node:', 'valibot'],
    },
    cli: {
      folders: ['cli', 'portal', 'adapters', 'core', 'contract'],
      packages: ['commander', 'string-width', 'node:'],
    },
    verifier: { folders: ['verifier', 'adapters', 'core', 'contract'], packages: ['node:'] },
    'lab/emulator': {
      folders: ['lab/emulator', 'contract'],
      packages: [
        '@cloud-copilot/iam-simulate',
        '@smithy/',
        'dynalite',
        'aws-lambda',
        'valibot',
        'node:',
      ],
    },
    lib: { folders: ['lib', 'contract'], packages: ['aws-cdk-lib', 'constructs', 'node:'] },
    bin: { folders: ['bin', 'lib', 'contract'], packages: ['aws-cdk-lib', 'cdk-nag', 'node:'] },
  };

/** The top-level folder of a path, and in the lab the folder below it. */
function folderOf(path: string): string {
  const [house = '', room = ''] = relative(root, path).split('/');
  const hasOwnRule = house === 'lab' || rule[`${house}/${room}`] !== undefined;
  return hasOwnRule ? `${house}/${room}` : house;
}

function isAllowed(file: string, specifier: string): boolean {
  const allowed = rule[folderOf(file)];
  if (allowed === undefined) return true;
  if (!specifier.startsWith('.')) {
    return allowed.packages.some((name) =>
      name.endsWith('/') || name.endsWith(':')
        ? specifier.startsWith(name)
        : specifier === name || specifier.startsWith(`${name}/`),
    );
  }
  return allowed.folders.includes(folderOf(resolve(dirname(file), specifier)));
}

function relativeImports(file: string): readonly string[] {
  return importsOf(file)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => resolve(dirname(file), specifier));
}

/** A way from a file back to itself, or undefined if there is none. */
function findCycle(graph: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (file: string, way: readonly string[]): readonly string[] | undefined => {
    const at = way.indexOf(file);
    if (at >= 0) return [...way.slice(at), file];
    if (done.has(file)) return undefined;
    for (const next of graph.get(file) ?? []) {
      const cycle = visit(next, [...way, file]);
      if (cycle !== undefined) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of graph.keys()) {
    const cycle = visit(file, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

describe('the dependency rule', () => {
  it.each(Object.keys(rule))('%s imports only what it may', (folder) => {
    const broken = sourceFiles(folder).flatMap((file) =>
      importsOf(file)
        .filter((specifier) => !isAllowed(file, specifier))
        .map((specifier) => `${relative(root, file)} imports ${specifier}`),
    );
    expect(broken).toEqual([]);
  });

  it('lets the lab import nothing of the tests', () => {
    const broken = sourceFiles('lab').flatMap((file) =>
      relativeImports(file)
        .filter((path) => folderOf(path) === 'test')
        .map((path) => `${relative(root, file)} imports ${relative(root, path)}`),
    );
    expect(broken).toEqual([]);
  });

  it('sees an import that is not allowed', () => {
    expect(isAllowed(join(root, 'verifier/x.ts'), '../lab/emulator/y.ts')).toBe(false);
    expect(isAllowed(join(root, 'lab/emulator/x.ts'), '../local/y.ts')).toBe(false);
    expect(isAllowed(join(root, 'core/token/x.ts'), '../../adapters/kms/y.ts')).toBe(false);
    expect(isAllowed(join(root, 'core/token/x.ts'), '@aws-sdk/client-kms')).toBe(false);
    expect(isAllowed(join(root, 'core/token/x.ts'), 'jose')).toBe(true);
  });

  it('lets the portal use AWS through the management library and in no other way', () => {
    const used = sourceFiles('portal').flatMap((file) =>
      importsOf(file).filter((specifier) => specifier.includes('adapters/')),
    );
    expect(used.length).toBeGreaterThan(20);
    expect(used.filter((name) => !name.endsWith('/adapters/management.ts'))).toEqual([]);
  });

  // It would check an input a second time, in other words.
  it('lets the portal run nothing of the operations: what was typed is sent, and all problems come back', () => {
    const used = sourceFiles('portal').flatMap((file) =>
      importsOf(file).filter((specifier) => specifier.includes('core/management/')),
    );
    expect(used).toEqual([]);
  });

  it('lets no page of the portal make markup but by the template that escapes', () => {
    const unescaped = sourceFiles('portal').filter(
      (file) =>
        !file.endsWith('portal/html/html.ts') &&
        /hono\/html|\braw\(|isEscaped|innerHTML/.test(readFileSync(file, 'utf8')),
    );
    expect(unescaped).toEqual([]);
  });

  it('has no cycle: no file imports itself through others, types included', () => {
    const files = [...Object.keys(rule).filter((name) => !name.includes('/')), 'lab'].flatMap(
      sourceFiles,
    );
    const graph = new Map(files.map((file) => [file, relativeImports(file)]));
    expect(findCycle(graph)?.map((file) => relative(root, file))).toBeUndefined();
  });

  it('sees a cycle', () => {
    const graph = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', []],
      ['d', ['b']],
    ]);
    expect(findCycle(graph)).toEqual(['b', 'd', 'b']);
  });

  it('has no barrel', () => {
    const barrels = Object.keys(rule)
      .flatMap(sourceFiles)
      .filter((file) => file.endsWith('/index.ts'));
    expect(barrels).toEqual([]);
  });
});

describe('the pure core', () => {
  const impure = [
    /\bprocess\./,
    /\bDate\.now\b/,
    /\bnew Date\(\)/,
    /\bMath\.random\b/,
    /\bfetch\(/,
    /\bconsole\./,
    /\brandom(?:Bytes|UUID|Int)\b/,
    /\bsetTimeout\b/,
  ];

  it.each(['core', 'contract'])('%s reads no clock, environment, network or chance', (folder) => {
    const broken = sourceFiles(folder).flatMap((file) => {
      const text = readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => !/^\s*(?:\/\/|\*|\/\*)/.test(line))
        .join('\n');
      return impure
        .filter((pattern) => pattern.test(text))
        .map((pattern) => `${relative(root, file)}: ${pattern.source}`);
    });
    expect(broken).toEqual([]);
  });
});
