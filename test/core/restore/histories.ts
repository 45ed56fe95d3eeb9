import fc from 'fast-check';
import { ConflictError, InputError, RefusedError, UnavailableError } from '../../../core/errors.ts';
import type { ManagementContext } from '../../../core/management/management-context.ts';
import { createTestManagement, type TestManagement } from '../../support/management.ts';
import { type Operation, operations } from './operations.ts';

/** What happens to a write, and to the record of its outcome. */
const fates = ['made', 'refused', 'answer lost', 'request lost', 'outcome lost'] as const;
type Fate = (typeof fates)[number];

export interface Step {
  readonly operation: Operation;
  readonly pick: number;
  readonly fate: Fate;
  /** How far the clock of anyone who makes the change is off, in seconds. */
  readonly skew: number;
}

/** Management whose next write meets the fate that is set. */
export function createFatedManagement(): TestManagement & { fate: Fate } {
  const test = createTestManagement();
  const fated: TestManagement & { fate: Fate } = Object.assign(test, { fate: fates[0] });
  const write = async (make: () => Promise<void>): Promise<void> => {
    if (fated.fate === 'refused') throw new ConflictError('changed meanwhile');
    if (fated.fate === 'request lost') throw new UnavailableError('no answer');
    await make();
    if (fated.fate === 'answer lost') throw new UnavailableError('no answer');
  };
  const { clients, apiKeys, audit } = test.context;
  Object.assign(test.context, {
    clients: {
      ...clients,
      create: (item) => write(() => clients.create(item)),
      replace: (item) => write(() => clients.replace(item)),
      delete: (id, version) => write(() => clients.delete(id, version)),
    },
    apiKeys: {
      ...apiKeys,
      create: (item) => write(() => apiKeys.create(item)),
      replace: (item) => write(() => apiKeys.replace(item)),
      delete: (id, version) => write(() => apiKeys.delete(id, version)),
    },
    audit: {
      appendAudit: async (record) => {
        if (fated.fate === 'outcome lost' && record.outcome !== 'intended') {
          throw new UnavailableError('no answer');
        }
        await audit.appendAudit(record);
      },
    },
  } satisfies Partial<ManagementContext>);
  return fated;
}

const start = 1_800_000_000;

/** What the rules refuse, and what was to fail, is a step without effect. */
export async function play(
  test: TestManagement & { fate: Fate },
  steps: readonly Step[],
): Promise<void> {
  for (const [index, { operation, pick, fate, skew }] of steps.entries()) {
    test.now = start + index + skew;
    test.fate = fate;
    try {
      await operation.run(test, pick);
    } catch (error) {
      const isExpected =
        error instanceof RefusedError ||
        error instanceof InputError ||
        error instanceof ConflictError ||
        error instanceof UnavailableError;
      if (!isExpected) throw error;
    }
  }
}

const pick = fc.nat(0xffff);

export const anyStep: fc.Arbitrary<Step> = fc.record({
  operation: fc.constantFrom(...operations),
  pick,
  fate: fc.oneof({ weight: 4, arbitrary: fc.constant('made' as const) }, fc.constantFrom(...fates)),
  skew: fc.constantFrom(0, 0, 0, -3600, 3600, -90_000, 90_000),
});

/** Steps that succeed, by clocks that agree. */
export const stepOf = (list: readonly Operation[]): fc.Arbitrary<Step> =>
  fc.record({
    operation: fc.constantFrom(...list),
    pick,
    fate: fc.constant('made' as const),
    skew: fc.constant(0),
  });

/** Most histories begin with things to change. */
export const beginning: fc.Arbitrary<readonly Step[]> = fc.array(
  stepOf(operations.filter(({ name }) => name.startsWith('create'))),
  { minLength: 3, maxLength: 8 },
);
