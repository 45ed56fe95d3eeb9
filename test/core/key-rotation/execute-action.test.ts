import { describe, expect, it } from 'vitest';
import type { AuditRecord } from '../../../core/audit/audit-log.ts';
import { ConflictError, UnavailableError } from '../../../core/errors.ts';
import { executeAction } from '../../../core/key-rotation/execute-action.ts';
import { findCurrentKey } from '../../../core/key-rotation/plan.ts';
import { readRotationState, reconcile } from '../../../core/key-rotation/reconcile.ts';
import type { RotationContext, RotationStore } from '../../../core/key-rotation/rotation-ports.ts';
import { createContext } from '../../../lab/suites/rotation/simulation/runs.ts';
import { World } from '../../../lab/suites/rotation/simulation/world.ts';

type Replace = RotationStore['replaceSigningKey'];

/** Retires the signing key of a region, with what the store and the audit do with it. */
async function retire(
  wrap: (replace: Replace) => Replace,
  refuseAudit: (record: AuditRecord) => boolean = () => false,
): Promise<{ audit: readonly AuditRecord[]; error: unknown; state: string | undefined }> {
  const world = new World();
  const base = createContext(world, 'slc');
  await reconcile(base);
  const audit: AuditRecord[] = [];
  // Real ids are random: here each sorts before the one drawn before it.
  let id = 100;
  const context: RotationContext = {
    ...base,
    ports: {
      ...base.ports,
      newId: () => String((id -= 1)),
      store: {
        ...base.ports.store,
        replaceSigningKey: wrap((key) => world.store.replaceSigningKey(key)),
      },
      audit: {
        appendAudit: async (record) => {
          if (refuseAudit(record)) throw new UnavailableError('the audit does not answer');
          audit.push(record);
        },
      },
    },
  };
  const state = await readRotationState(base);
  const [key] = state.keys;
  if (key === undefined) throw new Error('there is no key');
  const error = await executeAction({ kind: 'retire', key, reason: 'replaced' }, context, state)
    .then(() => undefined)
    .catch((reason: unknown) => reason);
  return { audit, error, state: world.store.find(key.kid)?.state };
}

const outcomes = (audit: readonly AuditRecord[]) => audit.map((record) => record.outcome);

describe('a promotion', () => {
  it.each([
    ['in the same second', 0],
    ['by a host whose clock is ahead', 3],
  ])('signs instead of a key that was activated %s', async (_, ahead) => {
    const world = new World();
    const context = createContext(world, 'slc');
    await reconcile(context);
    const state = await readRotationState(context);
    const [key] = state.keys;
    if (key === undefined) throw new Error('there is no key');
    // The order of kids decides between equal times.
    const signing = { ...key, kid: '!', state: 'current', activatedAt: world.now + ahead } as const;
    const keys = [signing, { ...key, state: 'next' } as const];
    await executeAction({ kind: 'promote', key }, context, { ...state, keys });
    const promoted = world.store.find(key.kid);
    expect(promoted?.state).toBe('current');
    expect(findCurrentKey([signing, ...(promoted ? [promoted] : [])], 'slc')?.kid).toBe(key.kid);
  });
});

describe('the audit of a step', () => {
  it('has the intent before the outcome, also if both have the same time', async () => {
    const { audit } = await retire((replace) => replace);
    expect(outcomes(audit)).toEqual(['intended', 'done']);
    const inOrder = audit.toSorted((a, b) => (a.recordId < b.recordId ? -1 : 1));
    expect(outcomes(inOrder)).toEqual(['intended', 'done']);
  });

  it('calls no step failed whose write got no answer: it may have been made', async () => {
    const { audit, error, state } = await retire((replace) => async (key) => {
      await replace(key);
      throw new UnavailableError('no answer in time');
    });
    expect(error).toBeInstanceOf(UnavailableError);
    expect(state).toBe('previous');
    expect(outcomes(audit)).toEqual(['intended']);
  });

  it('says that a step failed, and not one that another run was faster with', async () => {
    const failing = (reason: Error) =>
      retire(() => async () => {
        throw reason;
      });
    expect(outcomes((await failing(new TypeError('x'))).audit)).toEqual(['intended', 'failed']);
    expect(outcomes((await failing(new ConflictError('x'))).audit)).toEqual(['intended']);
  });

  it('ends the run if a step was done and its outcome cannot be written', async () => {
    const { audit, error, state } = await retire(
      (replace) => replace,
      (record) => record.outcome === 'done',
    );
    expect(error).toBeInstanceOf(UnavailableError);
    expect(state).toBe('previous');
    expect(outcomes(audit)).toEqual(['intended']);
  });

  it('does not hide why a step failed when it cannot be written down', async () => {
    const why = new TypeError('why');
    const { error } = await retire(
      () => async () => {
        throw why;
      },
      (record) => record.outcome === 'failed',
    );
    expect(error).toBe(why);
  });
});
