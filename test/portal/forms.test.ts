import { expect, it } from 'vitest';
import { createTestKey } from '../../lab/support/test-issuer.ts';
import { routes } from '../../portal/routes.ts';
import { registerOwn } from '../adapters/management/world.ts';
import { createPortalWorld, type PortalWorld, pathOf } from './portal-world.ts';

type Content = Readonly<Record<string, string>>;

interface Sample {
  /** What a browser sends. The portal's own fields are added. */
  readonly content?: Content;
  /** Fields that are refused, next to `content`; undefined for a form in which nothing is typed. */
  readonly bad?: Content;
  /** What the form says is stored now, after another user has changed it. */
  readonly storedNow?: string;
  /** Prepares what the form is about. */
  readonly prepare?: (world: PortalWorld) => Promise<unknown>;
}

const long = 'x'.repeat(200);
const client = { name: 'Dialer', tokenLifetime: '1h', scopes: 'calls:view' };
/** A text that is no public key may be a private one. */
const neverRepeated = ['credential', 'publicKey'];
const publicKey = JSON.stringify(createTestKey('ES256').jwk);
const own = { issuer: 'https://own.example.net' };

/** The fields of every form of the portal. A form that is not here fails its tests. */
const samples: Readonly<Record<string, Sample>> = {
  '/clients': { content: { ...client, serviceTrunkGroup: 'tg-1001' }, bad: { name: long } },
  '/clients/:clientId': {
    content: client,
    bad: { name: long, tokenLifetime: 'soon' },
    storedNow: 'Changed',
  },
  '/clients/:clientId/enable': {
    prepare: ({ management, clientId }) => management.setClientEnabled(clientId, false),
  },
  '/clients/:clientId/disable': {},
  '/clients/:clientId/revoke-tokens': {},
  '/clients/:clientId/delete': {},
  '/clients/:clientId/secrets': {
    content: { name: 'blue', expiry: 'never' },
    bad: { expiry: 'date', expiryDate: 'soon' },
  },
  '/clients/:clientId/secrets/rotate': {
    content: { name: 'blue', expiry: 'never', overlap: '7d' },
    bad: { overlap: 'other', overlapOther: 'soon' },
  },
  '/clients/:clientId/keys': {
    content: { publicKey, alg: 'ES256', name: 'signer', expiry: 'never' },
    bad: { publicKey: 'no key' },
  },
  '/clients/:clientId/keys/rotate': {
    content: { publicKey, alg: 'ES256', name: 'signer', expiry: 'never', overlap: '7d' },
    bad: { publicKey: 'no key', overlap: 'other', overlapOther: 'soon' },
  },
  '/clients/:clientId/secrets/:secretId': {
    content: { name: 'blue', expiry: 'keep' },
    bad: { name: long },
  },
  '/clients/:clientId/secrets/:secretId/enable': {
    prepare: ({ management, clientId, secretId }) =>
      management.disableClientSecret(clientId, secretId),
  },
  '/clients/:clientId/secrets/:secretId/disable': {},
  '/clients/:clientId/secrets/:secretId/delete': {},
  '/api-keys': {
    content: { name: 'Grace', serviceTrunkGroup: 'tg-1001', rows: '0' },
    bad: { rows: '2', 'subnets[0].name': 'office', 'subnets[0].address': '10.0.0.300' },
  },
  '/api-keys/:keyId': { content: { name: 'Grace' }, bad: { name: long }, storedNow: 'Changed' },
  '/api-keys/:keyId/rotate': {
    content: { overlap: '1d', expiry: 'keep' },
    bad: { overlap: 'other', overlapOther: 'soon' },
  },
  '/api-keys/:keyId/enable': {
    prepare: ({ management, keyId }) => management.setApiKeyEnabled(keyId, false),
  },
  '/api-keys/:keyId/disable': {},
  '/api-keys/:keyId/delete': {},
  '/api-keys/:keyId/subnets': {
    content: { name: 'home', address: '198.51.100.0', netmask: '24' },
    bad: { address: '198.51.100.300' },
  },
  '/api-keys/:keyId/subnets/:subnetId/remove': { content: { allowAnySource: 'yes' } },
  '/identity-providers': {
    content: { discoveryUrl: `${own.issuer}/.well-known/openid-configuration` },
    bad: { clientIdClaim: long },
    prepare: async (world) => {
      await registerOwn(world, ['tg-1001']);
      await world.management.deleteProvider(own.issuer);
    },
  },
  '/identity-providers/trunk-groups': {
    content: { ...own, trunkGroups: 'tg-1001 tg-2002' },
    bad: { trunkGroups: 'not/a/group' },
    prepare: (world) => registerOwn(world, ['tg-1001']),
  },
  '/identity-providers/grants/edit': {
    content: { ...own, value: 'repo:acme/', trunkGroups: 'tg-2002' },
    bad: { value: 'repo:*' },
    prepare: (world) => registerOwn(world, ['tg-1001']),
  },
  '/identity-providers/grants/withdraw': {
    content: { ...own, value: 'repo:acme/' },
    prepare: async (world) => {
      await registerOwn(world, ['tg-1001']);
      const grant = { value: 'repo:acme/', trunkGroups: ['tg-2002'] };
      await world.management.setSubjectGrant(own.issuer, grant);
    },
  },
  '/identity-providers/issuer-grants/edit': {
    content: { issuer: `${own.issuer}/acme`, trunkGroups: 'tg-2002' },
    bad: { trunkGroups: 'not/a/group' },
  },
  '/identity-providers/issuer-grants/withdraw': {
    content: { issuer: `${own.issuer}/acme` },
    prepare: ({ management }) =>
      management.setIssuerGrant(`${own.issuer}/acme`, { trunkGroups: ['tg-2002'] }),
  },
  '/identity-providers/delete': {
    content: own,
    prepare: (world) => registerOwn(world, ['tg-1001']),
  },
  '/trunk-groups/:group': { content: { maxClients: '5' }, bad: { maxClients: 'many' } },
  '/explain/credential': { content: { credential: 'ak_x' }, bad: { credential: '' } },
};

