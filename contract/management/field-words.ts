import { requiredSubnetText } from '../required-subnet.ts';
import type { grantLimits } from './inputs.ts';

/** How the value of a field reads. The default is as it is. */
export type FieldUnit = 'seconds' | 'time' | 'day';

interface FieldWords {
  /** What people call it: in forms, in tables, and in the history. */
  readonly label: string;
  readonly unit?: FieldUnit;
}

/** The words of each field that a person sees, by its name in the library. */
const words = {
  name: { label: 'Name' },
  serviceTrunkGroup: { label: 'Service trunk group' },
  enabled: { label: 'Enabled' },
  disabled: { label: 'Disabled' },
  createdAt: { label: 'Created', unit: 'time' },
  expiresAt: { label: 'Expires', unit: 'time' },
  lastUsedOn: { label: 'Last used', unit: 'day' },
  clientId: { label: 'Client id' },
  tokenLifetime: { label: 'Token lifetime', unit: 'seconds' },
  tokensNotBefore: { label: 'Tokens revoked that were issued before', unit: 'time' },
  scopes: { label: 'Scopes' },
  audiences: { label: 'Audiences' },
  provider: { label: 'Provider' },
  externalClientId: { label: 'Client id at the provider' },
  requiredClaims: { label: 'Required claims' },
  secretId: { label: 'Secret id' },
  status: { label: 'Status' },
  overlap: { label: 'The old secrets expire', unit: 'seconds' },
  keyId: { label: 'Key id' },
  address: { label: 'IP address' },
  netmask: { label: 'Netmask' },
  subnets: { label: 'Subnets' },
  discoveryUrl: { label: 'Discovery URL' },
  jwksUri: { label: 'JWKS URI' },
  clientIdClaim: { label: 'Claim of the client id' },
  audienceFrom: { label: 'Audience' },
  trunkGroups: { label: 'Trunk groups' },
  maxClients: { label: 'Clients' },
  maxApiKeys: { label: 'API keys' },
  requireSubnet: { label: 'Subnets of API keys' },
  requireApiKeyScopes: { label: 'Scopes of API keys' },
  maxTokenLifetime: { label: 'Token lifetime', unit: 'seconds' },
  maxSecretLifetime: { label: 'Life of a secret', unit: 'seconds' },
  maxApiKeyLifetime: { label: 'Life of an API key', unit: 'seconds' },
  providers: { label: 'Identity providers' },
  ownProviders: { label: 'Own identity providers' },
} as const satisfies Readonly<Record<string, FieldWords>>;

export type WordedField = keyof typeof words;

/** Fields that have another name on the wire: those of RFC 7591. */
const wireNames: ReadonlyMap<string, WordedField> = new Map([
  ['scope', 'scopes'],
  ['audience', 'audiences'],
]);

/** What people call a field. */
export function fieldLabel(field: WordedField): string {
  return words[field].label;
}

/** The labels of the fields of a form. */
export function fieldLabels(...fields: readonly WordedField[]): Readonly<Record<string, string>> {
  return Object.fromEntries(fields.map((field) => [field, fieldLabel(field)]));
}

/**
 * The words of a field by its name on the wire, `token_lifetime`.
 *
 * @returns undefined for one that has none, as of a later release.
 */
export function wordsOfWireName(name: string): FieldWords | undefined {
  const field =
    wireNames.get(name) ?? name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.hasOwn(words, field) ? words[field as WordedField] : undefined;
}

export type LimitName = keyof typeof grantLimits;

export type LimitKind = 'count' | 'seconds' | 'flag' | 'list';

/** How the staff gives a limit, and how people read it. Forms, pages and options follow from it. */
interface LimitWords {
  readonly kind: LimitKind;
  /** Below its field. */
  readonly hint: string;
  /** Of a flag: next to its checkbox. Of a list: what is selected when there is no limit. */
  readonly choice?: string;
  /** What the help says of its option, and of `--no-…` for a list. */
  readonly option: string;
  readonly noOption?: string;
  /** Of a list: what one item of it is in the help. */
  readonly item?: string;
  /** How zero, a flag, and no limit read, if not as those of the others. */
  readonly zero?: string;
  readonly set?: string;
  readonly without?: string;
  /** Whether release 0.2.0 does not know it: see {@link newLimitWarning}. */
  readonly isNew?: true;
}

/** What a person must know before a limit is set that release 0.2.0 does not know. */
export const newLimitWarning =
  'Regions of release 0.2.0 cannot read limits with it: until they are updated, customers and limited operators of the trunk group can change nothing there, and not even stop a client or an API key. The platform’s staff can.';

/** The words of every limit, in the order in which people see them. */
export const limitWords: Readonly<Record<LimitName, LimitWords>> = {
  scopes: {
    kind: 'list',
    hint: 'What its clients may be given. With none ticked, no scope can be granted.',
    choice: 'Every scope, also those that are added later',
    option: 'a scope that may be granted; may be repeated',
    noOption: 'no scope may be granted',
    item: 'scope',
  },
  maxClients: {
    kind: 'count',
    hint: 'How many it may have. Leave it empty for no limit.',
    option: 'how many clients it may have',
  },
  maxApiKeys: {
    kind: 'count',
    hint: 'How many it may have; 0: none are allowed. Leave it empty for no limit.',
    option: 'how many API keys it may have; 0: none are allowed',
    zero: 'Not allowed',
  },
  requireSubnet: {
    kind: 'flag',
    hint: `Its subnets are ${requiredSubnetText}. Wider ones do not count as a limit.`,
    choice: 'An API key must have a subnet',
    option: `an API key must have subnets, ${requiredSubnetText}`,
    set: `Every key needs one or more, ${requiredSubnetText}`,
  },
  requireApiKeyScopes: {
    kind: 'flag',
    hint: `Only those that its clients may be given. ${newLimitWarning}`,
    choice: 'An API key must have scopes',
    option: 'an API key must have scopes, of those that may be granted',
    set: 'Every key needs its own',
    isNew: true,
  },
  maxTokenLifetime: {
    kind: 'seconds',
    hint: 'The longest that a client’s tokens may be valid, such as 1h. Leave it empty for no limit.',
    option: 'longest lifetime of a token, e.g. 1h',
  },
  maxSecretLifetime: {
    kind: 'seconds',
    hint: 'The longest that a secret may have left, such as 90d. Leave it empty for no limit: then a secret may also never expire.',
    option: 'longest life of a secret, e.g. 90d',
  },
  maxApiKeyLifetime: {
    kind: 'seconds',
    hint: `The longest that an API key may have left, such as 90d. Leave it empty for no limit: then a key may also never expire. ${newLimitWarning}`,
    option: 'longest life of an API key, which then needs an end, e.g. 90d',
    isNew: true,
  },
  providers: {
    kind: 'list',
    hint: 'Under which registered providers clients may be created. With none ticked, under none.',
    choice: 'Every registered provider, also those that are registered later',
    option: 'a registered provider under which it may create clients; may be repeated',
    noOption: 'no client under a provider',
    item: 'issuer',
  },
  // Unlike the others, it allows something.
  ownProviders: {
    kind: 'count',
    hint: 'How many providers its people may register for it. Leave it empty for none.',
    option: 'how many providers it may register for itself',
    zero: 'None',
    without: 'None',
  },
};
