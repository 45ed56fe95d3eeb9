import { runVitest } from '../../support/run-vitest.ts';
import { findProxies, proxyNames } from './find-proxies.ts';

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
  process.exitCode = runVitest(['--project', 'proxies', ...process.argv.slice(2)], {
    PROXIES: JSON.stringify(runnable),
  });
}
