import * as v from 'valibot';
import { maxProviderUrlLength, portalExecutions } from './bounds.ts';
import {
  configObject,
  count,
  distinct,
  domainSchema,
  matching,
  reservation,
  trunkGroup,
} from './config-values.ts';
import { addressRate } from './operations-config.ts';
import { portalLookSchema, printable } from './portal-look.ts';
import { regionIds } from './regions.ts';

const issuer = v.pipe(
  v.string(),
  v.maxLength(maxProviderUrlLength, `allowed: at most ${maxProviderUrlLength} characters`),
  v.check(
    (text) => /^https:\/\/[^\s?#]+$/.test(text) && URL.canParse(text),
    'allowed: an https URL without query and fragment',
  ),
);

const secretArn = matching(
  /^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:[\w/+=.@-]{1,512}-[A-Za-z0-9]{6}$/,
  'allowed: the whole ARN of a secret in Secrets Manager, with its six random characters',
);

const scope = matching(/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/, 'allowed: a scope (RFC 6749 §3.3)');

const loginSchema = configObject({
  /** The company's OpenID provider: `iss` of its ID tokens. */
  issuer,
  clientId: matching(/^[\x20-\x7e]{1,255}$/, 'allowed: 1 to 255 printable ASCII characters'),
  /** The secret in the portal's AWS region whose text is the client secret. */
  clientSecretArn: secretArn,
  scopes: v.optional(
    v.pipe(
      distinct(scope, 20),
      v.check((all) => all.includes('openid'), 'allowed: "openid" and others'),
    ),
    ['openid', 'profile', 'email'],
  ),
  /** The signature of ID tokens. */
  idTokenAlgorithm: v.optional(v.picklist(['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA']), 'RS256'),
  /**
   * For a provider without `auth_time`: its answer to `prompt=login` counts as a new login, if it takes
   * pushed authorization requests (RFC 9126). Only if it does ask for credentials then.
   */
  acceptsPromptLogin: v.optional(v.boolean(), false),
});

const claim = printable(200);

/** Values of a claim: groups of the provider. */
const groups = distinct(printable(256), 100);

const peopleSchema = configObject({
  /** The claim with the person's name for pages. `email`, then `name`, if left out. */
  nameClaim: v.optional(claim),
  /** The claim with the person's groups at the provider, and the groups that have each role. */
  role: configObject({
    claim,
    viewer: v.optional(groups),
    manager: v.optional(groups),
    administrator: v.optional(groups),
  }),
  trunkGroups: configObject({
    claim,
    /** Trunk groups for each value of the claim. Without it, the values are the trunk groups. */
    groups: v.optional(v.record(printable(256), distinct(trunkGroup, 100))),
  }),
});

/** How claims become a role and trunk groups. A person that no entry names has no access. */
export type PeopleMapping = Readonly<v.InferOutput<typeof peopleSchema>> & {
  /** Whether a login can be an administrator, who is restricted to no trunk group. */
  readonly administrators?: boolean | undefined;
};

/** The portal for customers, with a login by the company's OpenID provider. */
export const portalSchema = configObject({
  /** The platform region that serves it. */
  region: v.picklist(regionIds),
  domain: domainSchema,
  login: loginSchema,
  people: peopleSchema,
  /** A higher number than before ends every session. */
  sessionEpoch: v.optional(count, 1),
  /** Requests to the portal in five minutes from one source address. */
  requestsPerFiveMinutes: v.optional(addressRate, 1000),
  /**
   * Concurrent executions that are kept for the portal, which gets no more. Anyone can reach its address,
   * and without one a flood of pages takes the executions that tokens need. Each page can hold the
   * management function, so it is ten below what that has.
   */
  reservedConcurrency: v.optional(reservation, portalExecutions),
  look: v.optional(portalLookSchema, {}),
});

export type PortalConfig = Readonly<v.InferOutput<typeof portalSchema>>;
