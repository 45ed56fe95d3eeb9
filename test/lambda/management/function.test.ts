import { describe, expect, it } from 'vitest';
import { InputError } from '../../../adapters/management.ts';
import type { AuthenticateCaller } from '../../../adapters/sts/authenticate-caller.ts';
import {
  type ManagementAnswer,
  maxManagementRequestLength,
} from '../../../contract/management/request.ts';
import { managementAliases } from '../../../contract/management/roles.ts';
import { managementDigest, requestDigest } from '../../../core/audit/request-digest.ts';
import { UnavailableError } from '../../../core/errors.ts';
import { createManagementHandler } from '../../../lambda/management/function.ts';
import type { RunReport } from '../../../lambda/shared/run-telemetry.ts';
import { operatorArn, proofOf } from '../../support/caller-proof.ts';
import { createTestManagement } from '../../support/management.ts';
import { managementArn } from '../../support/management-function.ts';

const operatorAlias = `${managementArn}:client-operator`;
const portalAlias = `${managementArn}:portal`;
const ada = { actor: 'https://idp.example.net#ada', role: 'manager' };

const newClient = {
  name: 'Billing',
  serviceTrunkGroup: 'tg-1001',
  scopes: ['messaging:view'],
  idempotencyKey: 'key-12345',
};
const creation = { operation: 'createClient', input: { client: newClient } };

function createFunction(authenticateCaller: AuthenticateCaller = async () => operatorArn) {
  const test = createTestManagement();
  const reports: RunReport[] = [];
  const handler = createManagementHandler({
    createContext: () => test.context,
    authenticateCaller,
    clock: test.context.clock,
    telemetry: { report: (report) => reports.push(report) },
  });
  const ask = (request: unknown, invokedFunctionArn = operatorAlias, change: object = {}) => {
    const text = typeof request === 'string' ? request : JSON.stringify(request);
    const event = { request: text, caller_proof: proofOf(test.now), ...change };
    return handler(event, { invokedFunctionArn });
  };
  return { test, handler, ask, reports };
}

function errorOf({ outcome }: ManagementAnswer) {
  return 'error' in outcome ? outcome.error : undefined;
}

