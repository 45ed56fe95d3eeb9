import type { KeyObject } from 'node:crypto';
import { CompactSign, SignJWT } from 'jose';
import { tokenPath } from '../../../contract/routes.ts';
import { createTestKey, type TestKey } from '../test-issuer.ts';

/** The two forms of RFC 7523 §2.2 and §2.1. */
export const assertionForms = ['client_assertion', 'jwt_bearer'] as const;

export type FormName = (typeof assertionForms)[number];

/** Who is registered where assertions are sent. Times are seconds. */
export interface HostileWorld {
  readonly now: number;
  /** Of the service. */
  readonly issuer: string;
  readonly tokenUrl: string;
  readonly ownKey: TestKey;
  /** A provider with ES256 only and patterns, under which all these subjects are. */
  readonly provider: { readonly issuer: string; readonly key: TestKey };
  /** Another one, with keys of its own. */
  readonly other: { readonly issuer: string; readonly key: TestKey };
  /** A key that the first provider publishes, of an algorithm that its registration lacks. */
  readonly rsaKey: TestKey;
  readonly deletedIssuer: string;
  readonly unreachableIssuer: string;
  /** Of a trunk group's own provider, whose keys are those of `other`. */
  readonly ownedIssuer: string;
  readonly subjects: Readonly<Record<SubjectName, string>>;
  readonly pattern: string;
  /** `client_id` of a client of another trunk group under the same provider. */
  readonly foreignClientIds: readonly string[];
}

/** What the subjects begin with. */
export const workload = 'system:serviceaccount:voice:';

const subjects = {
  good: `${workload}dialer`,
  disabled: `${workload}disabled`,
  revoked: `${workload}revoked`,
  recreated: `${workload}recreated`,
  deleted: `${workload}deleted`,
  conditional: `${workload}conditional`,
};

export type SubjectName = keyof typeof subjects;

/** @param issuers of the providers, which must be where the caller can answer for them. */
export function createHostileWorld({
  issuers,
  ...service
}: Pick<HostileWorld, 'now' | 'issuer' | 'foreignClientIds'> & {
  readonly issuers: Readonly<
    Record<'platform' | 'other' | 'deleted' | 'unreachable' | 'owned', string>
  >;
}): HostileWorld {
  return {
    ...service,
    tokenUrl: `${service.issuer}${tokenPath}`,
    ownKey: createTestKey('ES256'),
    provider: { issuer: issuers.platform, key: createTestKey('ES256') },
    other: { issuer: issuers.other, key: createTestKey('ES256') },
    rsaKey: createTestKey('RS256'),
    deletedIssuer: issuers.deleted,
    unreachableIssuer: issuers.unreachable,
    ownedIssuer: issuers.owned,
    subjects,
    pattern: 'spiffe://example.org/ns/voice/*',
  };
}

export type Members = Readonly<Record<string, unknown>>;
export type Answer = readonly [status: number, error: string, description: string];

const clientAssertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** A form with an assertion, as its body. */
export function bodyOf(form: FormName, assertion: string, more: Members = {}): string {
  const given: Members =
    form === 'client_assertion'
      ? {
          grant_type: 'client_credentials',
          client_assertion_type: clientAssertionType,
          client_assertion: assertion,
        }
      : { grant_type: jwtBearer, assertion };
  return new URLSearchParams({ ...given, ...more } as Record<string, string>).toString();
}

/** The answer when an assertion is not accepted. */
export const refusedAnswers: Readonly<Record<FormName, Answer>> = {
  client_assertion: [401, 'invalid_client', 'client authentication failed'],
  jwt_bearer: [400, 'invalid_grant', 'the assertion is not accepted'],
};

/** What is wrong, at least five bad requests, and the one that differs in a single thing. */
export interface HostileRow {
  readonly name: string;
  /** The single change after which the neighbour is good. */
  readonly change: string;
  readonly answer?: Partial<Record<FormName, Answer>>;
  bad(world: HostileWorld, form: FormName): Promise<readonly string[]>;
  good(world: HostileWorld, form: FormName): Promise<string>;
}

interface Signing {
  readonly claims?: Members;
  readonly header?: Members;
  readonly key?: Pick<TestKey, 'privateKey'> | Uint8Array;
}

/** Signs as the first provider does; jose leaves out members that are undefined. */
export function sign(world: HostileWorld, { claims, header, key }: Signing = {}): Promise<string> {
  const { now, issuer: aud, provider, subjects } = world;
  const usual = { iss: provider.issuer, sub: subjects.good, aud, iat: now, exp: now + 600 };
  const secret: KeyObject | Uint8Array =
    key instanceof Uint8Array ? key : (key ?? provider.key).privateKey;
  return new SignJWT({ ...usual, jti: 'a-jti', ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: provider.key.kid, typ: 'JWT', ...header })
    .sign(secret);
}

export const encode = (value: string | Uint8Array) => Buffer.from(value).toString('base64url');

/** Replaces parts of a token after it was signed. */
export async function tamper(world: HostileWorld, change: (parts: string[]) => readonly string[]) {
  return change((await sign(world)).split('.')).join('.');
}

/** Signs a payload that may be any text. */
export function signText({ provider }: HostileWorld, text: string): Promise<string> {
  return new CompactSign(Buffer.from(text))
    .setProtectedHeader({ alg: 'ES256', kid: provider.key.kid })
    .sign(provider.key.privateKey);
}

/** A row of which the form is bad. The neighbour has the same assertion. */
export const formRow = (
  name: string,
  change: string,
  answer: Partial<Record<FormName, Answer>>,
  bad: HostileRow['bad'],
): HostileRow => ({
  name,
  change,
  answer,
  bad,
  good: async (world, form) => bodyOf(form, await sign(world)),
});

/**
 * A row of which only the assertion is bad.
 *
 * @param good what the neighbour is signed with.
 */
export const assertionRow = (
  name: string,
  change: string,
  bad: (world: HostileWorld, form: FormName) => readonly (Signing | Promise<string>)[],
  good: (world: HostileWorld) => Signing = () => ({}),
): HostileRow => ({
  name,
  change,
  bad: (world, form) =>
    Promise.all(
      bad(world, form).map(async (given) =>
        bodyOf(form, await (given instanceof Promise ? given : sign(world, given))),
      ),
    ),
  good: async (world, form) => bodyOf(form, await sign(world, good(world))),
});

export const claimsRow = (
  name: string,
  change: string,
  bad: (world: HostileWorld, form: FormName) => readonly Members[],
  good: (world: HostileWorld) => Members = () => ({}),
): HostileRow =>
  assertionRow(
    name,
    change,
    (world, form) => bad(world, form).map((claims) => ({ claims })),
    (world) => ({ claims: good(world) }),
  );

export const headerRow = (name: string, change: string, bad: (world: HostileWorld) => Members[]) =>
  assertionRow(name, change, (world) => bad(world).map((header) => ({ header })));
