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
  maxTokenLifetime: { label: 'Token lifetime', unit: 'seconds' },
  maxSecretLifetime: { label: 'Life of a secret', unit: 'seconds' },
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
