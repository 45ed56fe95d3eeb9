import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { commandGroups, singleCommands } from '../../../cli/command-groups.ts';
import { deploymentConfigSchema } from '../../../contract/deployment-config-schema.ts';
import { keyMetrics } from '../../../contract/key-metrics.ts';
import { wireNameOf } from '../../../contract/management/fields.ts';
import { plainClientFields } from '../../../contract/management/inputs.ts';
import {
  authorizerMetrics,
  gatewayMetrics,
  requestMetrics,
  versionMetrics,
} from '../../../contract/request-metrics.ts';
import { routes } from '../../../contract/routes.ts';
import { buildAccessTokenClaims } from '../../../core/token/access-token-claims.ts';
import { packages } from '../../build/packages.ts';
import { readManifest } from '../../build/stage.ts';
import { schemaKeys } from '../../support/config-keys.ts';
import { writeSamples } from '../../support/items/samples.ts';
import { printedMembers } from './printed-members.ts';

/** What a module exports, by name, types included. */
export function exportedNames(path: string): readonly string[] {
  const { module } = parseSync(path, readFileSync(path, 'utf8'));
  return module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ exportName }) => (exportName.name === null ? [] : [exportName.name])),
  );
}

function exportLines(root: string): readonly string[] {
  return packages.flatMap(({ folder, entries }) => {
    const { name, bin = {} } = readManifest(join(root, folder));
    const short = basename(name);
    const commands = Object.keys(bin).map((command) => `command ${command}`);
    const exported = Object.entries(entries).flatMap(([entry, source]) =>
      exportedNames(join(root, source)).map((each) => `export ${short}/${entry} ${each}`),
    );
    return [...commands, ...exported];
  });
}

/** The claims of a token, of which no value counts here. */
function claimLines(): readonly string[] {
  const client = { clientId: '', tokenLifetime: 1, serviceTrunkGroup: '' };
  const claims = buildAccessTokenClaims(
    { client: client as never, scopes: [], audience: '' },
    { now: 0, random: new Uint8Array(16) },
    { issuer: '', maxTokenLifetime: 1 },
  );
  return Object.keys(claims).map((name) => `claim ${name}`);
}

/** What is within an attribute: entries of a list, a map, or the values of one whose keys are ids. */
function partsOf(name: string, value: unknown): readonly unknown[] {
  if (['ends', 'before', 'after'].includes(name)) return [];
  if (Array.isArray(value)) return value as readonly unknown[];
  return name === 'secrets' ? Object.values(value as object) : [value];
}

/** Attributes of an item, with those of what is in its lists and maps. */
function attributesOf(value: object, path = ''): readonly string[] {
  return Object.entries(value).flatMap(([name, entry]: [string, unknown]) => [
    path + name,
    ...partsOf(name, entry).flatMap((each) =>
      typeof each === 'object' && each !== null ? attributesOf(each, `${path}${name}.`) : [],
    ),
  ]);
}

function itemLines(): readonly string[] {
  return Object.entries(writeSamples()).flatMap(([kind, items]) =>
    items.flatMap((item) => attributesOf(item).map((name) => `item ${kind} ${name}`)),
  );
}

function metricLines(): readonly string[] {
  const tables = [requestMetrics, gatewayMetrics, authorizerMetrics, versionMetrics, keyMetrics];
  return tables.flatMap((table) => Object.values(table)).map((name) => `metric ${name}`);
}

/** Each alarm has a page, which a test compares with the stacks. */
function alarmLines(root: string): readonly string[] {
  return globSync('*.md', { cwd: join(root, 'docs/runbook') })
    .filter((page) => page !== 'README.md')
    .map((page) => `alarm ${basename(page, '.md')}`);
}

function commandLines(): readonly string[] {
  return commandGroups.flatMap(({ name, commands }) =>
    commands.map((command) => `command authctl ${name} ${command.name}`),
  );
}

/**
 * Everything that a version promises, a line each: what it is, and its name. docs/upgrade.md says
 * what a change of a line asks for.
 */
export function publicInterface(root: string): readonly string[] {
  const groups = [...commandGroups, ...singleCommands].map(({ name }) => name);
  const lines = [
    ...exportLines(root),
    ...commandLines(),
    ...schemaKeys(deploymentConfigSchema).map(({ path }) => `config ${path}`),
    ...routes.flatMap(({ methods, path }) => methods.map((method) => `route ${method} ${path}`)),
    ...claimLines(),
    ...itemLines(),
    ...metricLines(),
    ...alarmLines(root),
    ...printedMembers(root, groups).map((line) => `json ${line}`),
    ...plainClientFields.map((name) => `json client ${wireNameOf(name)}`),
  ];
  return [...new Set(lines)].toSorted();
}
