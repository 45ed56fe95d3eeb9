import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { requestDeadline } from '../../../contract/limits.ts';
import { UnavailableError } from '../../../core/errors.ts';
import type { PortOptions } from '../../../core/port.ts';
import { tokenWorld } from '../../support/token-world.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** What the adapters make of a service that does not answer. */
function neverAnswer({ signal }: PortOptions = {}): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(new UnavailableError('no answer in time')));
  });
}

describe('the deadline of a token request', () => {
  it.each([
    ['the clients table', 'findClient'],
    ['the signing keys table', 'listSigningKeys'],
    ['KMS', 'sign'],
  ] as const)('ends the wait for %s, and not before', async (_, call) => {
    const { issue, stores } = tokenWorld();
    stores[call].mockImplementation((...given: readonly unknown[]) =>
      neverAnswer(given.at(-1) as PortOptions),
    );
    let status: number | undefined;
    const answered = issue().then((response) => {
      status = response.statusCode;
    });
    // vi.waitUntil would move the clock.
    while (stores[call].mock.calls.length === 0) await turn();
    await vi.advanceTimersByTimeAsync(requestDeadline - 1);
    expect(status).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    await answered;
    expect(status).toBe(503);
  });

  it('leaves no timer behind when the request is answered', async () => {
    const { issue } = tokenWorld();
    expect((await issue()).statusCode).toBe(200);
    expect(vi.getTimerCount()).toBe(0);
  });
});
