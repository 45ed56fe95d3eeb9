import { runVitest } from '../../support/run-vitest.ts';

/*
 * Runs the wire tests, the example API's and the rotation's against functions that run from the
 * synthesised templates, and the tests of their permissions.
 */
const tests = [
  'test/integration/wire',
  'test/integration/rotation',
  'test/integration/verifier/example-api.test.ts',
  'test/integration/permissions',
  'test/integration/lab/local/enforced-policies.test.ts',
];
const projects = ['--project', 'integration', '--project', 'from-synth'];
process.exitCode = runVitest([...projects, ...tests, ...process.argv.slice(2)], {
  LOCAL_RUN: 'from-synth',
});
