/** A test suite that needs more than `npm test`: another runtime, an emulator or minutes. */
export interface Suite {
  /** What it shows, in the words of `npm run test:all -- --help`. */
  readonly shows: string;
  /** Script of Node and its first arguments; the suite's own `main.ts` if left out. */
  readonly command?: readonly string[];
  /** It writes `dist/`, which others read, so no other runs with it. */
  readonly writesDist?: true;
  /** Not with every change: each night (`nightly.yml`), or only by its name. */
  readonly runs?: 'nightly' | 'by name';
}

/**
 * All suites, the longest of those that run side by side first. With `npm test`, those of each change
 * take 26 minutes on two cores. The nightly ones are run by hand before a release, and after a
 * change of what they are about.
 */
export const suites: Readonly<Record<string, Suite>> = {
  deploy: { shows: '`cdk deploy` to an emulator of AWS works; needs Python' },
  browser: { shows: 'the pages in a headless Chromium' },
  templates: {
    shows:
      'cfn-lint and checkov find nothing in the templates that is not acknowledged, nor the schemas of Kubernetes in the example; needs Python',
    writesDist: true,
    runs: 'nightly',
  },
  'from-synth': {
    shows:
      'the wire tests pass against what the templates say, each permission is needed, and IAM may be late',
    runs: 'nightly',
  },
  'dynamodb-local': {
    shows:
      'adapters, authctl, rotation and procedures work on the engine of AWS; needs Java, Maven',
    runs: 'nightly',
  },
  redeploy: {
    shows: 'updates and failed deployments break no request, on that emulator; needs Python',
    runs: 'nightly',
  },
  prove: {
    shows: '`npm run prove` on that emulator, also when it is killed; needs Python',
    runs: 'nightly',
  },
  night: {
    shows:
      'incidents on that emulator end by the pages only, from what the alarm says; needs Python',
    runs: 'nightly',
  },
  openapi: {
    shows:
      'the service keeps to `docs/openapi.yaml`, with schemathesis; clients that are generated of it get tokens; needs Python, Go',
    runs: 'nightly',
  },
  cognito: {
    shows:
      '600 clients of Cognito, which moto made, and published clients move here, and half go back; needs Python',
    runs: 'nightly',
  },
  examples: {
    shows: 'every example whose runtime is on the machine works against a local run',
    runs: 'nightly',
  },
  'oldest-node': {
    shows:
      'the wire and fuzz tests of the verifier, and outbound calls, on the oldest Node that is promised',
    runs: 'nightly',
  },
  proxies: {
    shows: '`examples/proxies` work with the real NGINX, HAProxy, Envoy, Caddy and Traefik',
  },
  package: {
    shows: 'the packed packages work in an empty project, on the oldest and the newest Node',
    writesDist: true,
    runs: 'nightly',
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
    runs: 'by name',
  },
  tenants: {
    shows:
      'what a customer gets, reads, writes and fetches is the same regardless of what another one does; `npm test` has these tests too',
    command: ['node_modules/.bin/vitest', 'run', '--project=tenants'],
    runs: 'by name',
  },
  rotation: { shows: 'thousands of histories of signing keys keep every promise', runs: 'nightly' },
  mutation: { shows: 'the tests notice each of a list of mistakes in the code', runs: 'nightly' },
  fuzz: { shows: 'hostile bytes break no promise of anything that parses', runs: 'nightly' },
  scale: {
    shows:
      'operations with 1,000, 10,000 and 100,000 clients over a server that counts: nothing grows with the others',
    runs: 'nightly',
  },
  soak: {
    shows: 'answers stay right under load while things break and heal; three minutes',
    runs: 'nightly',
  },
};

/** Suites that take options of their own, and refuse those that they do not know. */
export const withOptions: ReadonlySet<string> = new Set(
  'browser dynamodb-local examples faults from-synth fuzz mutation oldest-node openapi package proxies redeploy tenants'.split(
    ' ',
  ),
);

/** Script of Node and its first arguments. */
export function commandOf(name: string): readonly string[] {
  return suites[name]?.command ?? [`lab/suites/${name}/main.ts`];
}
