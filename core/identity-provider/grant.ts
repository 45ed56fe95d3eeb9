import type * as v from 'valibot';
import type { grantList } from '../../contract/management/results.ts';
import { awsDomain } from '../../contract/partitions.ts';
import { hasWildcard } from '../client/provider-client-id.ts';
import { isProviderUrlText } from './provider-url.ts';

/** Something at an identity provider that the platform's staff gave to service trunk groups. */
export type Grant = GrantList['grants'][number];

/**
 * What is granted.
 *
 * - `subject`: client ids at one issuer, under which trunk groups may create clients.
 * - `issuer`: issuers at one host, which trunk groups may register for themselves.
 */
export type GrantKind = GrantList['kind'];

/** All grants at one place. They are one record, so one conditional write decides about overlaps. */
export type GrantList = v.InferOutput<typeof grantList>;

/** The list of a place for which none is stored. */
export function withoutGrants(kind: GrantKind, place: string): GrantList {
  return { kind, place, grants: [], version: 0 };
}

/** The grants with another one. It replaces the one of the same value; without groups, it removes it. */
export function replaceGrant(grants: readonly Grant[], grant: Grant): readonly Grant[] {
  const others = grants.filter(({ value }) => value !== grant.value);
  if (grant.trunkGroups.length === 0) return others;
  return [...others, grant].toSorted((a, b) => (a.value < b.value ? -1 : 1));
}

/** How much of the item's size the grants take, in bytes. All values are ASCII. */
export function sizeOfGrants(grants: readonly Grant[]): number {
  return JSON.stringify(grants).length;
}

/** CI systems and platforms separate the parts of a subject by these. */
const delimiter = /[/:]/;

/** A grant is a prefix if it ends at a delimiter: `repo:acme` would be a prefix of `repo:acme-evil/`. */
function isPrefix(value: string): boolean {
  return delimiter.test(value.slice(-1));
}

/** Parts that a prefix must name: `repo:` and `spiffe://` would be everyone's at their provider. */
const leastParts = 2;

/** What is wrong with the value of a grant, as what is allowed instead. */
export function findSubjectProblem(value: string): string | undefined {
  if (hasWildcard(value)) {
    return 'no "*"; a value that ends at "/" or ":" stands for every client id that begins with it';
  }
  const parts = value.split(delimiter).filter((part) => part !== '');
  if (!isPrefix(value) || parts.length >= leastParts) return undefined;
  return `at least ${leastParts} parts before the end, such as repo:OWNER/`;
}

/**
 * A client id or a pattern as the value of a grant that stands for each id that it matches. The `*` of
 * a pattern follows a delimiter (ADR 0058).
 */
export function valueOf(subject: string): string {
  return hasWildcard(subject) ? subject.slice(0, -1) : subject;
}

/** Whether a grant stands for everything that another value stands for. Compared byte for byte. */
function includes(value: string, other: string): boolean {
  return value === other || (isPrefix(value) && other.startsWith(value));
}

/** Whether there is a client id that both stand for. */
export function subjectsOverlap(value: string, other: string): boolean {
  return includes(value, other) || includes(other, value);
}

/** The one grant with an id at the provider, or every id of a pattern: grants do not overlap. */
export function findSubjectGrant(grants: readonly Grant[], subject: string): Grant | undefined {
  return grants.find(({ value }) => includes(value, valueOf(subject)));
}

/** The grants that have one of the ids that a client's id or pattern stands for. */
export function findSharedSubjects(grants: readonly Grant[], subject: string): readonly Grant[] {
  return grants.filter(({ value }) => subjectsOverlap(value, valueOf(subject)));
}

/** An issuer as it is compared: scheme, host and port, and the segments of the path. */
interface IssuerParts {
  /** With a port that is not 443. */
  readonly host: string;
  readonly segments: readonly string[];
}

/** A host of AWS in any partition. */
const ofAws = (labels: string) => new RegExp(`^${labels}${awsDomain()}$`);

/**
 * Hosts at which every customer of a platform has an issuer, and how many segments of the path name
 * the tenant. `none`: no path does. Such a host is never one customer's; a label before it is a
 * tenant, as in `TENANT.auth0.com`. ADR 0094 names the sources.
 */
