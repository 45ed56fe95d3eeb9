import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { hangLimit } from './hang-limit.ts';
import { missingTool } from './missing-tool.ts';
import { runCommand } from './run-command.ts';

export interface MavenBuild {
  /** Folder with the pom.xml. Nothing is written to it. */
  readonly project: string;
  readonly target: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** @returns what is missing, or undefined after a build. */
export async function runMaven(
  { project, target, environment }: MavenBuild,
  goals: readonly string[],
): Promise<string | undefined> {
  const built = await runCommand(
    ['mvn', '--quiet', '--batch-mode', `-DbuildDirectory=${target}`, ...goals],
    { cwd: project, timeout: hangLimit, ...(environment && { environment }) },
  );
  return built.code === 0 ? undefined : missingTool('Maven', built);
}

/** Compiles a program, and copies the jars that it needs. */
export async function compileJava(
  build: MavenBuild,
): Promise<{ readonly classPath: string } | { readonly missing: string }> {
  const jars = join(build.target, 'jars');
  // Maven adds to the folder, and Java would load other versions of before.
  rmSync(jars, { recursive: true, force: true });
  const goals = ['compile', 'dependency:copy-dependencies', `-DoutputDirectory=${jars}`];
  const missing = await runMaven(build, goals);
  if (missing !== undefined) return { missing };
  return { classPath: [join(build.target, 'classes'), join(jars, '*')].join(':') };
}

/** Java reads no file of certificates: it requires a trust store of its own kind. */
export async function makeTrustStore(caPath: string, store: string): Promise<readonly string[]> {
  const password = 'changeit';
  const flags = ['-importcert', '-noprompt', '-alias', 'local', '-storepass', password];
  await runCommand(['keytool', ...flags, '-file', caPath, '-keystore', store], {
    timeout: hangLimit,
  });
  const property = '-Djavax.net.ssl.trustStore';
  return [`${property}=${store}`, `${property}Password=${password}`];
}
