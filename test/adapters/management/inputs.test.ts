import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as library from '../../../adapters/management.ts';
import { InputError, type OperationName } from '../../../adapters/management.ts';
import { managementOperations } from '../../../contract/management/operations.ts';
import { isObject, runOperation } from './run-operation.ts';
import { prepareCall, type ValidCall, validCalls } from './valid-calls.ts';
import { createWorld, type World, ways } from './world.ts';

type ErrorClass = new (...args: never) => Error;

function isErrorClass(value: unknown): boolean {
  return typeof value === 'function' && value.prototype instanceof Error;
}

const exported = Object.values(library).filter(isErrorClass) as unknown as readonly ErrorClass[];

const run = (world: World, name: OperationName, args: readonly unknown[]) =>
  runOperation(world.management, name, args);

/** Places in a call if something else can be given: an argument, or a field of one. */
interface Place {
  readonly field: string;
  readonly valid: unknown;
  readonly put: (value: unknown) => readonly unknown[];
}

function replace<T>(list: readonly T[], index: number, value: T): readonly T[] {
  return list.map((one, at) => (at === index ? value : one));
}

function placesOf({ names, args }: ValidCall): readonly Place[] {
  return args.flatMap((arg, index) => [
    { field: names[index] ?? '', valid: arg, put: (value: unknown) => replace(args, index, value) },
    ...(isObject(arg)
      ? Object.entries(arg).map(([field, valid]) => ({
          field,
          valid,
          put: (value: unknown) => replace(args, index, { ...arg, [field]: value }),
        }))
      : []),
  ]);
}

const typeOf = (value: unknown) =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

type Nullable = Readonly<Record<string, { readonly wrapped?: { readonly type: string } }>>;

/** Whether a field of an operation may be null, as its schema says. */
function canBeNull(name: OperationName, field: string): boolean {
  return Object.values(managementOperations[name].parameters).some((parameter) => {
    const input: object = 'wrapped' in parameter ? (parameter.wrapped as object) : parameter;
    const parts = 'pipe' in input ? (input.pipe as readonly object[]) : [];
    const entries = parts.flatMap((part) => ('entries' in part ? (part.entries as object) : []));
    return entries.some((one) => (one as Nullable)[field]?.wrapped?.type === 'nullable');
  });
}

/** One value of each JSON type. */
const samples: readonly unknown[] = [null, true, 1.5, -1, 'x y', '', [], [null], {}, { a: 1 }];

const names = Object.keys(validCalls(await createWorld())) as OperationName[];

describe('the errors of the library', () => {
  it('have the names of their classes', () => {
    expect(exported.map(({ name }) => name).toSorted()).toEqual([
      'AwsCallerError',
      'ConflictError',
      'FetchError',
      'IdempotencyKeyReusedError',
      'InputError',
      'KeySetError',
      'MalformedRecordError',
      'NotFoundError',
      'RefusedError',
      'UnavailableError',
      'UncertainConflictError',
      'VersionConflictError',
    ]);
    const made = [
      new library.NotFoundError('client', 'x'),
      new library.RefusedError('x'),
      new library.KeySetError(['x']),
      new library.ConflictError('x'),
      new library.UncertainConflictError('x'),
      new library.VersionConflictError('x', 1, 2),
      new library.InputError('x', { field: 'field' }),
      new library.MalformedRecordError('x'),
      new library.UnavailableError('x'),
      new library.FetchError('https://x', 'status'),
      new library.AwsCallerError('credentials', 'ExpiredToken', 'x'),
    ];
    for (const error of made) expect(error.name).toBe(error.constructor.name);
  });
});

describe.each(ways.flatMap((way) => names.map((name) => [name, way] as const)))(
  '%s, through %s',
  (name, way) => {
    it('refuses another JSON type, and names the field', async () => {
      const world = await createWorld('tg-1001', way);
      await prepareCall(world, name, 'tg-1001');
      for (const place of placesOf(validCalls(world)[name])) {
        for (const wrong of samples.filter((one) => typeOf(one) !== typeOf(place.valid))) {
          // Null removes what can be without a value.
          const isRemoval = wrong === null && canBeNull(name, place.field);
          if (isRemoval || place.valid === undefined) continue;
          const refusal = await run(world, name, place.put(wrong)).catch((error: unknown) => error);
          expect([place.field, wrong, refusal]).toEqual([
            place.field,
            wrong,
            expect.any(InputError),
          ]);
          expect((refusal as InputError).field?.split(/[.[]/)[0]).toBe(place.field);
        }
      }
    });

    it('refuses a number that JSON does not have, in each field', async () => {
      const world = await createWorld('tg-1001', way);
      await prepareCall(world, name, 'tg-1001');
      for (const place of placesOf(validCalls(world)[name])) {
        if (place.valid === undefined) continue;
        for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY]) {
          const refusal = await run(world, name, place.put(wrong)).catch((error: unknown) => error);
          expect([place.field, wrong, refusal]).toEqual([
            place.field,
            wrong,
            expect.any(InputError),
          ]);
        }
      }
    });

    it('looks at few of many items and fields, and at no deep ones', async () => {
      const world = await createWorld('tg-1001', way);
      await prepareCall(world, name, 'tg-1001');
      const many = Array.from({ length: 5000 }, (_, index) => ({ claim: `x${index}` }));
      const fields = Object.fromEntries(many.map(({ claim }) => [claim, 1]));
      const deep: unknown = JSON.parse('['.repeat(5000) + ']'.repeat(5000));
      for (const place of placesOf(validCalls(world)[name])) {
        for (const wrong of [many, fields, deep]) {
          const refusal = await run(world, name, place.put(wrong)).catch((error: unknown) => error);
          const { problems } = refusal as InputError;
          expect([place.field, refusal]).toEqual([place.field, expect.any(InputError)]);
          expect(problems.length).toBeLessThan(50);
        }
      }
    });

    it('refuses a field that it does not know, and changes nothing', async () => {
      const world = await createWorld('tg-1001', way);
      const { args } = validCalls(world)[name];
      for (const [index, arg] of args.entries()) {
        if (!isObject(arg)) continue;
        const changes = world.audit.length;
        const misspelt = replace(args, index, { ...arg, expireAt: 1 });
        await expect(run(world, name, misspelt)).rejects.toThrow(
          'expireAt: unknown field; allowed:',
        );
        expect(world.audit).toHaveLength(changes);
      }
    });

    it('throws only what the library exports, for any JSON', async () => {
      const world = await createWorld('tg-1001', way);
      const places = placesOf(validCalls(world)[name]);
      if (places.length === 0) return;
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...places), fc.jsonValue(), async (place, value) => {
          const outcome = await run(world, name, place.put(value)).catch((error: unknown) => error);
          if (!(outcome instanceof Error)) return;
          expect(exported.some((type) => outcome instanceof type) || outcome.message).toBe(true);
        }),
        { numRuns: 200 },
      );
    });
  },
);

