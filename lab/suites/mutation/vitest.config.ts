import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { findArea, type Mutant, mutants } from './mutants.ts';

const root = resolve(import.meta.dirname, '../../..');
const name = process.env.MUTANT;

/** Writes a mutant into the files as they are loaded; nothing on the disk changes. */
function mutate(mutant: Mutant) {
  return {
    name: 'mutant',
    enforce: 'pre' as const,
    load(id: string) {
      const [path = ''] = id.split('?');
      const edits = mutant.edits.filter(({ file }) => file === relative(root, path));
      if (edits.length === 0) return null;
      return edits.reduce(
        (text, { find, replace }) => text.replace(find, () => replace),
        readFileSync(join(path), 'utf8'),
      );
    },
  };
}

const mutant = mutants.find((candidate) => candidate.name === name);
if (name !== undefined && mutant === undefined) throw new Error(`there is no mutant "${name}"`);

const tests = {
  rotation: [
    'test/contract/deployment-config.test.ts',
    'test/core/key-rotation/{plan,rotation-crash}.test.ts',
    'test/core/signing-key/select-signing-key.test.ts',
    'test/core/key-rotation/rotation-{stories,property}.test.ts',
    'test/core/key-rotation/{rotation-ports,canary,prove-key,publish-key}.test.ts',
    'test/lambda/token/token-failures.test.ts',
    'test/integration/adapters/kms.test.ts',
    'test/integration/lambda/key-rotation.test.ts',
    'test/lib/publication-permissions.test.ts',
  ],
  revocation: [
    'test/adapters/dynamodb/remember-found.test.ts',
    'test/core/key-rotation/checked-clock.test.ts',
    'test/core/verifier/revocation-{check,property}.test.ts',
    'test/core/management/{revoke-client-tokens,lives-model}.test.ts',
  ],
  people: [
    'test/core/identity-provider/application-rule.test.ts',
    'test/core/management/providers/add-application-rule.test.ts',
    'test/core/verifier/platforms.test.ts',
  ],
  management: [
    'test/core/management/{api-keys,client-patterns,client-secrets,clients,explain,history}.test.ts',
    'test/core/management/{if-version,lists}.test.ts',
    'test/core/management/providers/*.test.ts',
    'test/lambda/management/*.test.ts',
    'test/adapters/management/*.test.ts',
    'test/integration/adapters/trunk-group-lists.test.ts',
  ],
} satisfies Record<Mutant['area'], readonly string[]>;

const area = mutant?.area ?? findArea(process.env.MUTATION_AREA);

export default defineConfig({
  root,
  plugins: mutant === undefined ? [] : [mutate(mutant)],
  test: {
    env: { CDK_VALIDATION: 'false' },
    include: area === undefined ? Object.values(tests).flat() : tests[area],
    setupFiles: ['test/setup/loopback-only.ts'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    bail: name === undefined ? 0 : 1,
    // Its key is the file on the disk, which a mutant does not change.
    fsModuleCache: false,
  },
});
