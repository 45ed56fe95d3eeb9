import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';

// `lab/site/main.ts` writes it next to the pages.
const { base, outDir, sidebar } = JSON.parse(
  readFileSync(new URL('../pages/site.json', import.meta.url), 'utf8'),
);

const title = 'Authorization server for AWS';

export default defineConfig({
  title,
  description: 'An OAuth 2.0 authorization server for machine-to-machine access on AWS',
  srcDir: 'pages',
  srcExclude: ['public/**'],
  outDir,
  base,
  // main.ts checks every link and anchor of the built pages.
  ignoreDeadLinks: true,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    // The pages are plain Markdown: `<` is a character.
    html: false,
    // The anchors of GitHub, which the pages link to.
    anchor: {
      slugify: (heading) =>
        heading
          .trim()
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
          .replaceAll(' ', '-'),
    },
    languageAlias: { logs: 'sql' },
    config(md) {
      const { fence, code_inline: inline } = md.renderer.rules;
      // A line does not end between `-` and `d` of `-d`.
      const keepOptions = (html) =>
        html.replaceAll(/(?<=[\s>])-[\w-]+(?=[\s=<])/g, '<span class="option">$&</span>');
      md.renderer.rules.code_inline = (...given) => keepOptions(inline(...given));
      md.renderer.rules.fence = (tokens, index, ...rest) => {
        const { info, content } = tokens[index];
        if (info.trim() !== 'mermaid') return keepOptions(fence(tokens, index, ...rest));
        return `<Mermaid code="${encodeURIComponent(content)}" />`;
      };
    },
  },
  transformPageData(page) {
    const text = readFileSync(new URL(`../pages/${page.filePath}`, import.meta.url), 'utf8');
    const paragraph = /^[\p{L}`*[][^\n]*/mu.exec(text)?.[0] ?? '';
    page.description = paragraph.replaceAll(/\]\([^)]*\)|[[\]*`]/g, '');
  },
  themeConfig: {
    siteTitle: 'Authorization server',
    nav: [
      { text: 'Five minutes', link: '/getting-started' },
      { text: 'Compare', link: '/compare' },
      { text: 'Cost', link: '/cost' },
      { text: 'Why refused?', link: '/refusals' },
      { text: 'API', link: '/api.html', target: '_self' },
    ],
    sidebar,
    outline: [2, 3],
    // The contents are by task, and not in an order to read.
    docFooter: { prev: false, next: false },
    search: { provider: 'local' },
  },
});