/** The call with a value in each field that no field takes. */
function withEveryFieldWrong({ args }: ValidCall): readonly unknown[] {
  const nothing = {};
  return args.map((arg) =>
    isObject(arg) ? Object.fromEntries(Object.keys(arg).map((field) => [field, nothing])) : nothing,
  );
}

describe.each(names)('%s with every field wrong', (name) => {
  it('is refused with a problem of each, in the same words in both ways', async () => {
    const refusals = await Promise.all(
      ways.map(async (way) => {
        const world = await createWorld('tg-1001', way);
        const valid = validCalls(world)[name];
        const args = withEveryFieldWrong(valid);
        if (args.length === 0) return undefined;
        const refusal = await run(world, name, args).catch((error: unknown) => error);
        expect(refusal).toBeInstanceOf(InputError);
        const { problems, message } = refusal as InputError;
        const fields = valid.args.flatMap((arg, index) =>
          isObject(arg) ? Object.keys(arg) : [valid.names[index]],
        );
        expect(problems.map(({ field }) => field)).toEqual(expect.arrayContaining(fields));
        expect(message.split('\n')).toHaveLength(problems.length);
        for (const line of message.split('\n')) expect(line).toMatch(/: received .+; allowed: ./);
        return { problems, message };
      }),
    );
    const [first] = refusals;
    for (const other of refusals) expect(other).toEqual(first);
  });
});

describe('a subnet, as people have it', () => {
  it.each([
    ['203.0.113.0', '255.255.255.0', '203.0.113.0', 24],
    ['203.0.113.77', '255.255.255.0', '203.0.113.0', 24],
    ['203.0.113.0/24', undefined, '203.0.113.0', 24],
    ['203.0.113.0/255.255.255.0', undefined, '203.0.113.0', 24],
    ['203.0.113.0/24', '255.255.255.0', '203.0.113.0', 24],
    ['203.0.113.0', '/24', '203.0.113.0', 24],
    ['203.0.113.0', 24, '203.0.113.0', 24],
    [' 203.0.113.9 ', '', '203.0.113.9', 32],
    ['2001:DB8:0:0::1', 'ffff:ffff::', '2001:db8::', 32],
    ['::ffff:10.1.2.3', '255.0.0.0', '10.0.0.0', 8],
  ])('%s with the netmask %s is stored as %s/%i', async (address, netmask, stored, prefix) => {
    const { management, keyId } = await createWorld();
    const { subnet } = await management.addSubnet(keyId, { name: 'new', address, netmask }).catch(
      // The world's key has this subnet.
      async (error: unknown) => {
        if (!(error instanceof library.RefusedError)) throw error;
        const key = await management.findApiKey(keyId);
        return { subnet: key.subnets[0] };
      },
    );
    expect(subnet).toMatchObject({ address: stored, prefixLength: prefix });
  });

  it.each([
    ['203.0.113', '24', 'address', 'received "203.0.113"'],
    ['0310.0.113.0', '24', 'address', 'received "0310.0.113.0"'],
    ['203.0.113.0', '255.0.255.0', 'netmask', 'whose one bits are not contiguous'],
    ['203.0.113.0', '33', 'netmask', 'at most /32'],
    ['203.0.113.0', 'ffff::', 'netmask', "in the address's own family"],
    ['0.0.0.0', '0', 'netmask', 'which is every address'],
    ['0.0.0.0/0', '', 'address', 'which is every address'],
    ['203.0.113.0/24', '16', 'netmask', 'another prefix length'],
    ['office', '24', 'address', 'received "office"'],
  ])('%s with %s is refused at the field %s', async (address, netmask, field, reason) => {
    const { management, keyId } = await createWorld();
    const refusal = await management
      .addSubnet(keyId, { name: 'new', address, netmask })
      .catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(InputError);
    expect(refusal).toMatchObject({ field, message: expect.stringContaining(reason) });
  });

  it('is named within the list of a new key', async () => {
    const { management } = await createWorld();
    const creating = management.createApiKey({
      name: 'Bea',
      serviceTrunkGroup: 'tg-1',
      subnets: [
        { name: 'a', address: '10.0.0.0/8' },
        { name: 'b', address: '10.0.0.0', netmask: '99' },
      ],
    });
    await expect(creating).rejects.toMatchObject({ field: 'subnets[1].netmask' });
  });
});
