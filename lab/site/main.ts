import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join, relative, resolve } from 'node:path';
import { Command } from 'commander';
import { packageVersion } from '../../adapters/package-version.ts';
import { listenOnLoopback } from '../emulator/loopback-server.ts';
import { renderDocsPage } from '../local/docs-page.ts';
import { root } from '../support/markdown.ts';
import { countFrom } from '../support/parse-count.ts';
import { findBrokenLinks, findFile } from './check-links.ts';
import { Stage } from './stage-pages.ts';

/*
 * `npm run site` builds a static site of the pages in this repository, in dist/site, and an archive
 * of it. Its tools have a manifest of their own, and only this command installs them.
 */

const tools = join(import.meta.dirname, 'vitepress');
const outDir = join(root, 'dist/site');
const archive = join(root, 'dist/site.tar.gz');

const { base, serve, port } = new Command('npm run site --')
  .description(
    'Builds the site of these pages in dist/site, checks each link, and makes an archive.',
  )
  .option('--base <path>', 'where the site is on its host, with / at both ends', '/')
  .option('--serve [archive]', 'serves dist/site, or an archive, on loopback instead')
  .option('--port <n>', 'of --serve', countFrom(1), 8081)
  .parse()
  .opts<{ readonly base: string; readonly serve?: string | true; readonly port: number }>();

function installTools(): void {
  if (existsSync(join(tools, 'node_modules/vitepress'))) return;
  process.stdout.write('Installing the tools of the site, once: about 300 MB.\n');
  execFileSync('npm', ['ci', '--no-audit', '--include=dev'], { cwd: tools, stdio: 'inherit' });
}

/** The API's reference, with a way back, and as dark as the other pages. */
async function formatApiPage(): Promise<string> {
  const page = await renderDocsPage();
  return page.replace(
    '<body>',
    `<body>
<script>
const chosen = localStorage.getItem('vitepress-theme-appearance') ?? 'auto';
const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
const { classList } = document.documentElement;
if (chosen === 'dark' || (chosen === 'auto' && isDark)) classList.add('dark-mode');
</script>
<p style="max-width: 1420px; margin: 0 auto; padding: 12px 20px; font: 14px system-ui, sans-serif; color: gray">
<a href="${base}" style="color: #5672cd">← Authorization server for AWS</a> ${packageVersion()}.
The version below is that of the API.
</p>`,
  );
}

async function build(): Promise<void> {
  installTools();
  const folder = join(tools, 'pages');
  rmSync(folder, { recursive: true, force: true });
  const stage = new Stage(folder);
  stage.fill();
  const settings = { base, outDir, sidebar: stage.formatSidebar() };
  writeFileSync(join(folder, 'site.json'), JSON.stringify(settings));
  writeFileSync(join(folder, 'public/api.html'), await formatApiPage());
  const { status } = spawnSync(join(tools, 'node_modules/.bin/vitepress'), ['build', tools], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('vitepress failed');
  const problems = findBrokenLinks(outDir, base);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  execFileSync('tar', ['-czf', archive, '-C', outDir, '.']);
  const megabytes = (statSync(archive).size / 1e6).toFixed(1);
  process.stdout.write(`${relative(root, archive)}: ${megabytes} MB\n`);
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.md': 'text/plain',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.yaml': 'text/plain',
};

/** @param file an archive; the folder of the last build if it is left out. */
async function serveSite(file: string | true): Promise<void> {
  let folder = outDir;
  if (file !== true) {
    folder = mkdtempSync(join(tmpdir(), 'site-'));
    process.once('exit', () => rmSync(folder, { recursive: true }));
    execFileSync('tar', ['-xzf', resolve(file), '-C', folder]);
  }
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const path = findFile(folder, decodeURIComponent(pathname));
    const type = types[extname(path ?? '.html')] ?? 'application/octet-stream';
    response.writeHead(path === undefined ? 404 : 200, {
      'content-type': `${type}; charset=utf-8`,
    });
    response.end(readFileSync(path ?? join(folder, '404.html')));
  });
  const listening = await listenOnLoopback(server, { port }, 'site');
  process.stdout.write(`http://localhost:${listening}/  (Ctrl-C ends it)\n`);
}

await (serve === undefined ? build() : serveSite(serve));
