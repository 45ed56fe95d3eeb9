import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as inputs from '../../contract/management/inputs.ts';
import { root, shippedFiles } from './source-files.ts';

/**
 * The most files that may name a field of an input today. A number only becomes
 * smaller. What is not listed is named by at most `usual` files.
 */
const usual = 8;
const ceilings: Readonly<Record<string, number>> = {
  audienceFrom: 14,
  clientIdClaim: 21,
  expiresWithin: 9,
  externalClientId: 27,
  formerId: 15,
  idempotencyKey: 18,
  ifVersion: 33,
  maxApiKeys: 9,
  maxClients: 10,
  maxSecretLifetime: 11,
  maxTokenLifetime: 19,
  ownProviders: 11,
  requireSubnet: 9,
  requiredClaims: 13,
  sourceAddress: 11,
  tokenLifetime: 36,
};

/** Fields that are a word of the whole service, such as the id of a client. */
const words: ReadonlySet<string> = new Set([
  'clientId',
  'serviceTrunkGroup',
  'trunkGroup',
  'trunkGroups',
  'expiresAt',
  'publicKey',
]);

const texts = shippedFiles().map(
  (file) => [relative(root, file), readFileSync(file, 'utf8')] as const,
);

/** By its name in a program, on the wire or as an option. */
function filesWith(field: string): readonly string[] {
  const wire = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const name = new RegExp(`\\b(?:${field}|${wire})\\b|--${wire.replaceAll('_', '-')}\\b`);
  return texts.filter(([, text]) => name.test(text)).map(([file]) => file);
}

/** Names of two words or more: a name of one word is not only that field's. */
const fields = [
  ...new Set(
    Object.values(inputs).flatMap((input) =>
      typeof input === 'object' && 'fields' in input ? input.fields : [],
    ),
  ),
].filter((field) => /[A-Z]/.test(field) && !words.has(field));

describe('a field of an input', () => {
  it.each(fields.toSorted())('is named in few files: %s', (field) => {
    const files = filesWith(field);
    console.info(`${field}: ${files.length}\n  ${files.join('\n  ')}`);
    expect(files.length).toBeLessThanOrEqual(ceilings[field] ?? usual);
  });
});
