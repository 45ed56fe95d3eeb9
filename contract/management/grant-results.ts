import * as v from 'valibot';
import { list } from './fields.ts';

/** What the operations about grants return. */

const text = v.string();

const grants = list(v.object({ value: text, trunkGroups: list(text) }));

export const grantList = v.object({
  kind: v.picklist(['subject', 'issuer']),
  place: text,
  grants,
  version: v.number(),
  updatedAt: v.optional(v.number()),
});

export const grantListPage = v.object({
  items: list(grantList),
  examined: v.number(),
  nextCursor: v.optional(text),
});

/** A client whose id is not granted to its trunk group. */
const outsideClient = v.object({
  clientId: text,
  name: text,
  serviceTrunkGroup: text,
  enabled: v.boolean(),
  issuer: text,
  subject: text,
  /** Trunk groups that have a grant with one of its ids. Empty: it is granted to none. */
  grantedTo: list(text),
});

export const subjectGrantChange = v.object({
  ...grantList.entries,
  /** Clients of other trunk groups whose ids the grant has, after the change. */
  otherClients: list(outsideClient),
});

export const grantCheck = v.object({
  items: list(outsideClient),
  /** Providers of trunk groups that are not granted to each of them. On the first page. */
  providers: list(v.object({ issuer: text, trunkGroups: list(text) })),
  examined: v.number(),
  nextCursor: v.optional(text),
});
