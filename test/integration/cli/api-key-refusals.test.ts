import { resolve } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { InputError, type Management } from '../../../adapters/management.ts';
import { formatTime } from '../../../core/rfc3339.ts';
import { createWorld, type World } from '../../adapters/management/world.ts';
import { createPortalWorld, personOf } from '../../portal/portal-world.ts';
import { createTestFunction } from '../../support/management-function.ts';
import { runCli } from './use-authctl.ts';

const opened = vi.hoisted((): { management?: Management } => ({}));
vi.mock('../../../cli/open-management.ts', () => ({
  openManagement: async () => opened.management,
}));

const day = 86_400;
const config = ['--config', resolve(import.meta.dirname, '../../../config/single-region.json')];
const limits = {
  scopes: ['calls:view', 'messaging:manage'],
  requireApiKeyScopes: true,
  maxApiKeyLifetime: 40 * day,
};
/** What a limited caller may create in this world, of which the cases change one thing. */
const allowed = {
  scopes: ['calls:view'] as readonly string[],
  days: 30 as number | undefined,
};

type Wanted = typeof allowed;

/** What every way says, after the name of the field there. The portal says it as a sentence. */
interface Said {
  readonly field: string;
  readonly option: string;
  readonly problem: string;
}

const endOf = ({ now }: World, { days }: Wanted) =>
  days === undefined ? undefined : now + days * day;

/** The fields of a form for what is wanted. */
function fieldsOf(world: World, wanted: Wanted): URLSearchParams {
  const end = endOf(world, wanted);
  const form = new URLSearchParams({
    name: 'Script',
    enabled: 'on',
    requestId: 'request-0000000001',
    access: wanted.scopes.length === 0 ? 'every' : 'chosen',
    ...(end === undefined ? { expiry: 'never' } : { expiry: 'date', expiryDate: formatTime(end) }),
  });
  for (const scope of wanted.scopes) form.append('scopes', scope);
  return form;
}

function optionsOf(world: World, wanted: Wanted): readonly string[] {
  const end = endOf(world, wanted);
  const scopes = wanted.scopes.flatMap((scope) => ['--scope', scope]);
  return end === undefined ? scopes : [...scopes, '--expires-at', formatTime(end)];
}

function inputOf(world: World, wanted: Wanted) {
  const scopes = wanted.scopes.length === 0 ? undefined : wanted.scopes;
  return { scopes, expiresAt: endOf(world, wanted) };
}

/** What a page says is wrong, without tags. */
function problemsOn(page: string): string {
  const [, field] = /<p class="field-error"[^>]*>([^<]*)/.exec(page) ?? [];
  const [, summary] = /There is a problem<\/h2>([^]*?)<\/div>/.exec(page) ?? [];
  return (field ?? summary ?? page)
    .replace(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .trim();
}

async function messageOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error)) throw new Error('it was accepted');
  if (!(error instanceof InputError)) return error.message;
  return error.problems.map(({ field, problem }) => `${field}: ${problem}`).join('\n');
}

async function authctl(world: World, line: readonly string[]) {
  opened.management = world.management;
  const { exitCode, stdout, stderr } = await runCli([...line, ...config]);
  return { exitCode, stdout, stderr: stderr.trim() };
}

const asLimited = ['--only-trunk-group', 'tg-1001'];

const outside = 'allowed: calls:view, messaging:manage, within your limits';
const tooLong = 'allowed: an end at most 40d from now';

/** What is wrong, what is then wanted, and what is said. It is 2027-01-15T08:00:00Z. */
const creations: readonly (readonly [string, Partial<Wanted>, Said])[] = [
  [
    'an end in the past',
    { days: -1 },
    {
      field: 'expiresAt',
      option: '--expires-at',
      problem: 'received "2027-01-14T08:00:00Z"; allowed: a time in the future',
    },
  ],
  [
    'an end above the limit',
    { days: 41 },
    {
      field: 'expiresAt',
      option: '--expires-at',
      problem: `received "2027-02-25T08:00:00Z"; ${tooLong}`,
    },
  ],
  [
    'no end',
    { days: undefined },
    { field: 'expiresAt', option: '--expires-in', problem: `received nothing; ${tooLong}` },
  ],
  [
    'a scope that does not exist',
    { scopes: ['calls:vew'] },
    {
      field: 'scopes',
      option: '--scope',
      problem: 'received "calls:vew"; allowed: a scope of the catalogue; did you mean calls:view?',
    },
  ],
  [
    'a scope outside of the limit',
    { scopes: ['calls:view', 'messaging:view'] },
    { field: 'scopes', option: '--scope', problem: `received "messaging:view"; ${outside}` },
  ],
  [
    'no scopes',
    { scopes: [] },
    { field: 'scopes', option: '--scope', problem: `received nothing; ${outside}` },
  ],
];

