import { gzipSync } from 'node:zlib';
import { type BuildOptions, buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { lambdaBuildOptions, lambdaFunctions } from '../../../lab/build/main.ts';
import { forwardAuthBuildOptions } from '../../../lab/build/packages.ts';
import { figure } from '../../support/figure.ts';

/**
 * Bytes that a function's bundle may have. The room is about 5 %: the tests find a package that
 * crept in, not a feature. `npx esbuild --metafile` tells one from the other.
 */
const budgets: Readonly<Record<string, number>> = {
  token: 72_000,
  jwks: 53_000,
  // With the algorithms of assertions, of providers and of keys.
  discovery: 29_000,
  // Patterns of client ids and required claims of providers (ADR 0058), bounds of the key cache
  // (ADR 0028), scopes and second values of API keys (ADR 0109), their last use (ADR 0112), proofs of
  // bound tokens (RFC 9449).
  authorizer: 113_000,
  'key-rotation': 393_000,
  // With the SDK's client of Lambda, for the self-test of the token function.
  canary: 364_000,
  'synthetic-check': 123_000,
  // With the SDK's client of Lambda, for what the live version has (ADR 0100).
  'deployment-check': 325_000,
  notices: 60_000,
  // The management library: every operation, over four tables, grants and stops that are
  // repeated, rotations of API keys (ADR 0109), and decisions about assertions.
  management: 340_000,
  // Pages, also of trunk groups, grants and what expires, and login; no client of the SDK (ADR 0029).
  portal: 380_000,
};

/** The token function's other files, which it loads at the first assertion and the first proof. */
const federatedBudget = 88_000;
const proofsBudget = 20_000;

/** Bytes of the portal's bundle, compressed as Lambda fetches it. */
const compressedPortal = 131_000;

/** What no function that answers requests may load: each costs more than its own work. */
const sdkClients = '@aws-sdk/client-';
const absent = [sdkClients];
/** The SDK's clients of DynamoDB: `json-documents.ts` does their work in a tenth of the bytes. */
const sdkTables = /@aws-sdk\/(?:client|lib)-dynamodb/;
/** The SDK's chain, which also looks for what no function has (lambda/shared/sdk-credentials.ts). */
const credentialChain = '@aws-sdk/credential-provider-';
const answersRequests = new Set(['token', 'jwks', 'discovery', 'authorizer', 'portal']);
const withoutSdk = new Set([...answersRequests, 'management']);

function build(
  options: BuildOptions,
  file = '.js',
): {
  readonly bytes: number;
  /** Bytes with gzip. */
  readonly compressed: number;
  readonly text: string;
  readonly inputs: readonly string[];
} {
  const { outputFiles, metafile } = buildSync({ ...options, write: false, metafile: true });
  const bundle = outputFiles.find(({ path }) => path.endsWith(file));
  const [, output] =
    Object.entries(metafile?.outputs ?? {}).find(([path]) => path.endsWith(file)) ?? [];
  const inputs = Object.entries(output?.inputs ?? {})
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => path);
  const { contents, text } = bundle ?? { contents: new Uint8Array(), text: '' };
  return { bytes: contents.length, compressed: gzipSync(contents).length, text, inputs };
}

describe('the bundles of functions', () => {
  it('each have a budget', () => {
    expect(Object.keys(budgets).sort()).toEqual([...lambdaFunctions()].sort());
  });

  it.each(Object.entries(budgets))('%s stays within %d bytes', (name, budget) => {
    const { bytes, text, inputs } = build(lambdaBuildOptions([name], 'bundle-size'), 'index.js');
    expect(bytes).toBeLessThanOrEqual(budget);
    // An ESM import of node:http also loads Node's fetch, a tenth of a first answer.
    expect(text).not.toMatch(/\bimport\(/);
    const unwanted = [credentialChain, ...(withoutSdk.has(name) ? [sdkClients] : [])];
    const crept = inputs.filter(
      (path) => sdkTables.test(path) || unwanted.some((part) => path.includes(part)),
    );
    expect(crept).toEqual([]);
    // What less of an attribute means is for management. A platform API and a token do not pay for it.
    const narrowing = inputs.filter((path) => path.startsWith('core/narrowing/'));
    expect(answersRequests.has(name) ? narrowing : []).toEqual([]);
  });
});

describe('the second file of the token function', () => {
  const built = lambdaBuildOptions(['token'], 'bundle-size');
  const { bytes, inputs } = build(built, 'federated.js');
  const first = build(built, 'index.js');

  it(`stays within ${federatedBudget} bytes, without a client of the AWS SDK`, () => {
    figure('the files of the token function', { index: first.bytes, federated: bytes });
    expect(bytes).toBeLessThanOrEqual(federatedBudget);
    expect(
      inputs.filter((path) => [...absent, credentialChain].some((part) => path.includes(part))),
    ).toEqual([]);
  });

  it('has what verifies assertions, and the first has nothing of it', () => {
    const verifying = ['core/federated/assertion.ts', 'core/verifier/jwks-cache.ts'];
    expect(inputs).toEqual(expect.arrayContaining(verifying));
    expect(first.inputs.filter((path) => /^core\/(federated|verifier)\//.test(path))).toEqual([]);
  });

  it(`is next to one that verifies proofs, of at most ${proofsBudget} bytes`, () => {
    const proofs = build(built, 'proofs.js');
    expect(proofs.bytes).toBeLessThanOrEqual(proofsBudget);
    expect(proofs.inputs).toContain('core/verifier/dpop-proof.ts');
  });
});

describe('the bundle of the portal', () => {
  const { bytes, compressed, inputs } = build(lambdaBuildOptions(['portal'], 'bundle-size'));

  it(`stays within ${compressedPortal} bytes with gzip`, () => {
    figure('the bundle of the portal', { bytes, compressed });
    expect(compressed).toBeLessThanOrEqual(compressedPortal);
  });

  it('has nothing that reaches a table or a key of KMS, and no operation of the library', () => {
    const reaching = /lib-dynamodb|^adapters\/(?:dynamodb|kms)\/|^core\/management\/operations\.ts/;
    expect(inputs.filter((path) => reaching.test(path))).toEqual([]);
    expect(inputs).toContain('portal/login/login-steps.ts');
  });
});

describe('the bundle of forward-auth', () => {
  it('stays within 137,000 bytes and holds no client of the AWS SDK', () => {
    const { bytes, inputs } = build(forwardAuthBuildOptions);
    expect(bytes).toBeLessThanOrEqual(137_000);
    expect(
      inputs.filter((path) => [...absent, credentialChain].some((part) => path.includes(part))),
    ).toEqual([]);
  });
});
