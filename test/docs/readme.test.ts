import { describe, expect, it } from 'vitest';
import { readDocument, readPart } from '../../lab/support/generated-parts.ts';
import { readPage } from '../../lab/support/markdown.ts';
import { computeRefusals } from '../../lab/tools/refusals.ts';

const readme = readPage('README.md');
const rowsOf = (part: string) => readPart(readDocument('interop.md'), part).split('\n').slice(2);
const verifiers = rowsOf('verifiers').filter((row) => row.includes('| yes |')).length;

describe('README', () => {
  it('is read in a few minutes', () => {
    expect(readme.split(/\s+/).filter((word) => word !== '').length).toBeLessThanOrEqual(900);
  });

  it('shows the service before its first table or list', () => {
    expect(readme.search(/^!\[/m)).toBeLessThan(readme.search(/^(?:\||- )/m));
  });

  it('counts what the commands that it names print', () => {
    expect(readme).toContain(
      `${verifiers} verifiers and ${rowsOf('clients').length} token clients`,
    );
    const [, histories = ''] = /'how many', countFrom\(1\), (\d+)/.exec(
      readPage('lab/suites/rotation/main.ts'),
    ) ?? [''];
    expect(readme).toContain(`plays ${Number(histories).toLocaleString('en-US')} histories`);
  });
});

describe('docs/refusals.md', () => {
  it.each(Object.entries(computeRefusals()))('has the part %s', (name, content) => {
    const hint = 'run npm run refusals';
    expect(readPart(readDocument('refusals.md'), name), hint).toBe(content);
  });

  it('links every reason from the overview, in the order of the alphabet', () => {
    const page = readDocument('refusals.md');
    const links = [...readPart(page, 'overview').matchAll(/\(#([\w-]+)\)/g)].map(([, id]) => id);
    const names = (part: string) =>
      [...readPart(page, part).matchAll(/^### (.+)$/gm)].map(([, name = '']) => name);
    const [token, api] = [names('token'), names('api')];
    expect([token, api]).toEqual([[...token].sort(), [...api].sort()]);
    const anchors = [...token, ...api].map((title) =>
      title.toLowerCase().replaceAll(' ', '-').replaceAll(/[()]/g, ''),
    );
    expect(new Set(anchors).size).toBe(anchors.length);
    expect(new Set(links)).toEqual(new Set(anchors));
  });
});
