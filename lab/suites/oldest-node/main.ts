import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };
import { installNode } from '../../support/install-node.ts';

const root = resolve(import.meta.dirname, '../../..');

/** Tests of what reads requests and responses in processes of users, which choose their Node. */
const tests = [
  'test/verifier',
  'test/fuzz',
  'test/integration/verifier/middleware',
  'test/integration/verifier/forward-auth/decisions.test.ts',
  'test/integration/outbound',
];

/*
 * `npm run test:all -- oldest-node` runs the wire and fuzz tests of the verifier, and every outbound
 * call, on the oldest Node that package.json promises: its HTTP parser differs from that of newer
 * versions, and it loses signals that end a call.
 */
const { engines } = manifest;
const installed = await installNode(engines.node.replace('>=', ''));
if ('missing' in installed) {
  process.stdout.write(`SKIPPED: ${installed.missing}\n`);
} else {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', ...(process.argv.length > 2 ? process.argv.slice(2) : tests)];
  process.exitCode = spawnSync(installed.path, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
}
