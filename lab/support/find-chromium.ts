import { spawnSync } from 'node:child_process';

/** Where Debian's package and Google's put the browser. */
const usualPaths = ['/usr/bin/chromium', '/usr/bin/google-chrome'];

/**
 * @param chosen value of `CHROMIUM_PATH`, which replaces the usual paths.
 * @returns the path of a Chromium that starts, or what is missing.
 */
export function findChromium(
  chosen = process.env['CHROMIUM_PATH'] ?? '',
): { readonly path: string } | { readonly missing: string } {
  const candidates = chosen === '' ? usualPaths : [chosen];
  // A file is not enough: Ubuntu has a script there that only names a snap.
  const path = candidates.find((one) => spawnSync(one, ['--version']).status === 0);
  if (path !== undefined) return { path };
  const how = 'run apt-get install chromium, or set CHROMIUM_PATH';
  return { missing: `Chromium does not start from ${candidates.join(' or ')}: ${how}` };
}
