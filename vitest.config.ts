import { globSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { hangLimit, stepLimit } from './lab/support/hang-limit.ts';
import { useCompileCache } from './lab/support/program-environment.ts';
import { SlowestFiles } from './test/support/slowest-files.ts';

useCompileCache();

/** Of tests that speak HTTP to what they have started themselves. */
const overLoopback = {
  setupFiles: ['test/setup/loopback-only.ts', 'test/setup/patient-limits.ts'],
};

const faults = 'test/integration/faults/**/*.test.ts';

/** Start functions from the templates several times: `npm run test:all -- from-synth` runs them. */
const fromSynth = [
  'test/integration/permissions/**/*.test.ts',
  'test/integration/lab/local/enforced-policies.test.ts',
];

/** Replace functions of modules, which works only if no other file has imported the code. */
const replacing = [
  'test/core/token/client-authentication.test.ts',
  'test/core/verifier/verified-tokens.test.ts',
  'test/lambda/token/{assertion-flood,client-keys,federated}.test.ts',
];

/** Folders of integration tests whose files share a worker, and what it has imported. */
const sharingFolders = [
  'test/integration/{adapters,aws-json,cli,federated,lambda,notices,openapi}/**/*.test.ts',
  'test/integration/{portal,procedures,security,verifier,wire}/**/*.test.ts',
  'test/integration/lab/{bench,emulator,ministack}/**/*.test.ts',
];

/**
 * Of these folders: replace functions, change limits, trust certificates of their own, or measure the
 * CPU time of their process.
 */
const notSharing = [
  'test/integration/adapters/{caller-identity,guarded-fetch}.test.ts',
  'test/integration/cli/{removed-fields,same-messages}.test.ts',
  'test/integration/cli/{hostile-text,narrow-terminal,operator-permissions,providers}.test.ts',
  'test/integration/federated/{deleted-provider,exchanged-tokens,platforms}.test.ts',

  'test/integration/portal/{hostile-requests,login-provider,page-cost,portal-function}.test.ts',
  'test/integration/verifier/{hanging-provider,provider}.test.ts',
  'test/integration/verifier/forward-auth/{deadline,provider-tokens}.test.ts',
  'test/integration/wire/oauth-clients.test.ts',
];

// Two globs, as the oldest Node has no patterns in `exclude`.
const root = { cwd: import.meta.dirname };
const alone = new Set(globSync(notSharing, root));
const sharing = globSync(sharingFolders, root).filter((file) => !alone.has(file));
/** Whether a file gets modules that another one has imported. */
export const sharesModules = (file: string): boolean =>
  sharing.includes(file) ||
  !(file.startsWith('test/integration/') || globSync(replacing, root).includes(file));

// One project a kind of test. Unit tests may open no socket at all; integration tests reach
// loopback; template tests need neither and spend their time in CDK.
export default defineConfig({
  test: {
    // One more than the cores of a CI machine, a fifth of whose time was idle with two: tests wait.
    maxWorkers: 3,
    // Tests that say that they may run at once mostly wait for deadlines.
    maxConcurrency: 20,
    // No limit depends on how fast the machine is.
    testTimeout: hangLimit,
    hookTimeout: hangLimit,
    expect: { poll: { timeout: stepLimit } },
    reporters: ['default', new SlowestFiles()],
    env: { CDK_VALIDATION: 'false' },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [
            'test/{architecture,contract,core,adapters,lambda,cli,portal,verifier,docs,fuzz}/**/*.test.ts',
            'test/lab/{build,emulator,local,create,bench,site,support,ministack/permissions}/**/*.test.ts',
          ],
          exclude: replacing,
          // Files of one worker share what they import: a third of the time of these tests.
          isolate: false,
          setupFiles: ['test/setup/no-network.ts'],
        },
      },
      {
        extends: true,
        test: { name: 'replacing', include: replacing, setupFiles: ['test/setup/no-network.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'template',
          include: ['test/lib/**/*.test.ts', 'test/lab/{ministack,prove,suites}/*.test.ts'],
          isolate: false,
          setupFiles: ['test/setup/no-network.ts'],
        },
      },
      {
        extends: true,
        test: {
          ...overLoopback,
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          exclude: [faults, ...fromSynth, ...sharing],
        },
      },
      {
        extends: true,
        test: { ...overLoopback, name: 'integration-sharing', include: sharing, isolate: false },
      },
      { extends: true, test: { ...overLoopback, name: 'from-synth', include: fromSynth } },
      { extends: true, test: { ...overLoopback, name: 'faults', include: [faults] } },
      {
        extends: true,
        test: { ...overLoopback, name: 'browser', include: ['test/browser/**/*.test.ts'] },
      },
      {
        extends: true,
        test: { ...overLoopback, name: 'proxies', include: ['test/proxies/**/*.test.ts'] },
      },
      {
        extends: true,
        test: { ...overLoopback, name: 'tenants', include: ['test/tenants/**/*.test.ts'] },
      },
    ],
  },
});