const inEveryWay = ({ field, option, problem }: Said) => ({
  function: `${field}: ${problem}`,
  authctl: `authctl: ${option}: ${problem}`,
  portal: `${problem.replace('r', 'R')}${problem.endsWith('?') ? '' : '.'}`,
});

/** As a portal names a person to the function. */
const actor = async () => 'https://login.example.com#grace';

/** A world behind the management function, and a portal in which a person of the trunk group is. */
async function createWorlds() {
  const world = await createWorld('tg-1001', 'function');
  const management = createTestFunction(world.context).through('portal');
  const portal = await createPortalWorld({ management, clock: () => world.now * 1000 });
  portal.signInAs({ ...personOf('manager', ['tg-1001']), actor });
  return { world, portal };
}

/** The same with limits. */
async function createLimitedWorld() {
  const { world, portal } = await createWorlds();
  await world.management.setTrunkGroupLimits('tg-1001', limits);
  return { world, portal };
}

describe('a trunk group whose limits require scopes and an end refuses', () => {
  it.each(creations)('%s of a new key', async (_, change, said) => {
    const { world, portal } = await createLimitedWorld();
    const wanted = { ...allowed, ...change };
    const limited = world.management.forCaller({ trunkGroups: ['tg-1001'] });
    const named = { name: 'Script', serviceTrunkGroup: 'tg-1001' };
    const refused = await messageOf(limited.createApiKey({ ...named, ...inputOf(world, wanted) }));
    const line = 'api-key create --name Script --trunk-group tg-1001'.split(' ');
    const run = await authctl(world, [...line, ...optionsOf(world, wanted), ...asLimited]);
    const form = fieldsOf(world, wanted);
    form.set('serviceTrunkGroup', 'tg-1001');
    const response = await portal.post('/api-keys', form);
    const shown = problemsOn(await response.text());
    expect({ function: refused, authctl: run.stderr, portal: shown }).toEqual(inEveryWay(said));
    expect([run.exitCode, run.stdout, response.status]).toEqual([2, '', 422]);
    expect(world.apiKeys.size).toBe(1);
  });

  it.each(creations)('%s of a key that has both', async (_, change, said) => {
    const { world, portal } = await createLimitedWorld();
    const { keyId, management } = world;
    await management.updateApiKey(keyId, inputOf(world, allowed));
    const before = world.apiKeys.get(keyId);
    const wanted = { ...allowed, ...change };
    const { scopes = null, expiresAt = null } = inputOf(world, wanted);
    const limited = management.forCaller({ trunkGroups: ['tg-1001'] });
    const refused = await messageOf(limited.updateApiKey(keyId, { scopes, expiresAt }));
    const line = [
      'api-key',
      'update',
      keyId,
      ...optionsOf(world, wanted),
      ...(scopes === null ? ['--every-scope'] : []),
      ...(expiresAt === null ? ['--never-expires'] : []),
    ];
    const run = await authctl(world, [...line, ...asLimited]);
    const form = fieldsOf(world, wanted);
    form.set('ifVersion', String(before?.version));
    const response = await portal.post(`/api-keys/${keyId}`, form);
    const shown = problemsOn(await response.text());
    expect({ function: refused, authctl: run.stderr, portal: shown }).toEqual(inEveryWay(said));
    expect([run.exitCode, run.stdout, response.status]).toEqual([2, '', 422]);
    expect(world.apiKeys.get(keyId)).toEqual(before);
  });

  it('no key that is within them', async () => {
    const { world, portal } = await createLimitedWorld();
    const line = 'api-key create --name Script --trunk-group tg-1001'.split(' ');
    const run = await authctl(world, [...line, ...optionsOf(world, allowed), ...asLimited]);
    expect([run.exitCode, run.stdout]).toEqual([0, expect.stringMatching(/^scopes +calls:view$/m)]);
    const form = fieldsOf(world, allowed);
    form.set('serviceTrunkGroup', 'tg-1001');
    const page = await (await portal.post('/api-keys', form)).text();
    expect(page).toContain('The API key was created');
    expect(world.apiKeys.size).toBe(3);
  });
});

/** Brings the key of a world into a state in which it is not rotated. */
const rotations: readonly (readonly [string, (world: World) => Promise<unknown>, string])[] = [
  [
    'that is disabled',
    ({ management, keyId }) => management.setApiKeyEnabled(keyId, false),
    'KEY is disabled; enable it before it is rotated',
  ],
  [
    'that has expired',
    async (world) => {
      await world.management.updateApiKey(world.keyId, { expiresAt: world.now + 60 });
      world.now += 60;
    },
    'KEY has expired; it cannot be extended. Create a new API key',
  ],
];

