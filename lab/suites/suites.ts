/** A test suite that needs more than `npm test`: another runtime, an emulator or minutes. */
export interface Suite {
  /** What it shows, in the words of `npm run test:all -- --help`. */
  readonly shows: string;
  /** The program and its arguments; options of the command line follow them. */
  readonly command: readonly string[];
  /** Whether `npm run test:all` without a name runs it, and so CI. */
  readonly isInCi: boolean;
}

/** All suites, in the order in which CI runs them. */
export const suites: Readonly<Record<string, Suite>> = {
  browser: {
    shows: 'the pages in a headless Chromium',
    command: ['node', 'lab/suites/browser/main.ts'],
    isInCi: true,
  },
  templates: {
    shows:
      'cfn-lint and checkov find nothing in the templates that is not acknowledged, nor the schemas of Kubernetes in the example; needs Python',
    command: ['lab/suites/templates/main'],
    isInCi: true,
  },
  'from-synth': {
    shows:
      'the wire tests pass against what the templates say, each permission is needed, and IAM may be late',
    command: ['lab/suites/from-synth/main'],
    isInCi: true,
  },
  'dynamodb-local': {
    shows:
      'adapters, authctl, rotation and procedures work on the engine of AWS; needs Java, Maven',
    command: ['node', 'lab/suites/dynamodb-local/main.ts'],
    isInCi: true,
  },
  deploy: {
    shows: '`cdk deploy` to an emulator of AWS works; needs Python',
    command: ['node', 'lab/suites/deploy/main.ts'],
    isInCi: true,
  },
  redeploy: {
    shows: 'updates and failed deployments break no request, on that emulator; needs Python',
    command: ['node', 'lab/suites/redeploy/main.ts'],
    isInCi: true,
  },
  openapi: {
    shows: 'the service keeps to `docs/openapi.yaml`, with schemathesis; needs Python',
    command: ['node', 'lab/suites/openapi/main.ts'],
    isInCi: true,
  },
  examples: {
    shows: 'every example whose runtime is on the machine works against a local run',
    command: ['node', 'lab/suites/examples/main.ts'],
    isInCi: true,
  },
  proxies: {
    shows: '`examples/proxies` work with the real NGINX, HAProxy, Envoy, Caddy and Traefik',
    command: ['node', 'lab/suites/proxies/main.ts'],
    isInCi: true,
  },
  package: {
    shows: 'the packed packages work in an empty project, on the oldest and the newest Node',
    command: ['node', 'lab/suites/package/main.ts'],
    isInCi: true,
  },
  faults: {
    shows: 'what holds while AWS fails, with its figures; `npm test` has these tests too',
    command: ['node_modules/.bin/vitest', 'run', '--project=faults'],
    isInCi: false,
  },
  rotation: {
    shows: 'thousands of histories of signing keys keep every promise',
    command: ['node', 'lab/suites/rotation/main.ts'],
    isInCi: false,
  },
  mutation: {
    shows: 'the tests notice each of a list of mistakes in the code',
    command: ['node', 'lab/suites/mutation/main.ts'],
    isInCi: false,
  },
  fuzz: {
    shows: 'hostile bytes break no promise of anything that parses',
    command: ['node', 'lab/suites/fuzz/main.ts'],
    isInCi: false,
  },
  soak: {
    shows: 'answers stay right under load while things break and heal; three minutes',
    command: ['node', 'lab/suites/soak/main.ts'],
    isInCi: false,
  },
};
