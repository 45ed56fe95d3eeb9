import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { requestDeadline } from '../../../contract/bounds.ts';
import { UnavailableError } from '../../../core/errors.ts';
import type { PortOptions } from '../../../core/port.ts';
import { stepLimit } from '../../../lab/support/hang-limit.ts';
import { tokenWorld } from '../../support/token-world.ts';

/** Milliseconds by which a deadline may be late: requests of a tenth of a second share one. */
const shared = 100;

afterEach(() => {
  vi.restoreAllMocks();
});

/** Deadlines that pass when the test says so. */
function scriptDeadline() {
  const now = performance.now.bind(performance);
  // The deadline of another test may still hold, and is not scripted.
  vi.spyOn(performance, 'now').mockImplementation(() => now() + 3_600_000);
  const scripted = new AbortController();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(scripted.signal);
  return { pass: () => scripted.abort(), timeout };
}

/** What the adapters make of a service that does not answer. */
function neverAnswer({ signal }: PortOptions = {}): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(new UnavailableError('no answer in time'));
    if (signal?.aborted === true) end();
    signal?.addEventListener('abort', end);
  });
}

describe('the deadline of a token request', () => {
  it.each([
    ['the clients table', 'findClient'],
    ['the signing keys table', 'listSigningKeys'],
    ['KMS', 'sign'],
  ] as const)('ends the wait for %s, and not before', async (_, call) => {
    const deadline = scriptDeadline();
    const { issue, stores } = tokenWorld();
    stores[call].mockImplementation((...given: readonly unknown[]) =>
      neverAnswer(given.at(-1) as PortOptions),
    );
    let status: number | undefined;
    const answered = issue().then((response) => {
      status = response.statusCode;
    });
    await vi.waitUntil(() => stores[call].mock.calls.length > 0, stepLimit);
    expect(deadline.timeout.mock.calls).toEqual([[requestDeadline + shared]]);
    await turn();
    expect(status).toBeUndefined();
    deadline.pass();
    await answered;
    expect(status).toBe(503);
  });
});