const sharedHosts: readonly (readonly [host: RegExp, tenant: number | 'none'])[] = [
  [/^(?:login\.microsoftonline\.(?:com|us)|login\.partner\.microsoftonline\.cn)$/, 1],
  [/^(?:sts\.windows\.net|sts\.chinacloudapi\.cn)$/, 1],
  [ofAws(String.raw`(?:issuer-)?cognito-idp(?:-fips)?\.[a-z0-9-]+\.`), 1],
  // https://oidc.eks.us-west-2.amazonaws.com/id/A1B2C3D4
  [ofAws(String.raw`oidc[.-]eks\.[a-z0-9-]+\.`), 2],
  // An enterprise can have an issuer of its own there, with its name.
  [/^token\.actions\.githubusercontent\.com$/, 1],
  // https://oidc.circleci.com/org/ID, https://api.bitbucket.org/2.0/workspaces/NAME/…
  [/^oidc\.circleci\.com$/, 2],
  [/^api\.bitbucket\.org$/, 3],
  [/^(?:vstoken\.dev\.azure\.com|oidc\.vercel\.com)$/, 1],
  [/^(?:[a-z0-9-]+\.oic|oidc)\.prod-aks\.azure\.com$/, 1],
  [/^auth\.pingone\.(?:com(?:\.au)?|ca|eu|sg|asia)$|^securetoken\.google\.com$/, 1],
  // https://container.googleapis.com/v1/projects/PROJECT/locations/…
  [/^container\.googleapis\.com$/, 3],
  [/^storage\.googleapis\.com$/, 1],
  [ofAws(String.raw`s3(?:[.-][a-z0-9-]+){0,2}\.`), 1],
  [/^(?:gitlab\.com|accounts\.google\.com|agent\.buildkite\.com)$/, 'none'],
  [/^app\.(?:eu\.)?terraform\.io$|^oauth\.id\.jumpcloud\.com$/, 'none'],
  [/^(?:appleid\.apple\.com|www\.facebook\.com|login\.salesforce\.com)$/, 'none'],
  [ofAws(String.raw`(?:tokens\.sts\.[a-z0-9-]+\.)?`), 'none'],
  // The labels of two letters are regions: a tenant's name has three characters or more.
  [/^(?:(?:(?:login|cdn)\.)?[a-z]{2}\.|(?:login|cdn|manage|auth0)\.)?auth0\.com$/, 'none'],
  [/^(?:okta|oktapreview|okta-emea)\.com$/, 'none'],
  [/^(?:(?:openid-connect(?:-eu)?|[a-z]{2})\.)?onelogin\.com$/, 'none'],
  [/^(?:ciamlogin|b2clogin|semaphoreci)\.com$|^(?:github|gitlab)\.io$/, 'none'],
];

/** Names at Entra ID that stand for every tenant, or for all personal accounts. */
const everyTenant: readonly string[] = ['common', 'organizations', 'consumers'];

/**
 * The parts of an issuer.
 *
 * @returns undefined for a URL whose form hides what it leads to: an escape, an empty segment, `..`,
 *   a query, or anything that a URL parser changes. No grant includes such an issuer.
 */
function partsOf(issuer: string): IssuerParts | undefined {
  if (!isProviderUrlText(issuer) || !URL.canParse(issuer)) return undefined;
  const { host, hostname, origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const isNormal = [origin + path, `${origin + path}/`].includes(issuer);
  if (!isNormal || /%|\/\//.test(pathname) || hostname.endsWith('.')) return undefined;
  return { host, segments: path.split('/').slice(1) };
}

function isWithin(inner: IssuerParts, outer: IssuerParts): boolean {
  const isSame = (segment: string, index: number) => segment === inner.segments[index];
  return inner.host === outer.host && outer.segments.every(isSame);
}

/** Why an issuer cannot belong to some trunk groups; undefined if it can. */
export function findSharedHostProblem(issuer: string): string | undefined {
  const { host, segments } = partsOf(issuer) ?? { host: new URL(issuer).host, segments: [] };
  const [, tenant] = sharedHosts.find(([pattern]) => pattern.test(host)) ?? [];
  if (tenant === undefined) return undefined;
  if (tenant === 'none') return `an issuer of one customer; ${host} has tenants of every customer`;
  if (segments.length >= tenant && !everyTenant.includes(segments[tenant - 1] ?? '')) {
    return undefined;
  }
  return `an issuer of one customer; ${host} has tenants of every customer, so the tenant must be in the path`;
}

/** What is wrong with the issuer of a grant, as what is allowed instead. */
export function findIssuerGrantProblem(issuer: string): string | undefined {
  const parts = partsOf(issuer);
  if (parts === undefined || issuer.endsWith('/')) {
    return 'an https URL in its normal form, as https://sso.example.com/realms/acme: a host in small letters, no slash at the end, no "%", "//" or "?" in the path';
  }
  return findSharedHostProblem(issuer);
}

/** The host of an issuer, with a port that is not 443: the place of its grants. */
export function hostOf(issuer: string): string {
  return new URL(issuer).host;
}

/** Whether there is an issuer that both stand for. */
export function issuersOverlap(value: string, other: string): boolean {
  const [one, two] = [partsOf(value), partsOf(other)];
  return one !== undefined && two !== undefined && (isWithin(one, two) || isWithin(two, one));
}

/** The grant that has an issuer. There is at most one, because grants do not overlap. */
export function findIssuerGrant(grants: readonly Grant[], issuer: string): Grant | undefined {
  const parts = partsOf(issuer);
  if (parts === undefined) return undefined;
  return grants.find(({ value }) => {
    const outer = partsOf(value);
    return outer !== undefined && isWithin(parts, outer);
  });
}
