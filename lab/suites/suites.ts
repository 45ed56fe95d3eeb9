/** A test suite that needs more than `npm test`: another runtime, an emulator or minutes. */
export interface Suite {
  /** What it shows, in the words of `npm run test:all -- --help`. */
  readonly shows: string;
  /** Script of Node and its first arguments; the suite's own `main.ts` if left out. */
  readonly command?: readonly string[];
  /** It writes `dist/`, which others read, so no other runs with it. */
  readonly writesDist?: true;
  /** Only by its name: `npm run test:all` without one, and so CI, does not run it. */
  readonly isOnDemand?: true;
}

/**
 * All suites, the longest of those that run side by side first. redeploy takes a quarter of an hour,
 * so it is for a machine that has it: before a release, and after a change of what it deploys.
 */
export const suites: Readonly<Record<string, Suite>> = {
  deploy: { shows: '`cdk deploy` to an emulator of AWS works; needs Python' },
  browser: { shows: 'the pages in a headless Chromium' },
  templates: {
    shows:
      'cfn-lint and checkov find nothing in the templates that is not acknowledged, nor the schemas of Kubernetes in the example; needs Python',
    writesDist: true,
  },
  'from-synth': {
    shows:
      'the wire tests pass against what the templates say, each permission is needed, and IAM may be late',
  },
  'dynamodb-local': {
    shows:
      'adapters, authctl, rotation and procedures work on the engine of AWS; needs Java, Maven',
  },
  redeploy: {
    shows: 'updates and failed deployments break no request, on that emulator; needs Python',
    isOnDemand: true,
  },
  openapi: {
    shows:
      'the service keeps to `docs/openapi.yaml`, with schemathesis; clients that are generated of it get tokens; needs Python, Go',
  },
  examples: { shows: 'every example whose runtime is on the machine works against a local run' },
  'oldest-node': {
    shows:
      'the wire and fuzz tests of the verifier, and outbound calls, on the oldest Node that is promised',
  },
  proxies: {
    shows: '`examples/proxies` work with the real NGINX, HAProxy, Envoy, Caddy and Traefik',
  },
  package: {
    shows: 'the packed packages work in an empty project, on the oldest and the newest Node',
    writesDist: true,
  },
  release: {
    shows: 'the release works: from an empty folder to a token, with a registry on this machine',
    writesDist: true,
  },
  readme: {
    shows:
      "README's blocks, and those of the pages after it, work in a clone with nothing installed; needs npm",
  },
  faults: {
    shows: 'what holds while AWS fails, with its figures; `npm test` has these tests too',
    command: ['node_modules/.bin/vitest', 'run', '--project=faults'],
    isOnDemand: true,
  },
  tenants: {
    shows:
      'what a customer gets, reads, writes and fetches is the same regardless of what another one does; `npm test` has these tests too',
    command: ['node_modules/.bin/vitest', 'run', '--project=tenants'],
    isOnDemand: true,
  },
  rotation: {
    shows: 'thousands of histories of signing keys keep every promise',
    isOnDemand: true,
  },
  mutation: { shows: 'the tests notice each of a list of mistakes in the code', isOnDemand: true },
  fuzz: { shows: 'hostile bytes break no promise of anything that parses', isOnDemand: true },
  soak: {
    shows: 'answers stay right under load while things break and heal; three minutes',
    isOnDemand: true,
  },
};

/** Script of Node and its first arguments. */
export function commandOf(name: string): readonly string[] {
  return suites[name]?.command ?? [`lab/suites/${name}/main.ts`];
}
