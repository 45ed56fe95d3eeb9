import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deploymentConfigSchema } from '../../../contract/deployment-config-schema.ts';
import * as inputs from '../../../contract/management/inputs.ts';
import { managementOperations } from '../../../contract/management/operations.ts';
import { oauthErrorTexts } from '../../../core/oauth-error.ts';
import { refusalForms } from '../../../core/verifier/bearer-refusal.ts';
import { schemaKeys } from '../../support/config-keys.ts';
import { root } from './loaded-files.ts';

/** What is shipped, with tests and lab: a name that is added touches both. */
const folders = 'contract core adapters lambda lib bin cli portal verifier packages test lab';

/** What a change adds, by kind. */
function namesByKind(): Readonly<Record<string, readonly string[]>> {
  const keys = schemaKeys(deploymentConfigSchema).map(({ path }) => path.split('.').at(-1) ?? '');
  const fields = Object.values(inputs).flatMap((input) =>
    typeof input === 'object' && 'fields' in input ? input.fields : [],
  );
  return {
    'config key': [...new Set(keys)],
    field: [...new Set(fields)],
    refusal: [...new Set([...Object.keys(oauthErrorTexts), ...Object.keys(refusalForms)])],
    operation: Object.keys(managementOperations),
  };
}

/** The name in a program, on the wire, or as an option. */
function patternOf(name: string): RegExp {
  const wire = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return new RegExp(`\\b(?:${name}|${wire})\\b|--${wire.replaceAll('_', '-')}\\b`);
}

/** Prints the number of files for each name, or the files that have one of these names. */
export function printPlaces(asked: readonly string[]): void {
  const list = ['ls-files', '--', ...folders.split(' ').map((folder) => `${folder}/*.ts`)];
  const texts = execFileSync('git', list, { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((file) => [file, readFileSync(join(root, file), 'utf8')] as const);
  const filesWith = (name: string) => {
    const pattern = patternOf(name);
    const found = texts.flatMap(([file, text]) => (pattern.test(text) ? [file] : []));
    const tested = found.filter((file) => /^(?:test|lab)\//.test(file));
    return { found, shipped: found.length - tested.length, tested: tested.length };
  };
  const byKind = namesByKind();
  for (const name of new Set(Object.values(byKind).flat())) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    // One name of two things: the files have either.
    const kinds = Object.keys(byKind).filter((kind) => byKind[kind]?.includes(name));
    const { found, shipped, tested } = filesWith(name);
    console.log(`${kinds.join(' or ')} ${name}: ${shipped} shipped, ${tested} of tests and lab`);
    if (asked.length > 0) console.log(found.map((file) => `  ${file}`).join('\n'));
  }
}