describe('the management function', () => {
  it('makes a change for the caller whom STS names, and returns its audit', async () => {
    const { test, ask } = createFunction();
    const answer = await ask(creation);
    expect(answer).toMatchObject({
      outcome: { result: { existed: false, client: { name: 'Billing', secrets: [] } } },
      left_out: [],
      audit_gaps: [],
    });
    expect(answer.audit).toEqual(test.audit);
    expect(test.audit).toMatchObject([
      { actor: operatorArn, action: 'client.create', outcome: 'intended' },
      { actor: operatorArn, action: 'client.create', outcome: 'done' },
    ]);
  });

  it('logs each change without its values, before the line of the invocation', async () => {
    const { ask, reports, test } = createFunction();
    const answer = await ask(creation);
    const [intended] = answer.audit;
    expect(reports.map(({ outcome }) => outcome)).toEqual(['change', 'answered']);
    expect(reports[0]?.fields).toEqual({
      change_id: intended?.recordId.replace('-1-intended', ''),
      actor: operatorArn,
      action: 'client.create',
      subject_kind: 'client',
      subject: intended?.subject,
      service_trunk_groups: ['tg-1001'],
      change_outcome: 'done',
    });
    expect(reports[0]?.metrics).toEqual({});
    expect(JSON.stringify(reports)).not.toContain('Billing');
    reports.length = 0;
    test.context.clients.replace = async () => {
      throw new UnavailableError('no answer');
    };
    await ask({
      operation: 'setClientEnabled',
      input: { clientId: intended?.subject, enabled: false },
    });
    expect(reports[0]?.fields).toMatchObject({
      action: 'client.disable',
      change_outcome: 'unfinished',
    });
    expect(reports).toMatchObject([
      { outcome: 'change', metrics: {} },
      {
        level: 'error',
        outcome: 'refused',
        fields: { error: 'UnavailableError', error_message: 'no answer' },
      },
    ]);
    reports.length = 0;
    await ask({ operation: 'findClient', input: { clientId: intended?.subject } });
    expect(reports.map(({ outcome }) => outcome)).toEqual(['answered']);
  });

  it('counts each stop and deletion that was made', async () => {
    const { ask, reports, test } = createFunction();
    const clientId = String((await ask(creation)).audit[0]?.subject);
    const version = () => test.clients.get(clientId)?.version;
    reports.length = 0;
    await ask({ operation: 'setClientEnabled', input: { clientId, enabled: false } });
    const renaming = { name: 'B', ifVersion: version() };
    await ask({ operation: 'updateClient', input: { clientId, changes: renaming } });
    await ask({
      operation: 'deleteClient',
      input: { clientId, options: { ifVersion: version() } },
    });
    const changes = reports.filter(({ outcome }) => outcome === 'change');
    expect(changes.map(({ fields, metrics }) => [fields['action'], metrics])).toEqual([
      ['client.disable', { Removals: 1 }],
      ['client.update', {}],
      ['client.delete', { Removals: 1 }],
    ]);
  });

  it('asks STS about a signature over the alias and the whole request', async () => {
    const seen: unknown[] = [];
    const { ask } = createFunction(async (...args) => {
      seen.push(args);
      return operatorArn;
    });
    await ask(creation);
    const text = JSON.stringify(creation);
    expect(seen).toEqual([[proofOf(1_800_000_000), managementDigest(operatorAlias, text)]]);
    const others = [
      managementDigest(portalAlias, text),
      managementDigest(operatorAlias.replace('us-west-2', 'us-east-2'), text),
      managementDigest(operatorAlias.replace('000000000000', '111122223333'), text),
      managementDigest(operatorAlias, ` ${text}`),
      requestDigest('auth-key-rotation', creation),
    ];
    expect(new Set([managementDigest(operatorAlias, text), ...others]).size).toBe(6);
  });

  it('throws no detail if it fails itself', async () => {
    const { test, ask } = createFunction();
    const broken = async () => {
      throw new TypeError('secret_abc');
    };
    Object.assign(test.context.clients, { find: broken });
    await expect(ask(creation)).rejects.toThrow(
      /^the management function failed; its log says why$/,
    );
  });

  it.each([
    ['an object without a form as text', { toString: 1 }],
    ['a list of them', [{ toString: 1 }]],
  ])('does not fail because of %s', async (_, scope) => {
    const { ask } = createFunction();
    const client = { ...newClient, scopes: [scope] };
    const answer = await ask({ operation: 'createClient', input: { client } });
    expect(errorOf(answer)).toMatchObject({ class: 'InputError', field: 'scopes' });
  });

  it('refuses what Lambda would fail: an answer of more than 6 MB', async () => {
    const { test, ask, reports } = createFunction();
    const secret = { hash: 'h', name: '語'.repeat(100), createdAt: test.now };
    const secrets = Array.from({ length: 100 }, (_, index) => ({
      ...secret,
      secretId: `cs_${index}`,
    }));
    await ask(creation);
    const [client] = test.clients.values();
    if (client === undefined) throw new Error('there is no client');
    for (let index = 0; index < 200; index += 1) {
      const clientId = `${client.clientId.slice(0, -3)}${100 + index}`;
      test.clients.set(clientId, { ...client, clientId, secrets });
    }
    const list = (limit: number) => ask({ operation: 'listClients', input: { filter: { limit } } });
    expect(errorOf(await list(200))).toMatchObject({
      class: 'RefusedError',
      text: expect.stringMatching(
        /^the answer would have \d{7} bytes; allowed: at most 6000000: ask for fewer items \(limit\)$/,
      ),
    });
    const refusal = { outcome: 'refused', fields: { error: 'RefusedError' } };
    expect(reports.at(-1)).toMatchObject(refusal);
    expect(errorOf(await list(100))).toBeUndefined();
    const issuer = 'https://sso.example.net';
    test.providers.set(issuer, {
      issuer,
      registrationId: 'idp_1',
      discoveryUrl: `${issuer}/.well-known/openid-configuration`,
      jwksUri: `${issuer}/jwks`,
      allowedAlgorithms: ['ES256'],
      registeredAt: test.now,
    });
    for (const [id, each] of test.clients) {
      const identity = { issuer, registrationId: 'idp_1', externalClientId: id };
      test.clients.set(id, { ...each, provider: identity });
    }
    const input = { issuer, options: { cascade: true, ifRegistration: 'idp_1' } };
    const removal = await ask(
      { operation: 'deleteProvider', input },
      `${managementArn}:administrator`,
    );
    expect(errorOf(removal)?.text).toContain('the changes were made');
    expect(reports.slice(-2)).toMatchObject([{ outcome: 'change' }, refusal]);
    expect(test.clients.size).toBeLessThan(201);
  });
});