const forms = routes.flatMap(({ path, form, ...route }) =>
  form === undefined ? [] : [{ ...route, path, form, sample: samples[path] ?? {} }],
);

type Declared = (typeof forms)[number];

interface Opened {
  readonly world: PortalWorld;
  readonly address: string;
  readonly content: Content;
  /** What the audit has of changes. */
  readonly changes: () => number;
}

/** The version of what the form is about. */
async function versionOf({ management, ...world }: PortalWorld, path: string): Promise<number> {
  if (path.includes(':clientId')) return (await management.findClient(world.clientId)).version;
  if (path.includes(':keyId')) return (await management.findApiKey(world.keyId)).version;
  if (path.includes(':group')) return (await management.findTrunkGroupLimits('tg-1001')).version;
  if (path.includes('issuer-grants'))
    return (await management.findIssuerGrants(own.issuer)).version;
  if (path.includes('/grants')) return (await management.findSubjectGrants(own.issuer)).version;
  return (await management.findProvider(own.issuer)).owner?.version ?? 0;
}

/** A form as a browser has it after its page was opened. */
async function open({ path, form, sample }: Declared): Promise<Opened> {
  const world = await createPortalWorld();
  await sample.prepare?.(world);
  const kept = {
    ...(form.version !== undefined && { ifVersion: String(await versionOf(world, path)) }),
    ...(form.creates === true && { requestId: 'request-12345' }),
    ...(path === '/identity-providers' && {
      ifIssuer: own.issuer,
      ifJwksUri: `${own.issuer}/keys`,
    }),
    ...(path === '/identity-providers/delete' && {
      ifRegistration: (await world.management.findProvider(own.issuer)).registrationId,
    }),
  };
  const changes = () => world.audit.length;
  return { world, address: pathOf(world, path), content: { ...sample.content, ...kept }, changes };
}

