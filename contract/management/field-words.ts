import { maxNameLength, maxServiceTrunkGroupLength } from '../bounds.ts';
import { ownValue } from '../own-value.ts';
import { requiredSubnetText } from '../required-subnet.ts';
import type { ClientField, limitEntries, PlainClientField } from './inputs.ts';

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
  declaredBy: { label: 'Declared by' },
  undeclaredAt: { label: 'Not declared since', unit: 'time' },
  allowUserTokens: { label: 'Tokens of people' },
  allowOtherGrant: { label: 'Grants of other trunk groups' },
  secretId: { label: 'Secret id' },
  publicKey: { label: 'Public key' },
  alg: { label: 'Algorithm' },
  thumbprint: { label: 'Thumbprint' },
  status: { label: 'Status' },
  expiresOthers: { label: 'The old ones expire' },
  place: { label: 'Issuer or host' },
  value: { label: 'What is granted' },
  overlap: { label: 'The old ones expire', unit: 'seconds' },
  keyId: { label: 'Key id' },
  address: { label: 'IP address' },
  netmask: { label: 'Netmask' },
  subnets: { label: 'Subnets' },
  discoveryUrl: { label: 'Discovery URL' },
  jwksUri: { label: 'JWKS URI' },
  clientIdClaim: { label: 'Claim of the client id' },
  audienceFrom: { label: 'Audience' },
  algorithms: { label: 'Algorithms' },
  leeway: { label: 'Clock difference', unit: 'seconds' },
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
  ['service_trunk_groups', 'trunkGroups'],
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
  return ownValue<FieldWords>(words, field);
}

/** A `list` is ticked in a form; `lines` and `claims` are typed, one on each line. */
export type FieldKind = PlainKind | 'list' | 'lines' | 'claims';

/** Kinds of one value. */
export type PlainKind = 'text' | 'count' | 'seconds' | 'time' | 'flag';

/** How people give the value of a field. Its form, its pages and its option follow from this. */
export interface GivenWords {
  readonly kind: FieldKind;
  /** Below its field. */
  readonly hint?: string;
  /** Of a flag: next to its checkbox. Of a limit's list: what is selected without a limit. */
  readonly choice?: string;
  /** What the help says of its option. */
  readonly option: string;
  /** The option of a change that removes the value or empties the list, and what the help says of it. */
  readonly removal?: readonly [option: string, summary: string];
  /** What the value, or one item of a list, is in the help. */
  readonly item?: string;
  /** The option without its dashes, if that is not the name of the field. */
  readonly optionName?: string;
  /** What a form says about an empty field that is needed. */
  readonly required?: string;
  readonly maxLength?: number;
  /** Whether it is an id or an address, which are shown in a font in which similar letters differ. */
  readonly isCode?: true;
}

interface PlainWords extends GivenWords {
  readonly kind: PlainKind;
  readonly removal: readonly [option: string, summary: string];
}

