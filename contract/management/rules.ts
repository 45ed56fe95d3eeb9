import {
  lastTime,
  maxAudienceLength,
  maxAudiencesPerClient,
  maxClaimConditions,
  maxClaimConditionValues,
  maxExternalIdLength,
  maxListedItems,
  maxNameLength,
  maxProviderUrlLength,
  maxScopeBytes,
  maxScopesPerClient,
  maxServiceTrunkGroupLength,
  maxTrunkGroupsOfReach,
} from '../bounds.ts';
import { importedClientIdHelp, isClientId, isImportedClientId } from '../client-id.ts';
import { findNearestNames } from '../nearest-names.ts';
import { isResourceUri } from '../resource-metadata.ts';
import { scopeName } from '../scopes.ts';
import { unprintable } from '../unprintable.ts';
import {
  exactly,
  type FieldValues,
  field,
  givenList,
  type RuleFacts,
  text,
  Wrong,
  whole,
  wholeProblem,
  wrong,
} from './fields.ts';

/** The rules of fields that inputs of several operations have. */

function formatTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}

const idPrefixes = {
  client: 'client_',
  secret: 'secret_',
  apiKey: 'key_',
  subnet: 'subnet_',
  import: 'import_',
};

/** What an id is, in words. */
export function idForm(kind: keyof typeof idPrefixes): string {
  return `${idPrefixes[kind]} and 22 letters and digits`;
}

/** An id that this service made. */
export function id(kind: keyof typeof idPrefixes) {
  const pattern = new RegExp(`^${idPrefixes[kind]}[0-9A-Za-z]{22}$`);
  return text(idForm(kind), (value) => (pattern.test(value) ? value : wrong));
}

/** The id of a client. */
export const clientId = text(`${idForm('client')}, or the id of an imported client`, (value) =>
  isClientId(value) ? value : wrong,
);

const labelHelp = (most: number) => `1 to ${most} printable characters`;

const readLabel = (most: number) => (received: string) => {
  const value = received.trim();
  return value !== '' && value.length <= most && !unprintable.test(value) ? value : wrong;
};

/** A text for people, without the blanks around it. */
export const label = (most: number) => text(labelHelp(most), readLabel(most));

/** A name for people that may be the stored one, sent again. See `newName`. */
export const name = label(maxNameLength);

/**
 * They make two names look the same. U+200C and U+200D are not among them: Persian, Indic scripts
 * and emoji need those.
 */
const invisible = [
  ['\u200B', 'U+200B'],
  ['\u2060', 'U+2060'],
  ['\uFEFF', 'U+FEFF'],
] as const;

/** A name for people, given for the first time. */
export const newName = text(labelHelp(maxNameLength), (received) => {
  const value = readLabel(maxNameLength)(received);
  if (value instanceof Wrong) return value;
  const [, found] = invisible.find(([character]) => value.includes(character)) ?? [];
  if (found === undefined) return value;
  const names = invisible.map(([, one]) => one).join(', ');
  return new Wrong({
    expected: wholeProblem,
    message: `received the invisible character ${found}; allowed: ${labelHelp(maxNameLength)}, none of ${names}`,
  });
});

const trunkGroupPattern = /^[A-Za-z0-9][A-Za-z0-9_.:-]*$/;
/** What is allowed as a service trunk group. */
export const trunkGroupHelp = `1 to ${maxServiceTrunkGroupLength} of A-Z, a-z, 0-9, "_", ".", ":" and "-", a letter or digit first`;

/** A service trunk group is a claim of each token: plain ASCII that JSON never escapes. */
export const trunkGroup = text(trunkGroupHelp, readTrunkGroup);

export function isTrunkGroup(value: string): boolean {
  return value.length <= maxServiceTrunkGroupLength && trunkGroupPattern.test(value);
}

function readTrunkGroup(value: string): string | Wrong {
  return isTrunkGroup(value) ? value : wrong;
}