describe('the person behind a portal', () => {
  it('is the actor of a change, within the person’s trunk groups', async () => {
    const { test, ask } = createFunction();
    await ask({ ...creation, person: ada, trunk_groups: ['tg-1001'] }, portalAlias);
    expect(test.audit.at(-1)).toMatchObject({ actor: ada.actor, outcome: 'done' });
    const foreign = await ask({ ...creation, person: ada, trunk_groups: ['tg-2002'] }, portalAlias);
    expect(errorOf(foreign)).toMatchObject({ class: 'InputError', field: 'serviceTrunkGroup' });
  });

  it.each([
    'arn:aws:iam::000000000000:user/ada',
    'ada',
    'https://a b',
    '',
    `https://${'x'.repeat(1001)}`,
  ])('is never called %j', async (actor) => {
    const { ask } = createFunction();
    const answer = await ask({ ...creation, person: { ...ada, actor } }, portalAlias);
    expect(errorOf(answer)?.class).toBe('InputError');
  });
});

/** Each row is refused, changes nothing, and is allowed without its one mistake. */
const refusals: readonly (readonly [
  what: string,
  expected: Readonly<Record<string, unknown>>,
  ask: (fn: ReturnType<typeof createFunction>) => Promise<ManagementAnswer>,
])[] = [
  [
    'an unqualified ARN',
    { class: 'AwsCallerError', problem: 'access_denied' },
    ({ ask }) => ask(creation, managementArn),
  ],
  ['a version', { class: 'AwsCallerError' }, ({ ask }) => ask(creation, `${managementArn}:7`)],
  ['$LATEST', { class: 'AwsCallerError' }, ({ ask }) => ask(creation, `${managementArn}:$LATEST`)],
  [
    'another alias',
    { class: 'AwsCallerError' },
    ({ ask }) => ask(creation, `${managementArn}:live`),
  ],
  [
    'an operation of another role',
    { class: 'AwsCallerError', text: expect.stringContaining('allowed: client-operator') },
    ({ ask }) => ask(creation, `${managementArn}:auditor`),
  ],
  [
    'no proof',
    { class: 'AwsCallerError', problem: 'credentials' },
    ({ ask }) => ask(creation, operatorAlias, { caller_proof: undefined }),
  ],
  [
    'an old proof',
    { class: 'AwsCallerError', text: expect.stringContaining('at most 300 s old') },
    ({ ask, test }) => ask(creation, operatorAlias, { caller_proof: proofOf(test.now - 301) }),
  ],
  [
    'a proof of the future',
    { class: 'AwsCallerError' },
    ({ ask, test }) => ask(creation, operatorAlias, { caller_proof: proofOf(test.now + 301) }),
  ],
  [
    'a person through another alias than the portal’s',
    { class: 'AwsCallerError', text: expect.stringMatching(/^person: received a person/) },
    ({ ask }) => ask({ ...creation, person: ada }),
  ],
  [
    'no person through the portal',
    { class: 'AwsCallerError', text: expect.stringMatching(/^person: received nothing/) },
    ({ ask }) => ask(creation, portalAlias),
  ],
  [
    'a person with a lower role',
    { class: 'AwsCallerError', text: expect.stringContaining('allowed: manager or more') },
    ({ ask }) =>
      ask(
        { ...creation, person: { ...ada, role: 'viewer' }, trunk_groups: ['tg-1001'] },
        portalAlias,
      ),
  ],
  [
    'a person without trunk groups',
    {
      class: 'AwsCallerError',
      text: expect.stringMatching(/^trunk_groups: received nothing for a manager/),
    },
    ({ ask }) => ask({ ...creation, person: ada }, portalAlias),
  ],
  [
    'an unknown operation',
    { class: 'InputError' },
    ({ ask }) => ask({ operation: 'dropTable', input: {} }),
  ],
  [
    'a name of every object',
    { class: 'InputError' },
    ({ ask }) => ask({ operation: 'constructor', input: {} }),
  ],
  [
    'an unknown key of the request',
    { class: 'InputError' },
    ({ ask }) => ask({ ...creation, x: 1 }),
  ],
  [
    'an unknown key of the event',
    { class: 'InputError' },
    ({ ask }) => ask(creation, operatorAlias, { alias: 'administrator' }),
  ],
  [
    'an unknown argument',
    { class: 'InputError', field: 'clients' },
    ({ ask }) => ask({ ...creation, input: { ...creation.input, clients: [] } }),
  ],
  [
    'an unknown field',
    { class: 'InputError', field: 'hash' },
    ({ ask }) => ask({ ...creation, input: { client: { ...newClient, hash: 'x' } } }),
  ],
  [
    'a creation without a key',
    { class: 'InputError', field: 'idempotencyKey' },
    ({ ask }) =>
      ask({ ...creation, input: { client: { ...newClient, idempotencyKey: undefined } } }),
  ],
  ['no JSON', { class: 'InputError' }, ({ ask }) => ask('{')],
  ['null', { class: 'InputError' }, ({ ask }) => ask(null)],
  ['a list', { class: 'InputError' }, ({ ask }) => ask([creation])],
  ['deep JSON', { class: 'InputError' }, ({ ask }) => ask('['.repeat(500_000))],
  [
    'a body that is too long',
    { class: 'InputError' },
    ({ ask }) => ask(JSON.stringify(creation).padEnd(maxManagementRequestLength + 1)),
  ],
  [
    'several operations',
    { class: 'InputError' },
    ({ ask }) => ask({ changes: [creation, creation] }),
  ],
  [
    'invalid trunk groups',
    { class: 'InputError', field: 'trunkGroups' },
    ({ ask }) => ask({ ...creation, trunk_groups: ['a b'] }),
  ],
];

