import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { App, type AppProps } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { checkAgainstRulePacks } from '../../bin/rule-packs.ts';
import {
  type DeploymentConfigInput,
  parseDeploymentConfig,
} from '../../contract/deployment-config.ts';
import { functionSettings } from '../../contract/function-settings.ts';
import { settingsVariable } from '../../contract/read-settings.ts';
import { addAuthorizationServer } from '../../lib/authorization-server.ts';
import { featureFlags } from '../../lib/feature-flags.ts';

const root = resolve(import.meta.dirname, '../..');

export function readConfigFile(name: string): DeploymentConfigInput {
  return JSON.parse(readFileSync(join(root, 'config', `${name}.json`), 'utf8'));
}

/** Bundles that do nothing: a template does not depend on what a function does. */
function stubBundles(directory: string): string {
  for (const name of Object.keys(functionSettings)) {
    mkdirSync(join(directory, name), { recursive: true });
    writeFileSync(join(directory, name, 'index.js'), 'exports.handler = async () => ({});\n');
  }
  return directory;
}

/** Calls `use` with a folder of stub bundles. */
export function withStubBundles(use: (bundles: string) => void): void {
  const directory = mkdtempSync(join(tmpdir(), 'bundles-'));
  try {
    use(stubBundles(directory));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

export interface Synthesis {
  /** Templates by stack name. */
  readonly templates: Readonly<Record<string, Template>>;
  readonly app: App;
}

/** Makes the stacks of a config, in a temporary folder, with stub bundles. */
export function synthesise(
  config: unknown,
  options: { readonly checked?: boolean; readonly app?: AppProps } = {},
): Synthesis {
  const directory = mkdtempSync(join(tmpdir(), 'synth-'));
  try {
    const app = new App({
      context: { ...featureFlags, 'aws:cdk:disable-stack-trace': true },
      outdir: join(directory, 'cdk.out'),
      ...options.app,
    });
    const { stacks } = addAuthorizationServer(app, parseDeploymentConfig(config), {
      bundles: stubBundles(join(directory, 'lambda')),
    });
    if (options.checked === true) checkAgainstRulePacks(app);
    app.synth();
    const templates = Object.fromEntries(
      stacks.map((stack) => [stack.stackName, Template.fromStack(stack)]),
    );
    return { app, templates };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

export interface Resource {
  readonly Type: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- CloudFormation's shape, asserted by tests
  readonly Properties: Readonly<Record<string, any>>;
  readonly DependsOn?: readonly string[];
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

/** Resources of a template by logical id. */
export function resourcesOf(template: Template, type?: string): Readonly<Record<string, Resource>> {
  const all = template.toJSON()['Resources'] as Record<string, Resource>;
  return Object.fromEntries(
    Object.entries(all).filter(([, resource]) => type === undefined || resource.Type === type),
  );
}

/** What the resources of a type have, in the order of the template. */
export function propertiesOf(template: Template, type: string): readonly Resource['Properties'][] {
  return Object.values(resourcesOf(template, type)).map(({ Properties }) => Properties);
}

/** The single-region example, which most tests look at. */
export function singleRegion(): Template {
  const { templates } = synthesise(readConfigFile('single-region'));
  return templates['AuthorizationServer-slc'] as Template;
}

const pseudoParameters: Readonly<Record<string, string>> = {
  'AWS::AccountId': '111122223333',
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
};

/** What a function is told, by the properties of its resource. */
// oxlint-disable-next-line typescript/no-explicit-any -- asserted by tests
export function settingsOf(properties: Readonly<Record<string, any>> | undefined): any {
  return JSON.parse(evaluate(properties?.['Environment']).Variables[settingsVariable]);
}

/**
 * Writes out what CloudFormation would make of a value, with placeholders for values that only a deployment
 * knows: a resource is `{logical id}` and its attribute `{logical id}.Arn`.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- CloudFormation's shape, asserted by tests
export function evaluate(value: unknown): any {
  if (Array.isArray(value)) return value.map(evaluate);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [name, argument] = entries[0] ?? [];
  if (name === 'Ref') return pseudoParameters[String(argument)] ?? `{${String(argument)}}`;
  if (name === 'Fn::GetAtt') return `{${(argument as string[])[0]}}.${(argument as string[])[1]}`;
  if (name === 'Fn::Join') {
    const [separator, parts] = argument as [string, readonly unknown[]];
    return parts.map(evaluate).join(separator);
  }
  return Object.fromEntries(entries.map(([key, item]) => [key, evaluate(item)]));
}