function rotationForm(world: World, more: Readonly<Record<string, string>> = {}) {
  const ifVersion = String(world.apiKeys.get(world.keyId)?.version);
  return { overlap: '7d', expiry: 'keep', ifVersion, requestId: 'request-0000000001', ...more };
}

const rotateLine = ({ keyId }: World) => ['api-key', 'rotate', keyId, '--expire-old-in', '7d'];

describe('the rotation of a key', () => {
  it.each(rotations)('%s is refused in every way', async (_, bring, text) => {
    const { world, portal } = await createWorlds();
    await bring(world);
    const { keyId, management } = world;
    const before = world.apiKeys.get(keyId);
    const said = text.replace('KEY', keyId);
    expect(await messageOf(management.rotateApiKey(keyId, { overlap: 7 * day }))).toBe(said);
    expect(await authctl(world, rotateLine(world))).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `authctl: ${said}`,
    });
    const response = await portal.post(`/api-keys/${keyId}/rotate`, rotationForm(world));
    expect([response.status, problemsOn(await response.text())]).toEqual([422, `${said}.`]);
    expect(world.apiKeys.get(keyId)).toEqual(before);
  });

  it('that is made twice at once happens once in every way, and the other is told', async () => {
    const { world, portal } = await createWorlds();
    const { keyId, management } = world;
    const both = async <Made>(one: (index: number) => Promise<Made>) => {
      const version = world.apiKeys.get(keyId)?.version ?? 0;
      const overtaken = `the API key ${keyId} was changed in the meantime: received version ${version}; it is now ${version + 1}`;
      return { overtaken, results: await Promise.all([1, 2].map(one)) };
    };
    const direct = await both(() =>
      management.rotateApiKey(keyId, { overlap: 7 * day }).then(
        () => 'rotated',
        (error: Error) => error.message,
      ),
    );
    expect(direct.results.toSorted()).toEqual(['rotated', direct.overtaken]);

    const commands = await both(() => authctl(world, rotateLine(world)));
    const [rotated, late] = commands.results.toSorted((a, b) => a.exitCode - b.exitCode);
    expect([rotated?.exitCode, rotated?.stdout]).toEqual([0, expect.stringMatching(/ak_\w{72}/)]);
    expect(late).toEqual({ exitCode: 1, stdout: '', stderr: `authctl: ${commands.overtaken}` });

    const form = rotationForm(world);
    const pages = await both(async (index) => {
      const sent = { ...form, requestId: `request-000000000${index}` };
      const response = await portal.post(`/api-keys/${keyId}/rotate`, sent);
      return { status: response.status, text: problemsOn(await response.text()) };
    });
    const [shown, refused] = pages.results.toSorted((a, b) => a.status - b.status);
    expect(shown).toEqual({ status: 200, text: expect.stringMatching(/ak_\w{72}/) });
    expect(refused).toEqual({
      status: 409,
      text: 'This was changed since you opened the form. Nothing was overwritten. Compare the stored values with yours, then send the form again.',
    });
    expect(world.apiKeys.get(keyId)?.oldValues).toHaveLength(3);
  });

  it('is made once if its answer was lost and it is sent again, in every way', async () => {
    const { world, portal } = await createWorlds();
    const { keyId, management } = world;
    const hashes = new Set<string | undefined>();
    const after = () => hashes.add(world.apiKeys.get(keyId)?.hash);

    const rotation = { overlap: 7 * day, idempotencyKey: 'request-of-function' };
    const lost = await management.rotateApiKey(keyId, rotation);
    after();
    const again = await management.rotateApiKey(keyId, rotation);
    after();
    expect([typeof lost.value, again.value]).toEqual(['string', undefined]);

    const line = [...rotateLine(world), '--idempotency-key', 'request-of-authctl'];
    const shown = await authctl(world, line);
    after();
    const repeated = await authctl(world, line);
    after();
    expect(shown.stdout).toMatch(/^api_key +ak_/m);
    expect(repeated.stdout).not.toContain('ak_');
    expect([repeated.exitCode, repeated.stderr]).toEqual([
      0,
      expect.stringMatching(
        /^An earlier call with this idempotency key rotated the key and was shown its value\.$/m,
      ),
    ]);

    const form = rotationForm(world);
    const page = await (await portal.post(`/api-keys/${keyId}/rotate`, form)).text();
    after();
    const other = await (await portal.post(`/api-keys/${keyId}/rotate`, form)).text();
    after();
    expect(page).toContain('The API key was rotated');
    expect(other).toContain('its value was sent to your browser before');
    expect(other).not.toContain('ak_');
    expect([hashes.size, world.apiKeys.get(keyId)?.oldValues?.length]).toEqual([3, 3]);
  });
});
