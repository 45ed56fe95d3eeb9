import type { Mutant } from './mutant.ts';

/** Mistakes after which a token of a client that was cut off is accepted, or a good one refused. */
const mistakes: readonly Omit<Mutant, 'area'>[] = [
  {
    name: 'a token of the second before the cut-off is accepted',
    edits: [
      {
        file: 'core/verifier/revocation-check.ts',
        find: '(issuedAt ?? 0) >= tokensNotBefore',
        replace: '(issuedAt ?? 0) >= tokensNotBefore - 1',
      },
    ],
  },
  {
    name: 'only newer tokens are refused',
    edits: [
      {
        file: 'core/verifier/revocation-check.ts',
        find: '(issuedAt ?? 0) >= tokensNotBefore',
        replace: '(issuedAt ?? 0) <= tokensNotBefore',
      },
    ],
  },
  {
    name: 'a token without iat counts as new',
    edits: [
      {
        file: 'core/verifier/revocation-check.ts',
        find: '(issuedAt ?? 0)',
        replace: '(issuedAt ?? Number.POSITIVE_INFINITY)',
      },
    ],
  },
  {
    name: 'a disabled client is looked up and not refused',
    edits: [
      {
        file: 'core/verifier/revocation-check.ts',
        find: 'if (!enabled) {',
        replace: 'if (false) {',
      },
    ],
  },
  {
    name: 'a deleted client is not refused',
    edits: [
      {
        file: 'core/verifier/revocation-check.ts',
        find: 'if (found.client === undefined) {',
        replace:
          'if (found.client === undefined) return token;\n  if (found.client === undefined) {',
      },
    ],
  },
  {
    name: 'an outage always lets tokens in',
    edits: [
      {
        file: 'core/verifier/revocation-check.ts',
        find: "onLookupFailure === 'accept' && error",
        replace: 'error',
      },
    ],
  },
  {
    name: 'a token is accepted without a look-up in silence',
    edits: [
      {
        file: 'core/verifier/revocation-check.ts',
        find: '{ ...token, lookupFailure: found.failure }',
        replace: 'token',
      },
    ],
  },
  {
    name: 'the cache of look-ups forgets nothing',
    edits: [
      {
        file: 'adapters/dynamodb/remember-found.ts',
        find: 'startedAt < before.until',
        replace: 'startedAt < Number.POSITIVE_INFINITY',
      },
    ],
  },
  {
    name: 'a cached record is used for a second too long',
    edits: [
      {
        file: 'adapters/dynamodb/remember-found.ts',
        find: 'until: startedAt + seconds * 1000',
        replace: 'until: startedAt + seconds * 1000 + 1000',
      },
    ],
  },
  {
    name: 'the cut-off is the present second',
    edits: [
      {
        file: 'core/management/revoke-client-tokens.ts',
        find: 'clockAllowance + 1;',
        replace: 'clockAllowance;',
      },
    ],
  },
  {
    name: 'the cut-off trusts the earliest time that AWS may have',
    edits: [
      {
        file: 'core/management/revoke-client-tokens.ts',
        find: 'Math.floor(latest / 1000)',
        replace: 'Math.floor(earliest / 1000)',
      },
    ],
  },
  {
    name: "the cut-off is by the operator's clock",
    edits: [
      {
        file: 'core/management/revoke-client-tokens.ts',
        find: 'Math.floor(latest / 1000)',
        replace: 'Math.floor(context.clock() / 1000)',
      },
    ],
  },
  {
    name: 'the record changes before the cut-off has passed',
    edits: [
      {
        file: 'core/management/revoke-client-tokens.ts',
        find: 'await context.wait(',
        replace: 'void (',
      },
    ],
  },
  {
    name: 'a second revocation sets an earlier time',
    edits: [
      {
        file: 'core/management/revoke-client-tokens.ts',
        find: 'Math.max(cutOff, before.tokensNotBefore ?? 0)',
        replace: 'cutOff',
      },
    ],
  },
  {
    name: 'a client that is created again accepts its old tokens',
    edits: [
      {
        file: 'core/management/create-client.ts',
        find: 'const client = withoutOldTokens(context, given, wanted);',
        replace: 'const client = wanted;',
      },
    ],
  },
  {
    name: 'a client that is created again begins at version 1',
    edits: [
      {
        file: 'core/management/create-client.ts',
        find: 'version: firstVersion(context.drawBytes)',
        replace: 'version: 1',
      },
    ],
  },
  {
    name: 'an API key that is created again begins at version 1',
    edits: [
      {
        file: 'core/management/api-keys.ts',
        find: 'version: firstVersion(context.drawBytes)',
        replace: 'version: 1',
      },
    ],
  },
  {
    name: 'the client of the synthetic check begins at version 1',
    edits: [
      {
        file: 'core/synthetic-check/mint-secret.ts',
        find: 'firstVersion(drawBytes) - 1',
        replace: '0',
      },
    ],
  },
  {
    name: 'a former client and a new one with the same ids get the same token',
    edits: [
      {
        file: 'core/token/issue-token.ts',
        find: 'secretHash: secret.hash',
        replace: 'secretHash: secret.secretId',
      },
    ],
  },
  {
    name: 'a token that was issued before a revocation is issued again',
    edits: [
      {
        file: 'core/token/token-reuse.ts',
        find: 'JSON.stringify([secretHash, clientVersion, exp - iat, Object.values(rest)])',
        replace: 'JSON.stringify([secretHash, exp - iat, Object.values(rest)])',
      },
    ],
  },
  {
    name: 'another instance issues such a token again',
    edits: [
      {
        file: 'core/token/shared-reuse.ts',
        find: 'JSON.stringify([secret.secretId, client.version, kid])',
        replace: 'JSON.stringify([secret.secretId, kid])',
      },
      {
        file: 'core/token/token-reuse.ts',
        find: 'JSON.stringify([secretHash, clientVersion, exp - iat, Object.values(rest)])',
        replace:
          'JSON.stringify([Math.random(), secretHash, clientVersion, exp - iat, Object.values(rest)])',
      },
    ],
  },
  {
    name: 'AWS has no later time than the Date header says',
    edits: [
      {
        file: 'core/server-date.ts',
        find: 'earliest + resolution + latency',
        replace: 'earliest',
      },
    ],
  },
];

export const revocationMutants: readonly Mutant[] = mistakes.map((mutant) => ({
  ...mutant,
  area: 'revocation',
}));
