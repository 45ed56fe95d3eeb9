import { resolve } from 'node:path';
import type * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import { InputError, type Management, type OperationName } from '../../../adapters/management.ts';
import { commandGroups } from '../../../cli/command-groups.ts';
import { fieldOf } from '../../../cli/command-spec.ts';
import { clientWords, type GivenWords } from '../../../contract/management/field-words.ts';
import { managementOperations } from '../../../contract/management/operations.ts';
import { sayAsDuration } from '../../../core/duration.ts';
import { commandSteps } from '../../../lab/suites/deploy/command-steps.ts';
import { routes } from '../../../portal/routes.ts';
import { isObject, runOperation } from '../../adapters/management/run-operation.ts';
import { validCalls } from '../../adapters/management/valid-calls.ts';
import {
  createWorld,
  registerOwn,
  type Way,
  type World,
  ways,
} from '../../adapters/management/world.ts';
import { createPortalWorld, pathOf } from '../../portal/portal-world.ts';
import { runCli } from './use-authctl.ts';

const opened = vi.hoisted((): { management?: Management } => ({}));
vi.mock('../../../cli/open-management.ts', () => ({
  openManagement: async () => opened.management,
}));

/** A value that a field refuses, as a program gives it, and as a person types it. */
interface Sample {
  readonly value: unknown;
  /** Undefined if no text means it. */
  readonly typed?: string;
}

/** One argument of an operation, or one field of it. */
interface Place {
  readonly operation: OperationName;
  readonly index: number;
  /** The argument itself if it is undefined. */
  readonly field: string | undefined;
  readonly name: string;
}

function fieldsOf(schema: v.GenericSchema): readonly (string | undefined)[] {
  const inner = 'wrapped' in schema ? (schema.wrapped as object) : schema;
  return 'fields' in inner ? (inner.fields as readonly string[]) : [undefined];
}

/** Every field of every operation, from the contract. */
const places: readonly Place[] = Object.entries(managementOperations).flatMap(
  ([name, { parameters }]) =>
    Object.entries(parameters).flatMap(([parameter, schema], index) =>
      fieldsOf(schema).map((field) => ({
        operation: name as OperationName,
        index,
        field,
        name: field ?? parameter,
      })),
    ),
);

const text = 'a\u0007b';
const same = (typed: string): Sample => ({ typed, value: typed });
const weeks: Sample = { typed: '999999999w', value: 999_999_999 * 7 * 86_400 };
const durations = [same('soon'), weeks];
const counts = [same('many'), { typed: '9999999', value: 9_999_999 }];

/** Fields whose wrong values are not just a text. */
const ownSamples: Readonly<Record<string, readonly Sample[]>> = {
  tokenLifetime: durations,
  overlap: durations,
  expiresWithin: durations,
  unusedFor: durations,
  maxTokenLifetime: durations,
  maxSecretLifetime: durations,
  maxClients: counts,
  maxApiKeys: counts,
  ownProviders: counts,
  expiresAt: [same('soon'), { typed: '2020-01-01', value: Date.UTC(2020, 0, 2) / 1000 - 1 }],
  requiredClaims: [{ typed: 'a b=c', value: [{ claim: 'a b', values: ['c'] }] }],
  subnets: [{ typed: 'home=10.0.0.300', value: [{ name: 'home', address: '10.0.0.300' }] }],
  // A person names its file.
  publicKey: [{ value: 5 }],
  clients: [{ typed: 'x', value: [{ clientId: 'x', action: 'disable' }] }],
};

/** What is refused as the text of a field, as the item of its list, or by its type. */
const usualSamples: readonly Sample[] = [
  { typed: text, value: [text] },
  { typed: text, value: text },
  { typed: 'x'.repeat(3000), value: 'x'.repeat(3000) },
  { value: 5 },
  { value: ['x', 5] },
  { value: { a: 1 } },
];