/** The trunk group of what is created: one that is within reach. */
export const ownTrunkGroup = text(trunkGroupHelp, (value, { trunkGroups: reach }) => {
  if (reach === undefined || reach.includes(value)) return readTrunkGroup(value);
  const found = readTrunkGroup(value);
  return found instanceof Wrong ? found : new Wrong({ message: reach.join(', ') || 'none' });
});

/** What is wrong with a list that is too long. */
export function findTooMany(
  items: readonly unknown[],
  most: number,
  what: string,
): Wrong | undefined {
  if (items.length <= most) return undefined;
  return new Wrong({ message: `at most ${most}`, input: `${items.length} ${what}` });
}

const findTooManyGroups = (groups: readonly unknown[]) =>
  findTooMany(groups, maxTrunkGroupsOfReach, 'groups');

export const trunkGroups = givenList(trunkGroup, findTooManyGroups);

/** Trunk groups of a provider: those that are within reach. */
export const ownTrunkGroups = givenList(ownTrunkGroup, (groups, { trunkGroups: reach }) => {
  if (reach === undefined || groups.length > 0) return findTooManyGroups([...new Set(groups)]);
  return new Wrong({ message: `one or more of ${reach.join(', ') || 'none'}` });
});

/** Beyond this the message names the command that lists them. */
const maxListedScopes = 20;

function namesOf({ config }: RuleFacts): readonly string[] {
  return config.scopes.map(scopeName);
}

function describeScopes(facts: RuleFacts): string {
  const names = namesOf(facts);
  if (names.length <= maxListedScopes) return names.join(', ');
  return 'a scope of the catalogue (authctl scope list)';
}

/** A scope of the catalogue. */
const scope = text(describeScopes, (value, facts) => {
  const names = namesOf(facts);
  if (names.includes(value)) return value;
  const nearest = findNearestNames(value, names);
  if (nearest.length === 0) return wrong;
  const message = `a scope of the catalogue; did you mean ${nearest.join(' or ')}?`;
  return new Wrong({ message });
});

export const scopes = givenList(scope);

/** What is wrong with the scopes of a client or an API key as a whole. */
export function findWrongScopes(names: readonly unknown[]): Wrong | undefined {
  const distinct = [...new Set(names)];
  if (distinct.length === 0) return new Wrong({ message: 'one scope or more', input: undefined });
  const tooMany = findTooMany(distinct, maxScopesPerClient, 'scopes');
  if (tooMany !== undefined) return tooMany;
  // What is no text is refused by itself, and may have no form as a text.
  const bytes = distinct.filter((one) => typeof one === 'string').join(' ').length;
  if (bytes <= maxScopeBytes) return undefined;
  return new Wrong({ message: `at most ${maxScopeBytes} bytes together`, input: `${bytes} bytes` });
}

/** Of a client or an API key. */
export const ownScopes = givenList(scope, findWrongScopes);

const ownAudienceHelp = `an absolute URI without fragment, at most ${maxAudienceLength} characters`;
const providerAudienceHelp = `1 to ${maxAudienceLength} printable characters, a URI if there is a ":", and not the client's own id at the provider, which is the audience of its id tokens`;

/** Their rule depends on the client: see {@link findWrongAudience}. */
export const audiences = givenList(text(ownAudienceHelp));

/**
 * A client of this service could never get a token for an audience that no `resource` parameter can
 * name. A provider writes a GUID, a client id or a name into `aud`; an id token has the client itself
 * as its audience (OpenID Connect Core §2).
 *
 * @param externalClientId of a client under a provider.
 */
export function findWrongAudience(
  values: readonly string[],
  externalClientId: string | undefined,
): Wrong | undefined {
  const isAllowed = (value: string) =>
    externalClientId === undefined
      ? isResourceUri(value)
      : isAudience(value) && value !== externalClientId;
  const input = values.find((value) => !isAllowed(value));
  if (input !== undefined) {
    const message = externalClientId === undefined ? ownAudienceHelp : providerAudienceHelp;
    return new Wrong({ message, input });
  }
  const count = new Set(values).size;
  if (count <= maxAudiencesPerClient) return undefined;
  return new Wrong({ message: `at most ${maxAudiencesPerClient}`, input: count });
}

