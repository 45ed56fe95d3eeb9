import { describe, expect, it } from 'vitest';
import type { AuthenticateCaller } from '../../../adapters/sts/authenticate-caller.ts';
import { parseKeyRotationEvent } from '../../../contract/function-events.ts';
import { requestDigest } from '../../../core/audit/request-digest.ts';
import { InputError, UnavailableError } from '../../../core/errors.ts';
import { getActor } from '../../../lambda/key-rotation/function.ts';
import { operatorArn, proofOf } from '../../support/caller-proof.ts';

const now = 1_800_000_000;
const kid = 'A'.repeat(43);
const isDown: AuthenticateCaller = async () => {
  throw new UnavailableError('STS does not answer');
};

function find(input: object, authenticate: AuthenticateCaller = async () => operatorArn) {
  return getActor(parseKeyRotationEvent(input), input, {
    authenticate,
    functionName: 'auth-key-rotation',
    functionArn: 'arn:aws:lambda:us-west-2:000000000000:function:auth-key-rotation',
    requestId: 'request-1',
    now: () => now,
  });
}

const rotate = { action: 'rotate', caller_proof: proofOf(now) };
const emergency = { action: 'withdraw', kid, emergency: true };

describe('whom the audit names', () => {
  it.each([{}, { action: 'deploy' }, { action: 'reconcile' }])(
    'is the rotation itself for %j',
    async (input) => {
      expect(await find(input, isDown)).toBe('key-rotation');
    },
  );

  it('is whom STS names for the signature, which covers all that is asked', async () => {
    const digests: string[] = [];
    const input = { ...rotate, algorithm: 'ES256' };
    const actor = await find(input, async (proof, digest) => {
      expect(proof).toEqual(rotate.caller_proof);
      digests.push(digest);
      return operatorArn;
    });
    expect(actor).toBe(operatorArn);
    expect(digests).toEqual([requestDigest('auth-key-rotation', input)]);
  });

  it.each([
    ['no proof', { action: 'rotate' }, /caller_proof: received nothing/],
    ['no proof of a withdrawal', { action: 'withdraw', kid }, /caller_proof: received nothing/],
    ['a name', { action: 'rotate', caller_proof: operatorArn }, /allowed: a signed request to STS/],
    [
      'an old proof',
      { action: 'rotate', caller_proof: proofOf(now - 301) },
      /received one of 2027\d+T\d+Z; allowed: at most 300 s old/,
    ],
    ['a proof of the future', { action: 'rotate', caller_proof: proofOf(now + 301) }, /300 s old/],
    [
      'a signature that leaves out what is asked',
      {
        action: 'rotate',
        caller_proof: {
          ...proofOf(now),
          authorization: proofOf(now).authorization.replace(';x-authorization-server-request', ''),
        },
      },
      /allowed: a signed request to STS/,
    ],
    [
      'a signature for another service',
      {
        action: 'rotate',
        caller_proof: {
          ...proofOf(now),
          authorization: proofOf(now).authorization.replace('/sts/', '/iam/'),
        },
      },
      /allowed: a signed request to STS/,
    ],
    [
      'a bad proof in an emergency',
      { ...emergency, caller_proof: { authorization: 'secret-value' } },
      /allowed: a signed request to STS/,
    ],
  ])('is refused for %s', async (_, input, message) => {
    const error = await find(input).catch((refusal: unknown) => refusal);
    expect(error).toBeInstanceOf(InputError);
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).not.toContain('secret-value');
  });

  it('is refused for a caller of another account, whose names are theirs to choose', async () => {
    const foreign = async () => 'arn:aws:iam::999999999999:user/alice';
    await expect(find(rotate, foreign)).rejects.toThrow(
      'caller_proof: received the signature of arn:aws:iam::999999999999:user/alice; allowed: a caller of account 000000000000',
    );
  });

  it('is no one, and says so, in an emergency without a proof or without STS', async () => {
    const nobody = 'unauthenticated (Lambda request request-1)';
    expect(await find(emergency)).toBe(nobody);
    expect(await find({ ...emergency, caller_proof: proofOf(now) }, isDown)).toBe(nobody);
    expect(await find({ ...emergency, caller_proof: proofOf(now) })).toBe(operatorArn);
    await expect(find(rotate, isDown)).rejects.toThrow(UnavailableError);
  });
});

describe('the digest of a request', () => {
  const digest = requestDigest('f', { action: 'withdraw', kid, emergency: true });

  it('does not depend on order, on what is undefined, or on the proof', () => {
    const other = {
      emergency: true,
      kid,
      algorithm: undefined,
      caller_proof: 1,
      action: 'withdraw',
    };
    expect(requestDigest('f', other)).toBe(digest);
  });

  it.each([
    ['function', requestDigest('g', { action: 'withdraw', kid, emergency: true })],
    ['action', requestDigest('f', { action: 'rotate', kid, emergency: true })],
    ['value', requestDigest('f', { action: 'withdraw', kid, emergency: false })],
    ['key', requestDigest('f', { action: 'withdraw', kid, emergency: true, activate_early: true })],
  ])('differs for another %s', (_, other) => {
    expect(other).not.toBe(digest);
  });
});
