import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accentColours, contrastOf } from '../../portal/appearance.ts';
import { createPortalWorld } from './portal-world.ts';

const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 20"><script>alert(1)</script></svg>';
const logo = `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;

const look = {
  name: 'Acme <Identity>',
  logo,
  accentColour: '#6b2f8a',
  support: 'help@acme.example',
  notice: 'Maintenance on Sunday, 02:00 to 04:00 UTC <b>',
};

describe('the look of a company', () => {
  it('is on every page, also for people who are not signed in', async () => {
    const world = await createPortalWorld({ look });
    const signedIn = await (await world.get('/clients')).text();
    world.signInAs(undefined);
    const signedOut = await (await world.get('/')).text();
    for (const text of [signedIn, signedOut]) {
      expect(text).toContain('· Acme &lt;Identity&gt;</title>');
      expect(text).toContain('<span class="brand-name">Acme &lt;Identity&gt;</span>');
      expect(text).toContain('02:00 to 04:00 UTC &lt;b&gt;</aside>');
      expect(text).toContain('<a href="mailto:help@acme.example">help@acme.example</a>');
      expect(text).toContain('src="/assets/logo.svg?v=');
      expect(text).toContain('href="/assets/accent.css?v=');
      expect(text).not.toContain('Authorization server');
    }
  });

  it('is served by the portal itself, and its image can do nothing as a page', async () => {
    const { get } = await createPortalWorld({ look });
    const image = await get('/assets/logo.svg');
    expect(await image.text()).toBe(svg);
    expect(image.headers.get('content-type')).toBe('image/svg+xml');
    expect(image.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    );
    expect(image.headers.get('x-content-type-options')).toBe('nosniff');
    const style = await (await get('/assets/accent.css')).text();
    expect(style).toMatch(/^:root\{--accent:#6b2f8a;--accent-ink:#ffffff;/);
    expect(style).toContain('@media screen and (prefers-color-scheme:dark)');
  });

  it('can be a page of support', async () => {
    const support = 'https://help.acme.example/portal?a=1&b=2';
    const { get } = await createPortalWorld({ look: { support } });
    const text = await (await get('/')).text();
    expect(text).toContain('<a href="https://help.acme.example/portal?a=1&amp;b=2">');
  });

  it('is the plain one without a choice', async () => {
    const { get } = await createPortalWorld();
    const text = await (await get('/')).text();
    expect(text).toContain('<span class="brand-name">Authorization server</span>');
    expect(text).not.toMatch(/accent\.css|logo\.svg|site-notice|class="support"/);
    expect((await get('/assets/accent.css')).status).toBe(404);
    expect((await get('/assets/logo.svg')).status).toBe(404);
  });

  it.each([
    [
      { accentColour: 'red;}' },
      'look.accentColour: received "red;}"; allowed: a lower-case colour',
    ],
    [
      { logo: 'https://cdn.example/logo.svg' },
      'look.logo: received "https://cdn.example/logo.svg"',
    ],
    [{ support: 'javascript:alert(1)' }, 'look.support: received "javascript:alert(1)"'],
    [{ name: '' }, 'look.name: received ""; allowed: not empty'],
    [{ notice: 'a\u202Eb' }, 'look.notice: received'],
  ])('is refused if it is not allowed: %j', async (wrong, message) => {
    await expect(createPortalWorld({ look: wrong })).rejects.toThrow(message);
  });
});

const style = readFileSync(new URL('../../portal/assets/portal.css', import.meta.url), 'utf8');

/** The value of a colour in portal.css: light, then dark. */
const coloursOf = (name: string) =>
  [...style.matchAll(new RegExp(`--${name}: (#[0-9a-f]{6});`, 'g'))].map(([, value]) => value);

const part = fc.integer({ min: 0, max: 255 });
const colour = fc
  .tuple(part, part, part)
  .map((parts) => `#${parts.map((one) => one.toString(16).padStart(2, '0')).join('')}`);

describe('every accent colour', () => {
  it.each([
    ['light', 0],
    ['dark', 1],
  ] as const)('can be read on a %s page, as a link and on a button', (scheme, index) => {
    const grounds = ['surface', 'sunken', 'ground'].map((name) => coloursOf(name)[index] ?? '');
    fc.assert(
      fc.property(colour, (given) => {
        const { accent, ink, soft } = accentColours(given, scheme);
        for (const ground of [...grounds, soft]) {
          expect(contrastOf(accent, ground)).toBeGreaterThanOrEqual(4.5);
        }
        expect(contrastOf(ink, accent)).toBeGreaterThanOrEqual(4.5);
      }),
      { numRuns: 500, examples: [['#000000'], ['#ffffff'], ['#767676'], ['#0000ff'], ['#ffff00']] },
    );
  });

  it('stays as it is if it can be read', () => {
    expect(accentColours('#0b5d66', 'light').accent).toBe('#0b5d66');
  });
});
