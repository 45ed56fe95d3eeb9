import { expect } from 'vitest';
import { createTestKey, signToken } from '../../../lab/support/test-issuer.ts';
import { askedWorld, newClient } from './restricted-world.ts';

type AskedWorld = Awaited<ReturnType<typeof askedWorld>>;

export const issuer = 'https://ci.example.net';
export const discoveryUrl = `${issuer}/.well-known/openid-configuration`;

/** A person behind the portal who manages trunk groups. */
export function managerOf({ ask }: AskedWorld, ...groups: readonly string[]) {
  const person = { actor: `https://idp.example.net#${groups[0]}`, role: 'manager' };
  return (operation: string, input: object) =>
    ask(operation, input, 'portal', { person, trunk_groups: groups });
}

let keys = 0;

/** A new client under that issuer. */
export function under(externalClientId: string, serviceTrunkGroup: string, more: object = {}) {
  keys += 1;
  const idempotencyKey = `key-${serviceTrunkGroup}-${keys}`;
  const named = { provider: issuer, externalClientId, serviceTrunkGroup, idempotencyKey };
  return { client: { ...newClient, ...named, ...more } };
}

/** A CI issuer that the staff registered for every customer, with patterns. */
export async function createSharedWorld() {
  const asked = await askedWorld({ portalReach: { administrators: true } });
  const { world, ask } = asked;
  const key = createTestKey('ES256');
  world.documents.set(discoveryUrl, { issuer, jwks_uri: `${issuer}/keys` });
  world.documents.set(`${issuer}/keys`, { keys: [key.jwk] });
  const options = { clientIdClaim: 'sub', allowClientPatterns: true };
  const register = () => ask('registerProvider', { discoveryUrl, options });
  expect((await register()).error).toBeUndefined();
  const ada = managerOf(asked, 'tg-acme');
  const grace = managerOf(asked, 'tg-globex');
  const tokenFor = (sub: string) =>
    signToken(key, {
      iss: issuer,
      aud: 'https://api.example.com',
      sub,
      iat: world.now,
      exp: world.now + 60,
    });
  const grant = (value: string, trunkGroups: readonly string[], more: object = {}) => {
    const ifVersion = world.grants.get(`subject ${issuer}`)?.version ?? 0;
    return ask('setSubjectGrant', { issuer, grant: { value, trunkGroups, ifVersion, ...more } });
  };
  return { ...asked, register, ada, grace, grant, tokenFor };
}
