import { expect, it } from 'vitest';
import {
  findApiKeyExcess,
  findClientExcess,
} from '../../../../core/management/trunk-group-limits/limit-excess.ts';
import { parseExpiry, parseTime } from '../../../../core/time.ts';

// A limit of a day, at 20:30 in Denver.
const now = parseTime('2026-11-22T20:30:00-07:00') ?? 0;

it.each([
  ['2026-11-23', true],
  ['2026-11-24', true],
  ['2026-11-25', false],
  ['2026-11-24T03:30:00Z', true],
  ['2026-11-24T03:30:01Z', false],
  [undefined, false],
])(
  'a limit on the life of secrets and API keys: an expiry of %s is within it: %s',
  (expiry, isAllowed) => {
    const secret = {
      secretId: 'secret_0000000000000000000000',
      createdAt: now,
      ...(expiry === undefined ? {} : { expiresAt: parseExpiry(expiry) }),
    };
    const client = { scopes: [], tokenLifetime: 60, secrets: [secret] };
    const found = [...findClientExcess({ maxSecretLifetime: 86_400 }, client, now)];
    expect(found.map(({ field }) => field)).toEqual(isAllowed ? [] : ['expiresAt']);
    const key = { subnets: [], expiresAt: secret.expiresAt };
    const ofKey = [...findApiKeyExcess({ maxApiKeyLifetime: 86_400 }, key, now)];
    expect(ofKey.map(({ field }) => field)).toEqual(isAllowed ? [] : ['expiresAt']);
  },
);
