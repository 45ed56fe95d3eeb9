import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  goRuntime,
  jarRuntime,
  javaRuntime,
  nodeRuntime,
  pythonRuntime,
  rustRuntime,
} from '../../support/runtimes.ts';

/** Folder with a program for each language. */
const programs = join(import.meta.dirname, './programs');

/** The programs of each language. */
export const node = nodeRuntime(`${programs}/node`, 'interop');
export const python = pythonRuntime(`${programs}/python`);
export const go = goRuntime(`${programs}/go`, 'interop');
export const java = javaRuntime(`${programs}/java`, 'interop');
export const quarkus = jarRuntime(`${programs}/quarkus`, 'quarkus', 'quarkus-app/quarkus-run.jar');
export const rust = rustRuntime(`${programs}/rust`, 'interop');

function find(path: string, pattern: RegExp): string {
  const version = pattern.exec(readFileSync(path, 'utf8'))?.[1];
  if (version === undefined) throw new Error(`${path} pins no version that matches ${pattern}`);
  return version;
}

/** A name as a pattern that matches it literally. */
function literal(name: string): string {
  return name.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

/** The version of a Maven artifact in a pom.xml. */
export function versionInPom(path: string, artifact: string): string {
  return find(
    path,
    new RegExp(`<artifactId>${literal(artifact)}</artifactId>\\s*<version>([^<]+)`),
  );
}

/** @param patternOf what the file says of a name, with the version as its first group. */
const pinnedIn = (file: string, patternOf: (name: string) => string) => (name: string) =>
  find(join(programs, file), new RegExp(patternOf(literal(name)), 'm'));

/** The version that a language's list of dependencies pins, so that each is written once. */
export const pinned = {
  npm: pinnedIn('node/package.json', (name) => `"${name}": "(\\d[^"]*)"`),
  pip: pinnedIn('python/requirements.txt', (name) => `^${name}(?:\\[\\w+\\])?==(\\S+)`),
  go: pinnedIn('go/go.mod', (module) => `^\\t${module} v(\\S+)`),
  maven: (name: string, of = 'java') => versionInPom(join(programs, of, 'pom.xml'), name),
  cargo: pinnedIn('rust/Cargo.toml', (name) => `^${name} = (?:\\{ version = )?"=([^"]+)"`),
};
