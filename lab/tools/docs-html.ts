import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { renderDocsPage } from '../local/docs-page.ts';

const file = resolve(import.meta.dirname, '../../dist/docs/api.html');
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, await renderDocsPage());
process.stdout.write(`wrote ${relative(process.cwd(), file)}\n`);