/** What a new client is given, in the order of its options. */
export const clientWords = {
  name: {
    kind: 'text',
    item: 'name',
    hint: `For people, up to ${maxNameLength} characters.`,
    option: 'name for people, up to 128 characters',
    required: 'Give the client a name.',
    maxLength: maxNameLength,
  },
  serviceTrunkGroup: {
    kind: 'text',
    optionName: 'trunk-group',
    item: 'group',
    hint: 'Whose service it is, e.g. tg-1001. It cannot be changed later.',
    option: 'service trunk group',
    required: 'Say which trunk group the client belongs to.',
    maxLength: maxServiceTrunkGroupLength,
  },
  scopes: {
    kind: 'list',
    item: 'scope',
    option: 'a scope of the catalogue; may be repeated',
    required: 'Choose one scope or more.',
  },
  tokenLifetime: {
    kind: 'seconds',
    hint: 'A leaked token can be used for this time, at most. Platform APIs that look up clients refuse it when the client’s tokens are revoked.',
    option: 'lifetime of a token, e.g. 1h',
    removal: ['default-token-lifetime', "the deployment's default lifetime"],
  },
  audiences: {
    kind: 'lines',
    item: 'uri',
    hint: 'The APIs that a token is for, one on each line. Leave it empty for the default one.',
    option: 'a value that aud may have, the first is the default; may be repeated',
    removal: ['default-audience', "only the deployment's default audience"],
  },
  provider: {
    kind: 'text',
    item: 'issuer',
    hint: 'Who issues tokens to the client. Under a registered identity provider it has no secrets here, and other fields.',
    option: 'registered identity provider that the client is under',
  },
  externalClientId: {
    kind: 'text',
    item: 'id',
    option: "the client's id at that provider, or a pattern",
    isCode: true,
  },
  requiredClaims: {
    kind: 'claims',
    optionName: 'require-claim',
    item: 'name=value',
    hint: 'What else a token of the provider must say, NAME=VALUE on each line. Lines of one name are alternatives. For a known platform, the claim is added that only tokens of the application itself have; for Microsoft Entra ID, give sub=OBJECT_ID of its service principal, and for Google Cloud sub=UNIQUE_ID of its service account.',
    option:
      'what else a token of the provider must say; may be repeated, several values of one name are alternatives',
    removal: ['remove-required-claims', 'its tokens must say nothing else'],
  },
  allowUserTokens: {
    kind: 'flag',
    choice: 'Leave out the claim of the known platform',
    hint: 'Warning: a token that the provider issues for a person through this application then counts as the client, with all of its scopes.',
    option: 'without the rule that refuses tokens of people of a known provider',
  },
  allowOtherGrant: {
    kind: 'flag',
    choice: 'Also if the id is granted to another trunk group',
    hint: 'Without it, such an id is refused. Warning: tokens of that customer then count as this client, if its id is the more specific one.',
    option: 'also if its id at the provider is granted to another trunk group',
  },
} as const satisfies Readonly<Record<ClientField, GivenWords>> &
  Readonly<Record<PlainClientField, PlainWords>>;

/** The fields of a new client. */
export const clientFields = Object.keys(clientWords) as readonly ClientField[];

/** The kind of a field of a client; undefined if there is no such field. */
export function clientFieldKind(name: string): FieldKind | undefined {
  return ownValue<GivenWords>(clientWords, name)?.kind;
}

export type LimitName = keyof typeof limitEntries;

/** How the staff gives a limit, and how people read it. */
interface LimitWords extends GivenWords {
  readonly kind: 'count' | 'seconds' | 'flag' | 'list';
  readonly hint: string;
  /** How zero, a flag, and no limit read, if not as those of the others. */
  readonly zero?: string;
  readonly set?: string;
  readonly without?: string;
}

/** The words of every limit, in the order in which people see them. */
export const limitWords: Readonly<Record<LimitName, LimitWords>> = {
  scopes: {
    kind: 'list',
    hint: 'What its clients may be given. With none ticked, no scope can be given.',
    choice: 'Every scope, also those that are added later',
    option: 'a scope that may be given; may be repeated',
    removal: ['no-scopes', 'no scope may be given'],
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
    hint: `Only those that its clients may be given.`,
    choice: 'An API key must have scopes',
    option: 'an API key must have scopes, of those that may be given',
    set: 'Every key needs its own',
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
    hint: `The longest that an API key may have left, such as 90d. Leave it empty for no limit: then a key may also never expire.`,
    option: 'longest life of an API key, which then needs an end, e.g. 90d',
  },
  providers: {
    kind: 'list',
    hint: 'Under which registered providers clients may be created. With none ticked, under none.',
    choice: 'Every registered provider, also those that are registered later',
    option: 'a registered provider under which it may create clients; may be repeated',
    removal: ['no-providers', 'no client under a provider'],
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

/** An assertion is not single-use, so a question about it does not end it. */
export const assertionWarning =
  'The assertion still works: who has it can get tokens with it until it is too old. Delete every copy that you made.';

/** When a provider is deleted. Tokens for assertions live for `assertionTokens.longestLife`. */
export const exchangedTokensWarning =
  ' Those of this service work until they expire, an hour at most, except at APIs that look up clients.';
