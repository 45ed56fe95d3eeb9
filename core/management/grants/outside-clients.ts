import type * as v from 'valibot';
import type { outsideClient } from '../../../contract/management/results.ts';
import type { Client } from '../../client/client.ts';
import { subjectOf } from '../../client/provider-client-id.ts';
import {
  findSharedSubjects,
  findSubjectGrant,
  type Grant,
  type GrantList,
} from '../../identity-provider/grant.ts';
import type { ProviderOwner } from '../../identity-provider/identity-provider.ts';

export type OutsideClient = v.InferOutput<typeof outsideClient>;

/** @returns undefined if the client's id, or each that its pattern matches, is granted to its group. */
export function findOutside(client: Client, grants: readonly Grant[]): OutsideClient | undefined {
  const { clientId, name, serviceTrunkGroup, enabled, provider } = client;
  if (provider === undefined) return undefined;
  const { issuer } = provider;
  const subject = subjectOf(provider);
  if (findSubjectGrant(grants, subject)?.trunkGroups.includes(serviceTrunkGroup)) return undefined;
  const shared = findSharedSubjects(grants, subject);
  const grantedTo = [...new Set(shared.flatMap(({ trunkGroups }) => trunkGroups))].toSorted();
  return { clientId, name, serviceTrunkGroup, enabled, issuer, subject, grantedTo };
}

/** What decides whether clients are outside, of which each is read once. */
export interface GrantReader {
  readonly subjectGrants: { find(issuer: string): Promise<GrantList> };
  readonly findOwner: (registrationId: string) => Promise<ProviderOwner | undefined>;
  /** Whether providers at which nothing is granted are left out. */
  readonly onlyGranted?: boolean;
}

/** Reads what is granted at an issuer, and whose a registration is, once each. */
export function checkOutside({ subjectGrants, findOwner, onlyGranted = false }: GrantReader) {
  const lists = new Map<string, Promise<GrantList>>();
  const owners = new Map<string, Promise<ProviderOwner | undefined>>();
  const once = <T>(known: Map<string, T>, key: string, read: (key: string) => T): T => {
    const found = known.get(key) ?? read(key);
    known.set(key, found);
    return found;
  };
  /** @returns undefined for a client without provider, under an own one, and one that is granted. */
  return async (client: Client): Promise<OutsideClient | undefined> => {
    const { provider, serviceTrunkGroup } = client;
    if (provider === undefined) return undefined;
    const { grants } = await once(lists, provider.issuer, (issuer) => subjectGrants.find(issuer));
    if (onlyGranted && grants.length === 0) return undefined;
    const outside = findOutside(client, grants);
    if (outside === undefined) return undefined;
    const owner = await once(owners, provider.registrationId, findOwner);
    return owner?.trunkGroups.includes(serviceTrunkGroup) === true ? undefined : outside;
  };
}