/** A change by another user, which takes the next version. */
async function changeMeanwhile({ management, ...world }: PortalWorld, path: string) {
  if (path.includes(':clientId')) {
    await management.updateClient(world.clientId, { name: 'Changed' });
  } else if (path.includes(':keyId')) {
    await management.updateApiKey(world.keyId, { name: 'Changed' });
  } else if (path.includes(':group')) {
    await management.setTrunkGroupLimits('tg-1001', { maxClients: 7 });
  } else if (path.includes('issuer-grants')) {
    await management.setIssuerGrant(`${own.issuer}/other`, { trunkGroups: ['tg-3003'] });
  } else if (path.includes('/grants')) {
    await management.setSubjectGrant(own.issuer, { value: 'other', trunkGroups: ['tg-3003'] });
  } else {
    await management.setProviderTrunkGroups(own.issuer, { trunkGroups: ['tg-3003'] });
  }
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

/** Whether a page has a text in one of its fields. */
function keeps(page: string, name: string, value: string): boolean {
  const field = `name="${name}"`;
  return (
    [...page.matchAll(/<(?:input|select)[^>]*>/g)].some(
      ([input]) =>
        input.includes(field) &&
        input.includes(`value="${escaped(value)}"`) &&
        (!/type="(?:radio|checkbox)"/.test(input) || input.includes(' checked')),
    ) ||
    page.includes(`>${escaped(value)}</textarea>`) ||
    page.includes(`<option value="${escaped(value)}" selected>`)
  );
}

/** A refused form says so in its title. Its summary has the focus, also without script, and a name. */
function expectSummary(page: string): void {
  expect(page).toMatch(/<title>Error: [^<]+<\/title>/);
  expect(page).toMatch(
    /role="alert" tabindex="-1" autofocus aria-labelledby="summary-title"><h2 id="summary-title">/,
  );
  expect(page.match(/\bautofocus\b/g)).toHaveLength(1);
}

it('has samples of every form, and every change of the portal is a declared form', () => {
  const posts = routes.filter(({ method }) => method === 'POST');
  expect(posts.filter(({ form }) => form === undefined)).toEqual([]);
  expect(forms.map(({ path }) => path).toSorted()).toEqual(Object.keys(samples).toSorted());
});

const versioned = forms.filter(({ form }) => form.version !== undefined);
const typed = forms.filter(({ sample }) => sample.bad !== undefined);

it.each(forms)('$path makes its change', async (declared) => {
  const { world, address, content, changes } = await open(declared);
  const before = changes();
  expect([200, 303]).toContain((await world.post(address, content)).status);
  expect(changes() > before).toBe(address !== '/explain/credential');
});

it.each(versioned)(
  '$path overwrites nothing that another user changed, and takes the next version when it is sent again',
  async (declared) => {
    const { path, sample } = declared;
    const { world, address, content, changes } = await open(declared);
    await changeMeanwhile(world, path);
    const before = changes();
    const refused = await world.post(address, content);
    expect([refused.status, changes()]).toEqual([409, before]);
    const page = await refused.text();
    expect(page).toContain('This was changed since you opened the form');
    expectSummary(page);
    if (sample.storedNow !== undefined) expect(page).toContain(`Stored now: ${sample.storedNow}.`);
    // A button has no page of its own, and leads to the page of what it is about.
    if (path.endsWith('/enable')) return;
    const ifVersion = String(await versionOf(world, path));
    expect(keeps(page, 'ifVersion', ifVersion)).toBe(true);
    for (const [name, value] of Object.entries(sample.bad === undefined ? {} : content)) {
      if (['trunkGroups', 'ifVersion'].includes(name)) continue;
      expect([name, keeps(page, name, value)]).toEqual([name, true]);
    }
    expect([200, 303]).toContain((await world.post(address, { ...content, ifVersion })).status);
  },
);

it.each(versioned)('$path is not complete without its version', async (declared) => {
  const { world, address, content, changes } = await open(declared);
  const before = changes();
  expect((await world.post(address, { ...content, ifVersion: '' })).status).toBe(400);
  expect(changes()).toBe(before);
});

it('has no version only if a form creates or stops something, or has another proof of what was seen', () => {
  const others = forms.filter(({ form }) => form.version === undefined && form.creates !== true);
  expect(others.map(({ path }) => path)).toEqual([
    '/clients/:clientId/disable',
    '/clients/:clientId/revoke-tokens',
    '/clients/:clientId/secrets/:secretId/disable',
    '/api-keys/:keyId/disable',
    '/identity-providers',
    '/identity-providers/delete',
    '/explain/credential',
  ]);
});

it.each(forms)('$path makes one change of a double click', async (declared) => {
  const once = await open(declared);
  const done = ({ world }: Opened) => world.audit.filter(({ outcome }) => outcome === 'done');
  await once.world.post(once.address, once.content);
  const twice = await open(declared);
  const send = async () => (await twice.world.post(twice.address, twice.content)).status;
  const statuses = await Promise.all([send(), send()]);
  expect(statuses.some((status) => status < 400)).toBe(true);
  expect(statuses.every((status) => status < 500)).toBe(true);
  // What a form creates may be shown only once, so both responses must lead to it.
  if (declared.form.creates === true) expect(Math.max(...statuses)).toBeLessThan(400);
  expect(done(twice)).toHaveLength(done(once).length);
});

it.each(forms)(
  '$path is kept if the session ended, and can be sent again after the login',
  async (declared) => {
    const { world, address, content, changes } = await open(declared);
    const before = changes();
    world.signInAs(undefined);
    const refused = await world.post(address, content);
    const page = await refused.text();
    expect([refused.status, changes()]).toEqual([401, before]);
    expect(page).toContain(`action="${address}"`);
    for (const [name, value] of Object.entries(content)) {
      expect([name, keeps(page, name, value)]).toEqual([name, !neverRepeated.includes(name)]);
    }
    world.signInAs({ name: 'admin', role: 'administrator' });
    expect([200, 303]).toContain((await world.post(address, content)).status);
  },
);

it.each(typed)('$path keeps bad input, and says what is wrong with it', async (declared) => {
  const { world, address, content, changes } = await open(declared);
  const before = changes();
  const sent = { ...content, ...declared.sample.bad };
  const refused = await world.post(address, sent);
  const page = await refused.text();
  expect([refused.status, changes()]).toEqual([422, before]);
  expect(page).toContain('There is a problem');
  expectSummary(page);
  for (const [name, value] of Object.entries(sent)) {
    if (value === '' || /^if[A-Z]/.test(name)) continue;
    expect([name, keeps(page, name, value)]).toEqual([name, !neverRepeated.includes(name)]);
  }
});

it('tells what the portal and what the library say about fields at once, and changes nothing', async () => {
  const { post, clientId, management, audit } = await createPortalWorld();
  const { version } = await management.findClient(clientId);
  const before = audit.length;
  const content = { name: long, scopes: 'calls:fly', tokenLifetime: 'soon' };
  const path = `/clients/${clientId}`;
  const refused = await post(path, { ...content, ifVersion: String(version) });
  const page = await refused.text();
  expect([refused.status, audit.length]).toEqual([422, before]);
  for (const field of ['name', 'scopes', 'tokenLifetime']) {
    expect([field, page.includes(`id="f-${field}-error"`)]).toEqual([field, true]);
  }
  // What the portal could not read is told as it was typed, and only so.
  expect(page).toContain('Received &quot;soon&quot;; allowed: 1m to 1d, such as 15m or 1h.');
  expect(page).not.toContain('NaN');
  expect(page).not.toContain('received null');
});
