import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './source-files.ts';

/** Imports that are there when the code runs: types are erased. */
const importPattern = /^(?:import|export)\s+(?!type\b)[^;]*?from\s+'([^']+)'|^import\s+'([^']+)'/gm;

function importsOf(file: string): readonly string[] {
  return [...readFileSync(file, 'utf8').matchAll(importPattern)].map(
    ([, from, alone]) => from ?? alone ?? '',
  );
}

/** Everything that a function loads: files of this project, and packages by name. */
function loadedBy(functionName: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const visit = (file: string): void => {
    for (const specifier of importsOf(file)) {
      const local = specifier.startsWith('.');
      const target = local ? resolve(dirname(file), specifier) : specifier;
      const name = local ? relative(root, target) : specifier;
      if (seen.has(name)) continue;
      seen.add(name);
      if (local) visit(target);
    }
  };
  visit(join(root, 'lambda', functionName, 'handler.ts'));
  return seen;
}

function matching(loaded: ReadonlySet<string>, pattern: RegExp): readonly string[] {
  return [...loaded].filter((name) => pattern.test(name));
}

describe('what a function loads when it starts', () => {
  it('is no AWS client and no adapter, for the discovery documents', () => {
    const loaded = loadedBy('discovery');
    expect(matching(loaded, /^(adapters\/|@aws-sdk|@smithy|jose)/)).toEqual([]);
    expect(loaded).toContain('core/discovery/metadata.ts');
  });

  it('is nothing that signs or authenticates, for the JWKS', () => {
    const loaded = loadedBy('jwks');
    expect(
      matching(loaded, /client-kms|^adapters\/kms|^core\/(token|client|credential)\/|jose/),
    ).toEqual([]);
    expect(loaded).toContain('core/jwks/jwks.ts');
  });

  it('is no library that makes or checks tokens, for the token endpoint', () => {
    expect(
      matching(loadedBy('token'), /^jose|^core\/(management|verifier)\/|^lambda\/(?!token|shared)/),
    ).toEqual([]);
  });
});
