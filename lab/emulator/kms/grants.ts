import { randomUUID } from 'node:crypto';
import { findKeptKey, findKey, type KmsContext } from './find-key.ts';
import { type KmsInput, readText } from './input.ts';
import { keyArn } from './kms-key.ts';
import { readPage } from './page.ts';

type Output = Readonly<Record<string, unknown>>;

/** Grants are kept and listed, not enforced. */
export function createGrant(input: KmsInput, context: KmsContext): Output {
  const key = findKeptKey(input, context);
  const GranteePrincipal = readText(input, 'GranteePrincipal', { min: 1, max: 256 });
  const grant = { GrantId: randomUUID(), GranteePrincipal, Operations: input['Operations'] };
  context.store.save({ ...key, grants: [...(key.grants ?? []), grant] });
  return { GrantId: grant.GrantId, GrantToken: grant.GrantId };
}

export function listGrants(input: KmsInput, context: KmsContext): Output {
  const key = findKey(input, context);
  const grants = (key.grants ?? []).map((grant) => ({ KeyId: keyArn(key), ...grant }));
  const page = readPage(input, grants, (grant) => grant.GrantId, { usual: 50, max: 100 });
  return { Grants: page.items, ...page.rest };
}
