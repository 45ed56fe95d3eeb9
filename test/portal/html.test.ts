import { describe, expect, it } from 'vitest';
import { html } from '../../portal/html/html.ts';

describe('the lines of a template', () => {
  it.each([
    [
      'leave nothing next to tags and values',
      html`
        <p>
          ${'a'}
          <b>b</b>
        </p>
      `,
      '<p>a<b>b</b></p>',
    ],
    [
      'are a space between words and between attributes',
      html`<p class="x"
          id="y">one
          two</p>`,
      '<p class="x" id="y">one two</p>',
    ],
    [
      'keep a space on one line',
      html`<p>one <b>two</b> ${'three'} four</p>`,
      '<p>one <b>two</b> three four</p>',
    ],
    ['leave a value as it is', html`<pre>${'a\n  b'}</pre>`, '<pre>a\n  b</pre>'],
    ['escape a value', html`<p title="${'"'}">${'<'}</p>`, '<p title="&quot;">&lt;</p>'],
  ])('%s', (_, markup, expected) => {
    expect(String(markup)).toBe(expected);
  });
});
