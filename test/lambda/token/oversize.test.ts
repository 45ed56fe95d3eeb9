import { describe, expect, it } from 'vitest';
import { clientIdOf } from '../../../lab/support/clients.ts';
import { cpuCost } from '../../../lab/support/cpu-cost.ts';
import type { ProxyRequest } from '../../../lab/support/proxy-event.ts';
import { basic } from '../../../lab/support/token-request.ts';
import { tokenWorld } from '../../support/token-world.ts';

/**
 * Units of about a millisecond: what one request may cost that is refused for its size. Memory for
 * megabytes has its price, which varies by ten on a busy machine.
 */
const maxCost = ({ body }: Partial<ProxyRequest>): number =>
  (body?.length ?? 0) > 1024 * 1024 ? 500 : 50;

const grant = 'grant_type=client_credentials';

describe('a request that is too large', () => {
  it.each<readonly [string, Partial<ProxyRequest>]>([
    ['a body of 10 MiB', { body: 'a'.repeat(10 * 1024 * 1024) }],
    ['a base64 body of 6 MiB', { body: Buffer.alloc(6 * 1024 * 1024, 0x61) }],
    ['10 000 parameters', { body: `${grant}${'&a=1'.repeat(10_000)}` }],
    ['10 000 scope tokens', { body: `${grant}&scope=${'a+'.repeat(10_000)}` }],
    ['4 000 scope tokens', { body: `${grant}&scope=${'a+'.repeat(4000)}` }],
    ['percent signs', { body: `${grant}&a=${'%'.repeat(8000)}` }],
    ['a header of 9 KiB', { headers: { Authorization: `Basic ${'A'.repeat(9216)}` } }],
    ['spaces in the header', { headers: { Authorization: ' '.repeat(10_000) } }],
    ['semicolons in the content type', { headers: { 'Content-Type': ';'.repeat(10_000) } }],
    ['an id of 1 KiB', { headers: { Authorization: basic('i'.repeat(1024), 's') } }],
    [
      'a secret of 10 KiB',
      { headers: { Authorization: basic(clientIdOf(1), 's'.repeat(10_240)) } },
    ],
  ])('%s: costs little and asks no one', async (_name, different) => {
    const { issue, stores } = tokenWorld();
    const cost = await cpuCost(async () => {
      expect((await issue(different)).statusCode).toBe(400);
    });
    expect(cost).toBeLessThan(maxCost(different));
    expect(stores.findClient).not.toHaveBeenCalled();
    expect(stores.sign).not.toHaveBeenCalled();
  });
});
