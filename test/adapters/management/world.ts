import { bindManagement, type Management } from '../../../adapters/management.ts';
import { createTestKey } from '../../../lab/support/test-issuer.ts';
import {
  configWithKeys,
  createTestManagement,
  type TestManagement,
} from '../../support/management.ts';
import { createTestFunction } from '../../support/management-function.ts';

/** Management of a deployment with one of each thing, in memory. */
export interface World extends TestManagement {
  readonly management: Management;
  readonly clientId: string;
  readonly secretId: string;
  readonly keyId: string;
  readonly subnetId: string;
  readonly issuer: string;
  readonly discoveryUrl: string;
  /** Of a provider that {@link registerOwn} registers. */
  readonly ownIssuer: string;
}

const issuer = 'https://idp.example.net';
const discoveryUrl = `${issuer}/.well-known/openid-configuration`;

const ownIssuer = 'https://own.example.net';

const providerKey = createTestKey('ES256').jwk;

/** The two ways to reach the operations. */
export const ways = ['tables', 'function'] as const;

export type Way = (typeof ways)[number];

function openWorld({ context }: TestManagement, way: Way): Management {
  if (way === 'tables') return bindManagement(context);
  return createTestFunction(context).through('administrator');
}

/** @param trunkGroup of the client and the API key. */
export async function createWorld(trunkGroup = 'tg-1001', way: Way = 'tables'): Promise<World> {
  const test = createTestManagement({ config: configWithKeys });
  const management = openWorld(test, way);
  test.documents.set(discoveryUrl, { issuer, jwks_uri: `${issuer}/keys` });
  test.documents.set(`${issuer}/keys`, { keys: [providerKey] });
  await management.registerProvider(discoveryUrl);
  const { client } = await management.createClient({
    name: 'Billing',
    serviceTrunkGroup: trunkGroup,
    scopes: ['messaging:view'],
  });
  const { secret } = await management.createClientSecret(client.clientId, {});
  const { key } = await management.createApiKey({
    name: 'Ada',
    serviceTrunkGroup: trunkGroup,
    subnets: [{ name: 'office', address: '203.0.113.0', netmask: '255.255.255.0' }],
  });
  return Object.assign(test, {
    management,
    clientId: client.clientId,
    secretId: secret.secretId,
    keyId: key.keyId,
    subnetId: key.subnets[0]?.subnetId ?? '',
    issuer,
    discoveryUrl,
    ownIssuer,
  });
}

/** Lets trunk groups register an issuer, as the staff does. */
export function grantIssuer(
  { grants }: TestManagement,
  issuer: string,
  trunkGroups: readonly string[],
): void {
  const list = { kind: 'issuer', place: new URL(issuer).host, version: 1 } as const;
  grants.set(`issuer ${list.place}`, { ...list, grants: [{ value: issuer, trunkGroups }] });
}

/** Lets trunk groups have clients with an id at a provider, or with every id below a prefix. */
export function grantSubject(
  { grants }: TestManagement,
  issuer: string,
  given: Readonly<Record<string, readonly string[]>>,
): void {
  const list = { kind: 'subject', place: issuer, version: 1 } as const;
  const all = Object.entries(given).map(([value, trunkGroups]) => ({ value, trunkGroups }));
  grants.set(`subject ${issuer}`, { ...list, grants: all });
}

/** A provider that was registered for these trunk groups only. */
export async function registerOwn(
  { documents, context }: World,
  trunkGroups: readonly string[],
): Promise<void> {
  const url = `${ownIssuer}/.well-known/openid-configuration`;
  documents.set(url, { issuer: ownIssuer, jwks_uri: `${ownIssuer}/keys` });
  documents.set(`${ownIssuer}/keys`, { keys: [providerKey] });
  await bindManagement(context).registerProvider(url, { trunkGroups });
}
