import type { JsonObject } from '../../contract/json-object.ts';
import type { OperationResult } from '../../contract/management/operations.ts';
import { awsDomain } from '../../contract/partitions.ts';
import { type ClaimCondition, findUnmetCondition } from '../client/claim-condition.ts';
import type { IdentityProvider } from './identity-provider.ts';

type Registration = Pick<IdentityProvider, 'issuer' | 'clientIdClaim'>;

/** How tokens that a platform issues to applications differ from those for people. */
interface ApplicationRule {
  readonly platform: string;
  /** What marks an application's token. `ID` stands for the client's id at the provider. */
  readonly mark: string;
  /** Claims whose value shows it. A client that requires one of them has a rule. */
  readonly claims: readonly string[];
  /** Claims that follow from the client's id; undefined if a person has to look up the value. */
  readonly derive: (externalClientId: string) => readonly ClaimCondition[] | undefined;
}

interface KnownPlatform extends ApplicationRule {
  readonly isIssuer: (issuer: URL) => boolean;
  /** Whether a token from which no claim follows is an application's own. */
  readonly isApplication?: (payload: JsonObject) => boolean;
}

function one(claim: string, value: string): ClaimCondition {
  return { claim, values: [value] };
}

const entraHost =
  /^(?:login\.microsoftonline\.(?:com|us)|login\.partner\.microsoftonline\.cn|sts\.windows\.net|sts\.chinacloudapi\.cn|[a-z0-9-]+\.ciamlogin\.com)$/;
const oktaHost = /^[a-z0-9-]+\.(?:okta|oktapreview|okta-emea)\.com$/;
/** A service account's unique id. Its tokens name it in `azp` by this id, or by its address. */
const googleUniqueId = /^\d{1,30}$/;
const googleServiceAccount = /\.gserviceaccount\.com$/;
const auth0Host = /^[a-z0-9-]+(?:\.[a-z0-9]+)?\.auth0\.com$/;

const platforms: readonly KnownPlatform[] = [
  {
    platform: 'Microsoft Entra ID',
    isIssuer: ({ hostname }) => entraHost.test(hostname),
    mark: "sub=OBJECT_ID, the object id of the application's service principal (enterprise application)",
    claims: ['sub', 'oid', 'idtyp'],
    derive: () => undefined,
    // Only tokens of people have `scp`, and only of an application is `oid` the subject.
    isApplication: ({ scp, oid, sub }) => scp === undefined && oid === sub,
  },
  {
    platform: 'Okta',
    isIssuer: ({ hostname }) => oktaHost.test(hostname),
    mark: 'sub=ID and cid=ID',
    claims: ['sub'],
    derive: (id) => [one('sub', id), one('cid', id)],
  },
  {
    platform: 'Auth0',
    isIssuer: ({ hostname }) => auth0Host.test(hostname),
    mark: 'sub=ID@clients',
    claims: ['sub', 'gty'],
    derive: (id) => [one('sub', `${id}@clients`)],
  },
  {
    platform: 'Keycloak',
    isIssuer: ({ pathname }) => /\/realms\/[^/]+$/.test(pathname),
    mark: 'client_id=ID',
    claims: ['client_id', 'clientId', 'sub', 'preferred_username'],
    derive: (id) => [one('client_id', id)],
  },
  {
    platform: 'Amazon Cognito',
    isIssuer: ({ href }) => isCognitoIssuer(href),
    mark: 'sub=ID',
    claims: ['sub'],
    derive: (id) => [one('sub', id)],
  },
  {
    platform: 'Google Cloud',
    isIssuer: ({ hostname }) => hostname === 'accounts.google.com',
    mark: "sub=UNIQUE_ID, the number of the application's service account",
    claims: ['sub'],
    derive: (id) => (googleUniqueId.test(id) ? [one('sub', id)] : undefined),
    isApplication: ({ azp, sub }) =>
      azp === sub || (typeof azp === 'string' && googleServiceAccount.test(azp)),
  },
];

/** Claims that name an application. Rules are derived from the id in one of these only. */
const applicationClaims: readonly (string | undefined)[] = [
  undefined,
  'client_id',
  'azp',
  'appid',
  'cid',
];

/**
 * The rule of the platform that an issuer shows. Undefined if the platform is not known, and if the
 * client is named by another claim than an application's id: then no rule follows from the id.
 */
export function findApplicationRule(provider: Registration): KnownPlatform | undefined {
  if (!applicationClaims.includes(provider.clientIdClaim)) return undefined;
  const issuer = new URL(provider.issuer);
  return platforms.find(({ isIssuer }) => isIssuer(issuer));
}

/**
 * Whether tokens that the provider issues for people are refused for a client. They are if the
 * registration names clients by `sub`, or if the client requires a claim that shows the difference;
 * of a platform that is not known, that is `sub` (RFC 9068 §2.2).
 */
export function hasApplicationRule(
  provider: Registration,
  conditions: readonly ClaimCondition[] = [],
): boolean {
  if (provider.clientIdClaim === 'sub') return true;
  const { claims } = findApplicationRule(provider) ?? { claims: ['sub'] };
  return conditions.some(({ claim }) => claims.includes(claim));
}

/** What a client should require, so that tokens like a given one pass and those of people do not. */
export type RuleProposal = Extract<
  OperationResult<'inspectProvider'>['tokens'][number],
  { usable: true }
>['proposal'];

/**
 * The rule for a client, by a verified token of its application.
 *
 * @returns undefined if the registration needs no rule, or none follows from this token.
 */
export function proposeRule(
  provider: Registration,
  externalClientId: string,
  payload: JsonObject,
): RuleProposal {
  if (provider.clientIdClaim === 'sub' || typeof payload['sub'] !== 'string') return undefined;
  const rule = findApplicationRule(provider);
  const derived = rule?.derive(externalClientId);
  if (derived !== undefined) {
    const conditions = derived.filter(({ claim }) => claim !== provider.clientIdClaim);
    return {
      conditions,
      isAdded: true,
      isMet: findUnmetCondition(payload, conditions) === undefined,
    };
  }
  const conditions = [one('sub', payload['sub'])];
  if (rule !== undefined) {
    return { conditions, isAdded: false, isMet: rule.isApplication?.(payload) === true };
  }
  // RFC 9068 §2.2: without a person, the subject is the client.
  return payload['sub'] === externalClientId
    ? { conditions, isAdded: false, isMet: true }
    : undefined;
}

/**
 * The APIs that the scopes of a token belong to: each scope is `API/permission`, as the scopes of
 * an Amazon Cognito resource server are. A scope without a slash belongs to no API.
 */
export function audiencesOfScope(scope: string): readonly string[] {
  const apis = scope
    .split(' ')
    .map((name) => name.slice(0, Math.max(0, name.lastIndexOf('/'))))
    .filter((api) => api !== '');
  return [...new Set(apis)];
}

const cognitoHost = new RegExp(String.raw`^cognito-idp(?:-fips)?\.[a-z0-9-]+\.${awsDomain()}$`);

/** Whether an issuer is a user pool of Amazon Cognito, whose access tokens have no `aud`. */
export function isCognitoIssuer(issuer: string): boolean {
  return cognitoHost.test(new URL(issuer).hostname);
}
