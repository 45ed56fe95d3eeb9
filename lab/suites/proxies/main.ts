import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { findProxies, proxyNames } from './find-proxies.ts';

const vitest = resolve(import.meta.dirname, '../../../node_modules/.bin/vitest');

/*
 * `npm run test:all -- proxies [FILTER…]` runs the configurations of examples/proxies with the real
 * proxies, as far as they can be had here, and says which it skipped.
 */
const found = await findProxies();
for (const name of proxyNames) {
  const proxy = found.get(name) ?? { missing: name };
  if ('missing' in proxy) process.stdout.write(`SKIPPED: ${name}: no ${proxy.missing}\n`);
}
const runnable = Object.fromEntries([...found].filter(([, proxy]) => 'path' in proxy));
if (Object.keys(runnable).length === 0) {
  process.stdout.write('SKIPPED: no proxy can be had on this machine\n');
} else {
  const args = ['run', '--project', 'proxies', ...process.argv.slice(2)];
  const env = { ...process.env, PROXIES: JSON.stringify(runnable) };
  process.exitCode = spawnSync(vitest, args, { stdio: 'inherit', env }).status ?? 1;
}
