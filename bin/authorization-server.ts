#!/usr/bin/env node
import { resolve } from 'node:path';

/** Loaded late, because only `npm run setup` installs the CDK. */
async function loadApp() {
  const [{ synthesiseApp }, { checkAgainstRulePacks }] = await Promise.all([
    import('../lib/synthesise-app.ts'),
    import('./rule-packs.ts'),
  ]);
  return { synthesiseApp, checkAgainstRulePacks };
}

function isMissingPackage(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
}

try {
  const { synthesiseApp, checkAgainstRulePacks } = await loadApp();
  synthesiseApp({
    bundles: resolve(import.meta.dirname, '../dist/lambda'),
    extend: (_, app) => checkAgainstRulePacks(app),
  });
} catch (error) {
  if (!isMissingPackage(error)) throw error;
  process.stderr.write('The CDK is not installed here: run "npm run setup" first.\n');
  process.exitCode = 1;
}
