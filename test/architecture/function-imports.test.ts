import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lambdaFunctions } from '../../lab/build/main.ts';
import { loadedBy } from '../../lab/tools/sizes/loaded-files.ts';
import { root } from './source-files.ts';

function matching(loaded: ReadonlySet<string>, pattern: RegExp): readonly string[] {
  return [...loaded].filter((name) => pattern.test(name));
}

describe('what a function loads when it starts', () => {
  it('is no AWS client and no adapter, for the discovery documents', () => {
    const loaded = loadedBy('discovery');
    expect(matching(loaded, /^(adapters\/(?!deadline\.ts)|@aws-sdk|@smithy|jose)/)).toEqual([]);
    expect(loaded).toContain('core/discovery/metadata.ts');
  });

  it('is nothing that signs or authenticates, for the JWKS', () => {
    const loaded = loadedBy('jwks');
    expect(
      matching(loaded, /client-kms|^adapters\/kms|^core\/(token|client|credential)\/|jose/),
    ).toEqual([]);
    expect(loaded).toContain('core/jwks/jwks.ts');
  });

  it.each(lambdaFunctions().filter((name) => name !== 'portal'))(
    'is nothing of the portal or its HTTP library, for %s',
    (name) => {
      expect(matching(loadedBy(name), /^(?:portal\/|hono|@hono)/)).toEqual([]);
    },
  );

  it('is no library that makes or checks tokens, for the token endpoint', () => {
    expect(
      matching(loadedBy('token'), /^jose|^core\/(management|verifier)\/|^lambda\/(?!token|shared)/),
    ).toEqual([]);
  });
});

describe('the shape of a function', () => {
  const imports = /from '([^']+)'/g;

  it.each(lambdaFunctions())('%s: handler.ts wires the process to function.ts', (name) => {
    expect(existsSync(join(root, 'lambda', name, 'function.ts'))).toBe(true);
    const text = readFileSync(join(root, 'lambda', name, 'handler.ts'), 'utf8');
    const others = [...text.matchAll(imports)]
      .map(([, from = '']) => from)
      .filter((from) => !from.startsWith('../../adapters/'));
    const expected = ['../../contract/read-settings.ts', './function.ts'];
    expect(others).toEqual(name === 'management' ? expected.slice(1) : expected);
    expect(text).toMatch(/export const handler = create\w+Handler\(/);
  });
});

describe('the clock of a deployed function', () => {
  it.each(lambdaFunctions())('is the machine’s, and nothing moves it: %s', (name) => {
    const handler = readFileSync(join(root, 'lambda', name, 'handler.ts'), 'utf8');
    expect(handler).not.toMatch(/\b(?:clock|now|isClockMoved)\b/);
  });
});