const rootOf = (field = '') => field.split(/[.[]/)[0];

/** What the library says about a value of a field, in one of its two ways. */
async function problemsOf(
  { operation, index, field, name }: Place,
  { value }: Sample,
  way: Way,
): Promise<InputError['problems'][number][]> {
  const world = await createWorld('tg-1001', way);
  const args = [...validCalls(world)[operation].args];
  const arg = args[index];
  args[index] = field === undefined ? value : { ...(isObject(arg) ? arg : {}), [field]: value };
  const refusal = await runOperation(world.management, operation, args).catch((error) => error);
  if (!(refusal instanceof InputError)) return [];
  return refusal.problems.filter((one) => rootOf(one.field) === name);
}

/** The wrong values of a field: those of its own, or the first usual one that means its type. */
async function samplesOf(place: Place): Promise<readonly Sample[]> {
  const own = ownSamples[place.name];
  if (own !== undefined) return own;
  for (const sample of usualSamples) {
    const [found] = await problemsOf(place, sample, 'tables');
    // A list where a text is wanted, and a text where a list is, is not what a person types.
    const isOfOtherType =
      found !== undefined && /^received \[|allowed: a list$/.test(found.problem);
    if (found !== undefined && (!isOfOtherType || sample.typed === undefined)) return [sample];
  }
  return [];
}

/** Lines that need more than the steps of the deployment, or the name of another argument. */
const ownLines: Readonly<Partial<Record<OperationName, string>>> = {
  createClient:
    'client create --name A --trunk-group tg-1001 --scope calls:view --provider {issuer} --external-client-id dialer',
  // Its config has no clientImport.
  importClient: '',
  setProviderTrunkGroups: 'provider assign {issuer} --trunk-group tg-1001',
  setIssuerGrant: 'provider grant-issuer {issuer} --trunk-group tg-1001',
  setTrunkGroupLimits: 'trunk-group-limits set {serviceTrunkGroup} --require-subnet',
  explainToken: 'explain token --client-id x',
  explainRequest: 'explain request --bearer-stdin',
  listHistory: 'audit history {id}',
};

const commands = Object.fromEntries(
  Object.entries(validCalls(await createWorld())).map(([name, { command }]) => [name, command]),
);

/** The words of a command line of an operation; none if it has no command. */
function lineOf(operation: OperationName): readonly string[] {
  const step = commandSteps.flat().find(({ command }) => command === commands[operation]);
  const line = ownLines[operation] ?? step?.line ?? '';
  return line === '' ? [] : [...line.split(' '), '--yes'];
}

/** The option of a command by which a person gives a field; undefined if there is none. */
function findOption({ operation, name }: Place): string | undefined {
  const [group, command] = commands[operation]?.split(' ') ?? [];
  const spec = commandGroups
    .find((one) => one.name === group)
    ?.commands.find((one) => one.name === command);
  const found = spec?.options?.filter(
    (option) => option.required && !option.negate && fieldOf(option) === name,
  );
  // `--expires-at`, as a form has no duration.
  return (found?.find((option) => option.attributeName() === name) ?? found?.[0])?.long;
}

/** A command line with a wrong value; undefined if no option or argument takes the field. */
function lineWith(world: World, place: Place, typed: string): readonly string[] | undefined {
  const { names, args } = validCalls(world)[place.operation];
  const words = lineOf(place.operation);
  const wrong = `{${place.name}}`;
  const option = words.includes(wrong) ? undefined : findOption(place);
  if (words.length === 0 || (option === undefined && !words.includes(wrong))) return undefined;
  const line = words.map((word) => {
    if (word === wrong) return typed;
    if (!word.startsWith('{')) return word;
    if (word === '{issuer}' && !names.includes('issuer')) return world.issuer;
    const argument = args[names.indexOf(word.slice(1, -1))];
    return typeof argument === 'string' ? argument : 'repo:acme/';
  });
  return option === undefined ? line : [...line, option, typed];
}

const flags = new Set(
  Object.entries<GivenWords>(clientWords).flatMap(([name, { kind }]) =>
    kind === 'flag' ? name : [],
  ),
);

/** What a form has from its page or its address, and a checkbox: no person types a wrong one. */
const isTyped = ({ name }: Place) =>
  !flags.has(name) &&
  !/^(?:if[A-Z].*|(?:client|secret|key|subnet)Id|idempotencyKey|allow.*|enabled|endOldValues|require(?:Subnet|ApiKeyScopes)|cascade|limit|cursor)$/.test(
    name,
  );

/** What else no form has, or has in another way. */
const notInForms: readonly string[] = [
  // Only all scopes, and the claims of a new client.
  'updateClient.addScopes',
  'updateClient.requiredClaims',
  // What a stack declares is taken over only with authctl.
  'updateClient.takeOver',
  // Keys are added only with authctl.
  'createClientSecret.alg',
  'rotateClientSecret.alg',
  // Keys from a file are given only with authctl.
  'registerProvider.replacesVersion',
  // Checkboxes of a restricted person.
  'registerProvider.trunkGroups',
  // In the address, like that of limits below.
  'deleteProvider.issuer',
  'setProviderTrunkGroups.issuer',
  'setSubjectGrant.issuer',
  // A choice for each client that the portal names.
  'setSubjectGrant.clients',
  'setTrunkGroupLimits.serviceTrunkGroup',
  // The portal says what was pasted, and repeats nothing of it.
  'explainRequest.credential',
];

/** What a browser sends for a wrong value. */
function contentOf(name: string, typed: string, issuer: string): Record<string, string> {
  const own: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    expiresAt: { expiry: 'date', expiryDate: typed },
    overlap: { overlap: 'other', overlapOther: typed },
    subnets: { rows: '1', 'subnets[0].name': 'home', 'subnets[0].address': '10.0.0.300' },
    scopes: { scopesChoice: 'some' },
    providers: { providersChoice: 'some' },
    externalClientId: { provider: issuer },
    requiredClaims: { provider: issuer },
    audiences: { provider: issuer, externalClientId: 'dialer' },
    netmask: { name: 'home', address: '10.0.0.0' },
  };
  const others = { name: 'A', scopes: 'calls:view', tokenLifetime: '1h' };
  return { ...others, [name]: typed, ...own[name] };
}

const unescaped = (html: string) =>
  html.replace(/&(quot|#39|lt|gt|amp);/g, (_, name: string) => {
    return { quot: '"', '#39': "'", lt: '<', gt: '>', amp: '&' }[name] ?? '';
  });

function versionOf({ clients, clientId }: World, operation: OperationName): string {
  if (operation.includes('Client')) return String(clients.get(clientId)?.version);
  return /Grant|Limits/.test(operation) ? '0' : '1';
}

/** What the page of a refused form says next to its fields. */
async function formProblems(place: Place, typed: string): Promise<readonly string[] | undefined> {
  const route = routes.find(({ form }) => form?.operation === place.operation);
  if (route === undefined) return undefined;
  const world = await createPortalWorld();
  await registerOwn(world, ['tg-1001']);
  const issuer = place.operation === 'setProviderTrunkGroups' ? world.ownIssuer : world.issuer;
  const response = await world.post(pathOf(world, route.path), {
    ifVersion: versionOf(world, place.operation),
    requestId: 'request-12345',
    issuer,
    discoveryUrl: world.discoveryUrl,
    ifIssuer: issuer,
    ifJwksUri: `${issuer}/keys`,
    ...contentOf(place.name, typed, issuer),
  });
  const page = await response.text();
  return [...page.matchAll(/<p class="field-error"(?: id="f-(\w+)[^"]*")?>([^<]*)/g)]
    .filter(([, field = place.name]) => field === place.name)
    .map(([, , message = '']) => unescaped(message.trim()));
}

const asSentence = (problem: string) => `${problem[0]?.toUpperCase()}${problem.slice(1)}.`;

const config = ['--config', resolve(import.meta.dirname, '../../../config/single-region.json')];
const missing: string[] = [];

describe.each(places)('a wrong $name of $operation', (place) => {
  it('has the same message in every way to give it', async () => {
    const samples = await samplesOf(place);
    expect(samples).not.toEqual([]);
    for (const sample of samples) {
      const { typed } = sample;
      const said = await Promise.all(ways.map((way) => problemsOf(place, sample, way)));
      const [[problem] = []] = said;
      if (problem === undefined) throw new Error('the library accepts it');
      for (const one of said) expect(one[0]).toEqual(problem);
      if (typed === undefined) continue;
      const expected = sayAsDuration(problem.problem, typed);

      const world = await createWorld('tg-1001');
      await registerOwn(world, ['tg-1001']);
      opened.management = world.management;
      const line = lineWith(world, place, typed);
      if (line !== undefined) {
        const run = await runCli([...line, ...config], { stdin: 'x' });
        const label = findOption(place) ?? problem.label;
        const lines = run.stderr.replace(/^authctl: /gm, '').split('\n');
        expect([run.exitCode, lines]).toEqual([
          2,
          expect.arrayContaining([expect.stringContaining(`: ${expected}`)]),
        ]);
        if (problem.field === place.name) expect(lines).toContain(`${label}: ${expected}`);
      }
      const shown = await formProblems(place, typed);
      if (shown === undefined) continue;
      if (shown.length > 0) expect(shown).toContain(asSentence(expected));
      else if (isTyped(place)) missing.push(`${place.operation}.${place.name}`);
    }
  });
});

it('has a field in the form of each operation for what a person types', () => {
  expect([...new Set(missing)]).toEqual(notInForms);
});