/** Seconds within bounds. */
export function seconds(bounds: Parameters<typeof whole>[0]) {
  return whole(bounds, (least, most) => `${least} to ${most} seconds`);
}

/** Seconds, within the deployment's bounds. */
export const tokenLifetime = seconds(({ config: { tokenLifetime: bounds } }) => [
  bounds.minimum,
  bounds.maximum,
]);

const isTime = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= lastTime;

const expiryHelp =
  'a time before the year 10000, such as 2027-03-31 (the end of that day in UTC) or 2027-03-31T12:00:00Z';

function readExpiry(value: unknown, { now }: RuleFacts): number | Wrong {
  if (!isTime(value)) return wrong;
  if (value > now) return value;
  return new Wrong({ message: 'a time in the future', input: formatTime(value) });
}

/** When a secret expires, in seconds since the epoch: later than now. */
export const expiry = field<number>(expiryHelp, readExpiry);

/** Seconds for which old secrets continue to work. */
export const overlap = field<number>(
  '0 seconds or more, to an expiry before the year 10000',
  (value, { now }) =>
    Number.isSafeInteger(value) && Number(value) >= 0 && isTime(now + Number(value))
      ? Number(value)
      : wrong,
);

const issuerHelp = 'the issuer of a registered provider, an https URL';

/** An issuer is compared byte for byte, so only its length and its beginning are checked. */
export const issuer = text(issuerHelp, (value) =>
  value.startsWith('https://') && value.length <= maxProviderUrlLength ? value : wrong,
);

/** Issuer and subject of a login. It never looks like an ARN, which only AWS names. */
export const personPattern = /^https:\/\/[\x21-\x7E]{1,1000}$/;

/** A person behind a portal, as the audit names one. */
export const person = text('https://issuer#subject', (value) =>
  personPattern.test(value) ? value : wrong,
);

const externalIdPattern = /^[\x21-\x7E]+$/;

/** A client's id at its provider: compared byte for byte with a claim, or a pattern. */
export const externalClientId = text(
  `1 to ${maxExternalIdLength} printable ASCII characters without space`,
  (value) => (value.length <= maxExternalIdLength && externalIdPattern.test(value) ? value : wrong),
);

/** The id of a client of another provider, which it keeps. */
export const importedClientId = text(importedClientIdHelp, (value) =>
  isImportedClientId(value) ? value : wrong,
);

const wellKnown =
  /password|passwort|changeme|qwerty|asdfgh|letmein|welcome|example|default|yoursecret|clientsecret|bitsecret|abcdefgh|12345678/;

const plain = (value: string) => value.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Signs that a person chose a secret. Its hash is right only for what a machine drew (ADR 0024). */
function findWeakness(value: string): string | undefined {
  if (!/^[!-$&-~]{24,256}$/.test(value)) return `other characters, or ${value.length} of them`;
  const triples = new Set(Array.from(value, (_, at) => value.slice(at, at + 3)));
  if (new Set(value).size < 8) return 'fewer than 8 different characters';
  if (triples.size < value.length * 0.75) return 'repetitions';
  return wellKnown.test(plain(value)) ? 'a well-known word' : undefined;
}

const refuseSecret = (weakness: string) =>
  new Wrong({
    expected: wholeProblem,
    message: `received one with ${weakness}; allowed: 24 to 256 random characters of printable ASCII without space and "%"`,
  });

/** A secret that another provider made. No message repeats it. */
export const importedSecret = field<string>('a text', (value) => {
  const weakness = typeof value === 'string' ? findWeakness(value) : 'no text';
  return typeof value === 'string' && weakness === undefined
    ? value
    : refuseSecret(weakness ?? 'no text');
});

/** Letters and digits of a word that chance puts into one of a million random secrets. */
const leastOwnWord = 5;

