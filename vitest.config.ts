import { defineConfig } from 'vitest/config';

/** Of tests that speak HTTP to what they have started themselves. */
const overLoopback = {
  setupFiles: ['test/setup/loopback-only.ts'],
  testTimeout: 60_000,
  hookTimeout: 60_000,
};

const faults = 'test/integration/faults/**/*.test.ts';

// One project a kind of test. Unit tests may open no socket at all; integration tests reach
// loopback alone; template tests need neither and spend their time in CDK.
export default defineConfig({
  test: {
    // vitest leaves a core free by default: on a CI machine of two, half of the time.
    maxWorkers: 2,
    env: { CDK_VALIDATION: 'false', POWERTOOLS_DEV: 'false' },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [
            'test/{architecture,contract,core,adapters,lambda,cli,forward-auth,local,bench,docs,fuzz}/**/*.test.ts',
          ],
          setupFiles: ['test/setup/no-network.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'template',
          include: ['test/lib/**/*.test.ts'],
          setupFiles: ['test/setup/no-network.ts'],
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          ...overLoopback,
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          exclude: [faults],
        },
      },
      { extends: true, test: { ...overLoopback, name: 'faults', include: [faults] } },
      {
        extends: true,
        test: {
          ...overLoopback,
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          // Above the limit of a page's step, which says what it waited for.
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
