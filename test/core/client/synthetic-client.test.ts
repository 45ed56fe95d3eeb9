import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { regionIds } from '../../../contract/regions.ts';
import { scopeName, scopePartPattern } from '../../../contract/scopes.ts';
import {
  isSyntheticClientId,
  syntheticAuthority,
  syntheticClientId,
} from '../../../contract/synthetic-check.ts';
import { withoutSyntheticAuthority } from '../../../core/client/client.ts';
import { formatId, idBytes, isId } from '../../../core/credential/credential-value.ts';
import { makeClient } from '../../../lab/support/clients.ts';

describe('the ids of synthetic clients', () => {
  it('have the form of an id, so that authctl takes them, and differ by region', () => {
    const ids = regionIds.map(syntheticClientId);
    expect(ids[0]).toBe('client_SyntheticCheck00000slc');
    expect(ids.every((id) => isId('client', id))).toBe(true);
    expect(new Set(ids).size).toBe(regionIds.length);
  });

  it('can be neither generated nor derived', () => {
    const largest = formatId('client', new Uint8Array(idBytes).fill(0xff));
    for (const id of regionIds.map(syntheticClientId)) expect(id > largest).toBe(true);
    fc.assert(
      fc.property(fc.uint8Array({ minLength: idBytes, maxLength: idBytes }), (bytes) => {
        expect(formatId('client', bytes) <= largest).toBe(true);
      }),
    );
  });
});

describe('a synthetic client on the token path', () => {
  it('has only its own authority, even if its record says more', () => {
    const client = makeClient({
      clientId: syntheticClientId('dfw'),
      scopes: ['messaging:manage'],
      audiences: [],
      serviceTrunkGroup: 'stg-1',
      tokenLifetime: 86_400,
    });
    expect(withoutSyntheticAuthority(client)).toEqual({ ...client, ...syntheticAuthority });
  });

  it('is the only kind that is changed', () => {
    const client = makeClient();
    expect(isSyntheticClientId(client.clientId)).toBe(false);
    expect(withoutSyntheticAuthority(client)).toBe(client);
  });

  it('has a scope that no catalogue can hold', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(scopePartPattern),
        fc.stringMatching(scopePartPattern),
        (service, permission) => {
          expect(syntheticAuthority.scopes).not.toContain(scopeName({ service, permission }));
        },
      ),
    );
  });
});
