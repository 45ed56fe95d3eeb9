import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { readConfigFile } from '../../../../lab/local/config-file.ts';
import { type LocalService, startLocal } from '../../../../lab/local/library.ts';
import { makeTemporaryDirectory } from '../../../support/temporary-directory.ts';

const workspace = makeTemporaryDirectory();
// Other tests and programs have state in the common folder.
vi.stubEnv('TMPDIR', workspace.path);
const stateFolders = () => readdirSync(tmpdir());

let auth: LocalService<'reader' | 'writer', 'office'>;

/** What a service under test does. */
const verify = (token: string) =>
  jwtVerify(token, createRemoteJWKSet(new URL(auth.jwksUri)), {
    issuer: auth.issuer,
    audience: auth.audience,
    typ: 'at+jwt',
    currentDate: new Date(auth.now()),
  });

beforeAll(async () => {
  auth = await startLocal({
    clients: {
      reader: { name: 'Reader', serviceTrunkGroup: 'tg-1', scopes: ['messaging:view'] },
      writer: {
        name: 'Writer',
        serviceTrunkGroup: 'tg-2',
        scopes: ['messaging:view', 'messaging:manage'],
        tokenLifetime: 600,
      },
    },
    apiKeys: { office: { name: 'Office', serviceTrunkGroup: 'tg-1', subnets: ['192.0.2.0/24'] } },
  });
});
afterAll(async () => {
  await auth.close();
  vi.unstubAllEnvs();
  workspace.remove();
});

describe('the service of a test', () => {
  it('has the clients and keys that it was given', async () => {
    const { payload } = await verify(await auth.getToken('reader'));
    expect(payload).toMatchObject({ scope: 'messaging:view', service_trunk_group: 'tg-1' });
    expect(decodeJwt(await auth.getToken('writer', 'messaging:manage'))).toMatchObject({
      scope: 'messaging:manage',
      service_trunk_group: 'tg-2',
    });
    expect(auth.apiKeys.office).toMatch(/^\S{40,}$/);
  });

  it('shows the response of a refusal', async () => {
    await expect(auth.getToken('reader', 'messaging:manage')).rejects.toThrow(
      '400 {"error":"invalid_scope"',
    );
  });

  it('has a clock that only goes forward', async () => {
    const token = await auth.getToken('writer');
    auth.moveClock(601);
    await expect(verify(token)).rejects.toThrow(errors.JWTExpired);
    await verify(await auth.getToken('writer'));
    expect(() => auth.moveClock(-1)).toThrow('moveClock: received -1; allowed: seconds from 0');
  });

  it('rotates its key at each call, keeps its clock, and tokens of all keys verify', async () => {
    const tokens = [await auth.getToken('reader')];
    for (let rotation = 0; rotation < 3; rotation += 1) {
      const ahead = auth.now() - Date.now();
      const kid = await auth.rotateKeys();
      expect(Math.abs(auth.now() - Date.now() - ahead)).toBeLessThan(1000);
      const token = await auth.getToken('reader');
      expect(decodeProtectedHeader(token).kid).toBe(kid);
      tokens.push(token);
    }
    const kids = tokens.map((token) => decodeProtectedHeader(token).kid);
    expect(new Set(kids).size).toBe(tokens.length);
    for (const token of tokens) await verify(token);
  });
});

it('begins in the past if it is told so, and leaves nothing', async () => {
  const before = stateFolders();
  const past = await startLocal({
    behind: 7200,
    clients: { old: { name: 'Old', serviceTrunkGroup: 'tg-1', scopes: ['messaging:view'] } },
  });
  const { exp = 0 } = decodeJwt(await past.getToken('old'));
  expect(exp * 1000).toBeLessThan(Date.now());
  await past.close();
  expect(stateFolders()).toEqual(before);
  await expect(fetch(past.jwksUri)).rejects.toThrow('fetch failed');
});

it.each([true, false])('limits a client as a deployment does, or not: %s', async (fairShare) => {
  const config = {
    ...readConfigFile('config/single-region.json').input,
    fairShare: { signsPerMinute: 10 },
  };
  const greedy = { name: 'Greedy', serviceTrunkGroup: 'tg-1', scopes: ['messaging:view'] };
  const limited = await startLocal({ config, clients: { greedy }, fairShare });
  onTestFinished(() => limited.close());
  const askOften = async () => {
    for (let request = 0; request < 24; request += 1) await limited.getToken('greedy');
    return 'all';
  };
  const refused = '429 {"error":"temporarily_unavailable"';
  const message = await askOften().catch((error: Error) => error.message);
  expect(message.slice(0, refused.length)).toBe(fairShare ? refused : 'all');
});

it('deletes its folder if it cannot start', async () => {
  const before = stateFolders();
  const config = { name: 'x' } as never;
  await expect(startLocal({ config })).rejects.toThrow('regions');
  expect(stateFolders()).toEqual(before);
});
