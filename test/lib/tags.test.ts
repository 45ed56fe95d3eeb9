import { App, CfnResource, Stack, TagManager, Tags } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { parseDeploymentConfig } from '../../contract/deployment-config.ts';
import { addAuthorizationServer } from '../../lib/authorization-server.ts';
import { featureFlags } from '../../lib/feature-flags.ts';
import {
  type Resource,
  readConfigFile,
  resourcesOf,
  settingsOf,
  withStubBundles,
} from './synthesise.ts';

type NamedTags = Readonly<Record<string, string>>;

interface Tag {
  readonly Key: string;
  readonly Value: string;
}

function toNames(tags: readonly Tag[] | NamedTags | undefined): NamedTags {
  if (!Array.isArray(tags)) return (tags ?? {}) as NamedTags;
  expect(new Set(tags.map(({ Key }) => Key.toLowerCase())).size).toBe(tags.length);
  return Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value]));
}

/** The tags of everything in a stack that can have some, by its path in the app. */
function tagsOfAll(stack: Stack): readonly (readonly [path: string, tags: NamedTags])[] {
  const resources = resourcesOf(Template.fromStack(stack));
  return stack.node.findAll().flatMap((node) => {
    const manager = TagManager.of(node);
    if (manager === undefined || Stack.isStack(node)) return [];
    const made = (CfnResource.isCfnResource(node) ? node : node.node.defaultChild) as CfnResource;
    const property = manager.tagPropertyName.replace(/^./, (letter) => letter.toUpperCase());
    const { Type, Properties } = resources[stack.resolve(made.logicalId)] as Resource;
    const all =
      Type === 'AWS::DynamoDB::GlobalTable'
        ? Properties['Replicas'].map(({ Tags: one }: { Tags: readonly Tag[] }) => one)
        : [Properties[property]];
    return all.map((one: readonly Tag[]) => [node.node.path, toNames(one)] as const);
  });
}

/** Calls `use` with the stacks of a config with tags, in an app that a company extends. */
function withTags(
  {
    tags = {},
    extend = undefined as ((app: App) => unknown) | undefined,
    flags = featureFlags,
    file = 'three-regions',
  },
  use: (stacks: readonly Stack[], app: App) => void,
): void {
  withStubBundles((bundles) => {
    const app = new App({ context: { ...flags, 'aws:cdk:disable-stack-trace': true } });
    const config = parseDeploymentConfig({ ...readConfigFile(file), tags });
    const { stacks } = addAuthorizationServer(app, config, { bundles });
    extend?.(app);
    use(stacks, app);
  });
}

function rotationOf(stack: Stack) {
  const functions = Object.values(resourcesOf(Template.fromStack(stack), 'AWS::Lambda::Function'));
  const ours = functions.filter(({ Properties }) => 'FunctionName' in Properties);
  return ours.map(({ Properties }) => settingsOf(Properties)).find(({ keyTags }) => keyTags);
}

describe('tags', () => {
  const company = { 'cost-centre': 'platform', Owner: 'team' };
  const apps = [['with', featureFlags] as const, ['without', {}] as const];

  it.each(apps)('of the config are on everything, %s the feature flags', (_, flags) =>
    withTags({ tags: company, flags }, (stacks) => {
      for (const stack of stacks) {
        const found = tagsOfAll(stack);
        expect(found.length).toBeGreaterThan(2);
        for (const [path, tags] of found) {
          if (path.includes('AWSCDK')) continue;
          expect(tags, path).toMatchObject({ application: 'authorization-server', ...company });
        }
        expect(stack.tags.tagValues()).toMatchObject(company);
      }
      const [, slc = expect.fail()] = stacks;
      expect(rotationOf(slc).keyTags).toEqual({ application: 'authorization-server', ...company });
    }),
  );

  const add = (name: string) => (app: App) => Tags.of(app).add(name, 'APP-123');

  it.each([
    ['the config, in another case', { tags: { Application: 'APP-123' } }, 'Application'],
    ['the config', { tags: { application: 'APP-123' } }, 'application'],
    ['the app, in another case', { extend: add('APPLICATION') }, 'APPLICATION'],
    ['the app', { extend: add('application') }, 'application'],
    ['an app without the feature flags', { extend: add('Application'), flags: {} }, 'Application'],
  ])('of the service yield to %s', (_, options, name) =>
    withTags({ ...options, file: 'single-region' }, ([slc = expect.fail()]) => {
      for (const [path, tags] of tagsOfAll(slc)) {
        const own = Object.entries(tags).filter(([key]) => /^application$/i.test(key));
        expect(own, path).toEqual([[name, 'APP-123']]);
      }
      expect(Object.keys(slc.tags.tagValues()).filter((key) => key !== name)).toEqual([]);
    }),
  );

  it('of an app that differ from those of the config only by case are refused', () =>
    withTags({ tags: { team: 'a' }, extend: add('Team'), file: 'single-region' }, ([slc], app) => {
      // Only with NODE_ENV=test does CDK put the reasons into what it throws.
      expect(() => app.synth()).toThrow();
      const errors = slc?.node.metadata.filter(({ type }) => type === 'aws:cdk:error');
      expect(errors?.map(({ data }) => data)).toEqual([
        expect.stringContaining('tags: received "team" and "Team"; allowed: names'),
      ]);
    }));
});

describe('the tags of a config', () => {
  const parse = (tags: object) => () =>
    parseDeploymentConfig({ ...readConfigFile('single-region'), tags });
  const many = (count: number, value = 'x') =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`t${index}`, value]));

  it.each([
    [
      { team: 'a', Team: 'b' },
      'tags: received "team" and "Team"; allowed: names that differ by more',
    ],
    [
      { 'Authorization-Server:intent': 'a' },
      'received "Authorization-Server:intent"; allowed: another',
    ],
    [many(48), 'tags: received 48; allowed: at most 47, because a signing key has 3 more'],
    [many(10, 'v'.repeat(200)), 'bytes of JSON; allowed: 1200'],
  ])('are refused: %o', (tags, message) => {
    expect(parse(tags)).toThrow(message);
  });

  it('fit at their most into the largest template', () =>
    withTags({ tags: many(47, 'v'.repeat(14)) }, (stacks) => {
      const role = JSON.stringify(Template.fromStack(stacks[1] ?? expect.fail()));
      expect(role).toContain('"t46"');
    }));
});
