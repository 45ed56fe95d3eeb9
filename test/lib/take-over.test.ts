import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseDeploymentConfig } from '../../contract/deployment-config.ts';
import {
  type KeptDeployment,
  listReleases,
  readRelease,
  templatesOf,
} from '../../lab/support/releases/kept-release.ts';
import { findHarm } from '../../lab/support/template-changes/find-harm.ts';
import type { Template as PlainTemplate } from '../../lab/support/template-changes/template.ts';
import { addAuthorizationServer } from '../../lib/authorization-server.ts';
import { stubBundles } from './synthesise.ts';

let directory: string;
let bundles: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'own-app-'));
  bundles = stubBundles(join(directory, 'lambda'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** An app without any feature flag. */
const createApp = () => new App({ context: { 'aws:cdk:disable-stack-trace': true } });

const plain = (stack: Stack) => Template.fromStack(stack).toJSON();

describe("a company's own CDK app", () => {
  it.each(listReleases())(
    'may take over, without any feature flag, what the app of %s has deployed',
    (version) => {
      const kept = readRelease(version).deployments['three-regions'] as KeptDeployment;
      const { stacks } = addAuthorizationServer(createApp(), parseDeploymentConfig(kept.config), {
        bundles,
      });
      const before = templatesOf(kept);
      const harm = stacks.flatMap((stack) =>
        findHarm(before[stack.stackName] as PlainTemplate, plain(stack) as PlainTemplate),
      );
      expect(harm).toEqual([]);
    },
  );
});
