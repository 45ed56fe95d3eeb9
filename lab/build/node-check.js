import { readFileSync } from 'node:fs';
import process from 'node:process';
import { URL } from 'node:url';

/*
 * Next to each command, as it is: an old Node reads this file and gets a sentence, where a bundle
 * would be a stack trace. So its syntax is that of Node 14.
 */

/** @param {string} text such as 22.12.0 */
function parseVersion(text) {
  return text.split('.').map(Number);
}

/**
 * Whether this Node is one that the package promises; if not, it says so and lets the command fail.
 *
 * @param {string} command for the message.
 */
export function isNodeSupported(command) {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const oldest = manifest.engines.node.replace('>=', '');
  const [major = 0, minor = 0] = parseVersion(process.versions.node);
  const [leastMajor = 0, leastMinor = 0] = parseVersion(oldest);
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return true;
  process.stderr.write(
    `${command}: Node ${process.versions.node} is too old; install Node ${oldest} or newer\n`,
  );
  process.exitCode = 1;
  return false;
}