describe('a request that is refused', () => {
  it.each(refusals)('%s', async (_, expected, ask) => {
    const fn = createFunction();
    const answer = await ask(fn);
    expect(errorOf(answer)).toMatchObject(expected);
    expect(fn.test.audit).toEqual([]);
    expect(fn.test.clients.size).toBe(0);
    expect(JSON.stringify(answer)).not.toContain('Signature=');
  });

  it.each([
    [
      'does not accept the signature',
      new InputError('caller_proof: AWS does not accept'),
      'AwsCallerError',
    ],
    ['does not answer', new UnavailableError('STS does not answer'), 'UnavailableError'],
  ])('if STS %s', async (_, error, expected) => {
    const { test, ask } = createFunction(async () => {
      throw error;
    });
    expect(errorOf(await ask(creation))?.class).toBe(expected);
    expect(test.audit).toEqual([]);
  });

  it('of a caller of another account without an entry', async () => {
    const { test, ask } = createFunction(async () => operatorArn.replace(/\d{12}/, '111122223333'));
    expect(errorOf(await ask(creation))).toMatchObject({
      class: 'AwsCallerError',
      problem: 'access_denied',
    });
    expect(test.audit).toEqual([]);
  });
});

it('lets each alias call what this says, and nothing else', async () => {
  const { ask } = createFunction();
  const { operations } = await import('../../../core/management/operations.ts');
  const callers: Record<string, string> = {};
  for (const operation of Object.keys(operations)) {
    const allowed: string[] = [];
    for (const alias of managementAliases) {
      const person = alias === 'portal' ? { person: { ...ada, role: 'administrator' } } : {};
      const answer = await ask({ operation, input: {}, ...person }, `${managementArn}:${alias}`);
      if (errorOf(answer)?.class !== 'AwsCallerError') allowed.push(alias);
    }
    callers[operation] = allowed.join(' ');
  }
  expect(callers).toMatchSnapshot();
});