/** A person who chooses a secret begins with what the client is called, which others know. */
export function findOwnWord({ clientId, name, secret }: FieldValues): Wrong | undefined {
  const texts = [secret, clientId, name].map((one) =>
    typeof one === 'string' ? one.slice(0, 256) : '',
  );
  const [text = '', ...words] = [...texts, ...(texts[2] ?? '').split(' ')].map(plain);
  const found = words
    .filter(({ length }) => length >= leastOwnWord)
    .find((word) => text.includes(word) || (text.length >= leastOwnWord && word.includes(text)));
  return found === undefined ? undefined : refuseSecret('the id or the name of its client inside');
}

/** Printable ASCII: names of claims and JSON Pointers to members within them. */
const claimText = /^[\x21-\x7E]{1,256}$/;
/** RFC 6901 §3: a tilde is followed by 0 or 1. */
const brokenPointer = /^\/.*~(?![01])/;
const printable = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u;

const claim = text(
  'the name of a claim, or a JSON Pointer such as /kubernetes.io/namespace',
  (value) => (claimText.test(value) && !brokenPointer.test(value) ? value : wrong),
);

const claimValue = text(`1 to ${maxExternalIdLength} printable characters`, (value) =>
  value.length <= maxExternalIdLength && printable.test(value) ? value : wrong,
);

const claimValues = givenList(claimValue, (values) => {
  const { size } = new Set(values);
  if (size > 0 && size <= maxClaimConditionValues) return undefined;
  return new Wrong({ message: `1 to ${maxClaimConditionValues} values`, input: size });
});

/** Claims that a client's tokens must have: each name once, all of them needed. */
export const claimConditions = givenList(
  exactly({ claim, values: claimValues }),
  (conditions) => {
    const seen = new Set<unknown>();
    const names = conditions.map((one) => (one as { readonly claim?: unknown } | null)?.claim);
    const input = names.find((one) => one !== undefined && seen.size === seen.add(one).size);
    if (input !== undefined) {
      return new Wrong({ message: 'each claim once, with all of its values', input });
    }
    if (conditions.length <= maxClaimConditions) return undefined;
    return new Wrong({ message: `at most ${maxClaimConditions} claims`, input: conditions.length });
  },
  maxClaimConditions,
);

const keyPattern = /^[\x21-\x7E]{8,128}$/;

export const idempotencyKey = text(
  '8 to 128 printable ASCII characters without space, e.g. a UUID',
  (value) => (keyPattern.test(value) ? value : wrong),
);

/** The `version` that a change is based on. @param least 0 if what is not stored has a version. */
export function version(least: 0 | 1) {
  return whole(
    () => [least, Number.MAX_SAFE_INTEGER],
    () => `the version that was read, a whole number of ${least} or more`,
  );
}

const maxCursorLength = 2048;

/** A position as an opaque text. It has one spelling. */
export const cursor = text('the nextCursor of a page', (value) => {
  const key = Buffer.from(value, 'base64url').toString('utf8');
  const isCursor = Buffer.from(key, 'utf8').toString('base64url') === value;
  return value !== '' && value.length <= maxCursorLength && isCursor ? value : wrong;
});

/** Most items of a page. */
export const pageSize = whole(() => [1, maxListedItems]);

/** Seconds, as long as there are times. */
export const duration = whole(
  () => [0, lastTime],
  () => '0 seconds or more',
);

/** A UTC day. */
export const day = text('a UTC day, e.g. 2026-11-20', (value) => {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value));
  return isDay && new Date(value).toISOString().startsWith(value) ? value : wrong;
});

/** What a list is searched for. */
export const searched = text('a text', (value) => value.trim());

/** RFC 3986 §3: a scheme, and the characters that a URI may have. */
const uri = /^[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+$/;

/**
 * `StringOrURI` of RFC 7519 §2, as far as a person can read it: a text is an audience unless it has
 * a colon and is no URI. The audiences of this service's own tokens are narrower, see
 * `isResourceUri`.
 */
function isAudience(value: string): boolean {
  if (value === '' || value.length > maxAudienceLength || unprintable.test(value)) return false;
  return value === value.trim() && (!value.includes(':') || uri.test(value));
}
