/*
 * `npm start`. It runs before `npm ci` and on a Node without TypeScript too, so it is JavaScript
 * and imports no package.
 */
import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { URL } from 'node:url';

const root = new URL('../../', import.meta.url);

/** @returns {string | undefined} what stops the start, and what to do. */
function findObstacle() {
  const { dependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  const missing = Object.keys(dependencies).filter(
    (name) => !existsSync(new URL(`node_modules/${name}/package.json`, root)),
  );
  if (missing.length > 0) {
    const some = missing.slice(0, 3).join(', ');
    return `${missing.length} packages are not installed (${some}…); run "npm ci" first`;
  }
  if (process.features.typescript) return undefined;
  return `Node ${process.versions.node} runs no TypeScript; run "npm ci" without --ignore-scripts, which installs the Node of this project, or use Node 22.18 or newer`;
}

const obstacle = findObstacle();
if (obstacle === undefined) {
  // Before anything is loaded, which takes a minute on a busy machine.
  if (!process.argv.includes('--help')) process.stdout.write('Loading the service…\n');
  await import('./main.ts');
} else {
  process.stderr.write(`npm start: ${obstacle}\n`);
  process.exitCode = 1;
}
