import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { createLoopbackCertificate } from '../../support/loopback-https.ts';
import { authctl, type World, withWorlds } from '../examples/world.ts';
import { runCalls } from './check-client.ts';
import { type KeyAlg, type KeyUse, type TokenClient, tokenEndpointAudience } from './clients.ts';
import type { Variables } from './running-program.ts';

export const keyAlgs = ['ES256', 'PS256', 'RS256', 'EdDSA'] as const satisfies readonly KeyAlg[];

export interface KeyRow {
  readonly client: TokenClient;
  /** Those that it gets a token with. */
  readonly algorithms: readonly KeyAlg[];
  readonly problems: readonly string[];
}

const makeKey: Readonly<Record<Exclude<KeyAlg, 'RS256'>, () => KeyObject>> = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  EdDSA: () => generateKeyPairSync('ed25519').privateKey,
};

/** A key in each form that a library takes; the certificate is of an RS256 key. */
async function describeKey(alg: KeyAlg): Promise<Variables> {
  const { key: pem, cert } = await createLoopbackCertificate();
  const key = alg === 'RS256' ? createPrivateKey(pem) : makeKey[alg]();
  return {
    CLIENT_SECRET: 'secret_of_no_client',
    KEY_ALG: alg,
    PRIVATE_KEY: key.export({ format: 'pem', type: 'pkcs8' }).toString(),
    PRIVATE_JWK: JSON.stringify({ ...key.export({ format: 'jwk' }), alg, kid: alg }),
    CERTIFICATE: cert,
  };
}

/** What a caller signs itself, for a library that takes an assertion. */
function signAssertion({ issuer, environment }: World['service'], key: Variables) {
  const id = environment['CLIENT_ID'] ?? '';
  return new SignJWT({ sub: id })
    .setProtectedHeader({ alg: key['KEY_ALG'] ?? '' })
    .setIssuer(id)
    .setAudience(issuer)
    .setIssuedAt()
    .setExpirationTime('2m')
    .sign(createPrivateKey(key['PRIVATE_KEY'] ?? ''));
}

/** Gives the demo client of a service a key of each algorithm, as an operator does. */
async function registerKeys(world: World): Promise<ReadonlyMap<KeyAlg, Variables>> {
  const { service, trust } = world;
  const keys = new Map<KeyAlg, Variables>();
  for (const alg of keyAlgs) {
    const key = await describeKey(alg);
    const jwk = createPublicKey(key['PRIVATE_KEY'] ?? '').export({ format: 'jwk' });
    const file = join(trust.directory, `${alg}.jwk`);
    writeFileSync(file, JSON.stringify({ ...jwk, alg }));
    const id = service.environment['CLIENT_ID'] ?? '';
    await authctl(service, 'client-secret', 'create', id, '--public-key', file);
    keys.set(alg, key);
  }
  return keys;
}

/** A service whose client has keys. */
interface KeyWorld {
  readonly world: World;
  readonly keys: ReadonlyMap<KeyAlg, Variables>;
}

export interface KeyWorlds {
  /** `aud` is the issuer. */
  readonly strict: KeyWorld;
  readonly withEndpoint: KeyWorld;
  /** `aud` may be the token endpoint. */
  readonly lenient: KeyWorld;
}

export function withKeyWorlds(use: (worlds: KeyWorlds) => Promise<void>): Promise<void> {
  const all = [
    { clientKeys: {} },
    { clientKeys: {}, authorizationEndpoint: true },
    { clientKeys: { tokenEndpointAudience: true } },
  ];
  return withWorlds(all, async (...worlds) => {
    const ready: KeyWorld[] = [];
    for (const world of worlds) ready.push({ world, keys: await registerKeys(world) });
    const [strict, withEndpoint, lenient] = ready as [KeyWorld, KeyWorld, KeyWorld];
    await use({ strict, withEndpoint, lenient });
  });
}

function worldOf({ key }: KeyClient, worlds: KeyWorlds): KeyWorld {
  if (key.tokenEndpointAudience) return worlds.lenient;
  return key.authorizationEndpoint ? worlds.withEndpoint : worlds.strict;
}

export type KeyClient = TokenClient & { readonly key: KeyUse };

/** Runs a client with a key of each algorithm, and with one that is not registered. */
export async function checkKeys(client: KeyClient, worlds: KeyWorlds): Promise<KeyRow> {
  const { lacks = [], failsAsItComes, alsoWithAssertion } = client.key;
  const [first = 'ES256'] = keyAlgs.filter((alg) => !lacks.includes(alg));
  const ready = worldOf(client, worlds);
  const run = async (mode: string, { world, keys }: KeyWorld, key = keys.get(first) ?? {}) => {
    const variables = { ...key, ASSERTION: await signAssertion(world.service, key) };
    // A program of Java trusts the services of one store only.
    const built = await client.runtime('client', world.trust);
    if ('missing' in built) return `this machine lacks ${built.missing}`;
    const { command: program } = built;
    return (await runCalls([...program, client.program, mode], world, variables)).why;
  };
  const problems: (string | false)[] = [];
  const asItComes = await run('key', worlds.strict);
  problems.push(
    failsAsItComes === undefined && asItComes !== undefined && `as it comes: ${asItComes}`,
    failsAsItComes !== undefined && asItComes === undefined && 'works as it comes',
  );
  if (failsAsItComes === tokenEndpointAudience) {
    const why = await run('key', worlds.lenient);
    problems.push(why !== undefined && `with tokenEndpointAudience: ${why}`);
  }
  const algorithms: KeyAlg[] = [];
  for (const alg of keyAlgs) {
    const why = await run('key-ready', ready, ready.keys.get(alg));
    const isLacking = lacks.includes(alg);
    problems.push(
      !isLacking && why !== undefined && `${alg}: ${why}`,
      isLacking && why === undefined && `${alg} works, and is listed as lacking`,
    );
    if (why === undefined) algorithms.push(alg);
  }
  if (alsoWithAssertion) {
    const why = await run('assertion', ready);
    problems.push(why !== undefined && `an assertion of its caller: ${why}`);
  }
  const unknown = await run('key-ready', ready, await describeKey(first));
  problems.push(unknown === undefined && 'got a token with a key that is not registered');
  return {
    client,
    algorithms,
    problems: problems.filter((problem) => typeof problem === 'string'),
  };
}
