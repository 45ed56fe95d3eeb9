import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { App, Stack, type Stage } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseDeploymentConfig } from '../../contract/deployment-config.ts';
import type { Template as Kept } from '../../lab/support/template-changes/template.ts';
import { addAuthorizationServer, DuplicateLibraryError } from '../../lib/authorization-server.ts';
import { synthesiseApp } from '../../lib/synthesise-app.ts';
import { synthesise as synthesiseTested, withStubBundles } from './synthesise.ts';

const root = resolve(import.meta.dirname, '../..');
const bundles = join(root, 'dist/lambda');

const input = {
  regions: { slc: { awsRegion: 'us-west-2' } },
  defaultAudience: 'https://api.example.com',
  scopes: [{ service: 'calls', permission: 'view', description: 'Read calls' }],
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'synthesise-app-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  process.exitCode = undefined;
  rmSync(folder, { recursive: true });
});

/** @returns what was printed, and the exit code. */
function synthesise(
  config: unknown,
  folderOfBundles = bundles,
): { readonly printed: string; readonly code: unknown } {
  const path = join(folder, 'config.json');
  writeFileSync(path, JSON.stringify(config));
  vi.stubEnv('CDK_OUTDIR', join(folder, 'out'));
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  synthesiseApp({ config: path, bundles: folderOfBundles });
  const printed = write.mock.calls.map(([text]) => String(text)).join('');
  return { printed, code: process.exitCode };
}

describe('an app of a config', () => {
  it('makes the templates that are tested', () => {
    withStubBundles((stubs) => expect(synthesise(input, stubs).code).toBeUndefined());
    const name = 'AuthorizationServer-slc';
    const path = join(folder, `out/${name}.template.json`);
    const { Resources: made } = JSON.parse(readFileSync(path, 'utf8')) as Kept;
    const tested = synthesiseTested(input).templates[name]?.toJSON();
    expect(made).toEqual(tested?.['Resources']);
  });

  it('ends with the token URL and the next command', () => {
    expect(synthesise(input).code).toBeUndefined();
    const path = join(folder, 'out/AuthorizationServer-slc.template.json');
    const { Outputs } = JSON.parse(readFileSync(path, 'utf8')) as {
      readonly Outputs: Readonly<Record<string, { readonly Value: unknown }>>;
    };
    expect(Object.keys(Outputs).toSorted()).toEqual([
      'Issuer',
      'JwksUri',
      'NextCommand',
      'NoticeBusArn',
      'TokenUrl',
    ]);
    expect(Outputs['NextCommand']?.Value).toBe(
      `export AUTHCTL_CONFIG=${join(folder, 'config.json')} AWS_REGION=us-west-2; npx --no -- authctl client create --name First --trunk-group tg-1 --scope calls:view`,
    );
  });

  it('says what is wrong with the config, without a stack trace', () => {
    const { printed, code } = synthesise({ ...input, colour: 60 });
    expect(printed).toContain('colour: unknown key; allowed: ');
    expect(printed).toContain('install the release that the config was written for, or remove the');
    expect(printed).not.toMatch(/^\s+at /m);
    expect(code).toBe(1);
  });

  it('says that a config is too long for a function, without a stack trace', () => {
    const named = Array.from({ length: 20 }, (_, at) => `https://a/${'x'.repeat(200)}${at}`);
    const audiences = Object.fromEntries(named.map((audience) => [audience, 'allowed']));
    const { printed, code } = synthesise({ ...input, dpop: { audiences } });
    expect(printed).toMatch(/^the deployment config .* the token function takes up to \d+ bytes/);
    expect(code).toBe(1);
  });
});

/** Classes of aws-cdk-lib. */
interface OtherCopy {
  readonly App: typeof App;
  readonly Stage: typeof Stage;
}

describe('an app of another copy of aws-cdk-lib', () => {
  /** Loads CDK's core again, as node_modules with two copies would. */
  function loadOtherCopy(): OtherCopy {
    const require = createRequire(import.meta.url);
    const isOfCdk = (path: string) => path.includes('/aws-cdk-lib/');
    const kept = Object.entries(require.cache).filter(([path]) => isOfCdk(path));
    for (const [path] of kept) delete require.cache[path];
    try {
      // CDK loads each class when it is asked for.
      const { App, Stage } = require('aws-cdk-lib') as OtherCopy;
      return { App, Stage };
    } finally {
      for (const path of Object.keys(require.cache).filter(isOfCdk)) delete require.cache[path];
      for (const [path, module] of kept) require.cache[path] = module;
    }
  }

  it('is refused with what to do, and so is a stage of it', () => {
    const other = loadOtherCopy();
    const config = parseDeploymentConfig(input);
    const app = new other.App();
    expect(App.isApp(app)).toBe(true);
    for (const scope of [app, new other.Stage(app, 'Production')]) {
      expect(() => addAuthorizationServer(scope, config, { bundles })).toThrow(
        DuplicateLibraryError,
      );
    }
    expect(new DuplicateLibraryError().message).toContain('run "npm dedupe"');
  });

  it('is not seen in an app of the same copy, or in a construct of its stack', () => {
    const config = parseDeploymentConfig(input);
    const scope = new Construct(new App(), 'Scope');
    expect(() => addAuthorizationServer(scope, config, { bundles })).not.toThrow();
    expect(() => addAuthorizationServer(new Stack(), config, { bundles })).not.toThrow();
  });
});
