import { describe, expect, it } from 'vitest';
import { callAws } from '../../adapters/aws-errors.ts';
import {
  openRevocationCheck,
  type RevocationOptions,
  readRevocationOptions,
} from '../../adapters/revocation-options.ts';
import type { ClientLookup } from '../../core/client/client.ts';
import { InputError, UnavailableError } from '../../core/errors.ts';
import type { PortOptions } from '../../core/port.ts';
import { bearerErrorResponse } from '../../core/verifier/challenge.ts';
import { signToken } from '../../lab/support/test-issuer.ts';
import { createWorld, ownClaims, ownKey } from '../../lab/support/verifier-world.ts';
import { createVerifier } from '../../verifier/verifier.ts';

const clients: ClientLookup = { findClient: async () => undefined };
const onAcceptedWithoutLookup = () => undefined;

describe('the options of a check of revocation', () => {
  it.each<RevocationOptions>([
    { clients, onLookupFailure: 'refuse' },
    { clients, onLookupFailure: 'accept', onAcceptedWithoutLookup },
  ])('are read: %o', (options) => {
    expect(readRevocationOptions(options).onLookupFailure).toBe(options.onLookupFailure);
  });

  it.each([
    [{ clients }, 'revocation.onLookupFailure: received nothing; allowed: refuse or accept'],
    [
      { clients, onLookupFailure: 'ignore' },
      'revocation.onLookupFailure: received "ignore"; allowed: refuse or accept',
    ],
    [
      { onLookupFailure: 'refuse' },
      'revocation.clients: received nothing; allowed: providers.clients of createDynamoDbLookups',
    ],
    [
      { clients, onLookupFailure: 'accept' },
      'revocation.onAcceptedWithoutLookup: received nothing; allowed: a function',
    ],
  ])('have no defaults: %o', (options, message) => {
    const create = () =>
      createVerifier({
        issuer: 'https://auth.example.com',
        audience: 'https://api.example.com',
        revocation: options as unknown as RevocationOptions,
      });
    expect(create).toThrow(InputError);
    expect(create).toThrow(message);
  });
});

describe("a look-up that DynamoDB refuses because of this host's clock", () => {
  const refuseWith = (message: string) =>
    Object.assign(new Error(message), { name: 'InvalidSignatureException' });
  const expired = refuseWith('Signature expired: 20270115T080000Z is now earlier');
  const early = refuseWith('Signature not yet current: 20270115T080000Z is still later');
  const lookupThat = (error: Error): ClientLookup => ({
    findClient: () =>
      callAws('DynamoDB', 'read an item of clients', async () => {
        throw error;
      }),
  });

  it.each([
    ['slow', expired],
    ['fast', early],
  ])(
    'is no outage if it is %s: no token is accepted without it, and the answer is 503',
    async (_, cause) => {
      const check = openRevocationCheck(lookupThat(cause), 'accept');
      const world = createWorld({ revocation: check });
      const error: unknown = await world
        .verify(`Bearer ${signToken(ownKey, ownClaims)}`)
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'ClockError', cause });
      expect(String(error)).toContain(
        'read an item of clients: InvalidSignatureException: the clock is off',
      );
      expect(bearerErrorResponse(error).status).toBe(503);
    },
  );

  it('is a failure of the service for a check that refuses then', async () => {
    const check = openRevocationCheck(lookupThat(expired), 'refuse');
    await expect(check.clients.findClient('x')).rejects.toBeInstanceOf(UnavailableError);
  });
});

describe('the time for a look-up', () => {
  /** A look-up that ends only when it is aborted. */
  const endless: ClientLookup = {
    findClient: async (_, { signal }: PortOptions = {}) => {
      if (signal === undefined) return undefined;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw signal.reason;
    },
  };

  it('ends before that of the request if the token is accepted without it', async () => {
    const check = openRevocationCheck(endless, 'accept');
    const { signal } = new AbortController();
    await expect(check.clients.findClient('client_1', { signal })).rejects.toThrow('timeout');
    await expect(check.clients.findClient('client_1')).rejects.toThrow('timeout');
  });

  it('ends with that of the request', async () => {
    const check = openRevocationCheck(endless, 'accept');
    const controller = new AbortController();
    const found = check.clients.findClient('client_1', { signal: controller.signal });
    controller.abort(new Error('the caller went away'));
    await expect(found).rejects.toThrow('the caller went away');
  });

  it('is that of the request if the token is refused without it', () => {
    expect(openRevocationCheck(endless, 'refuse').clients).toBe(endless);
  });
});
