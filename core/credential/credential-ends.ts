import type * as v from 'valibot';
import type { expiringPage } from '../../contract/management/results.ts';
import { isSyntheticClientId } from '../../contract/synthetic-check.ts';
import { apiKeyUseId } from '../../contract/tables.ts';
import type { ApiKey } from '../api-key/api-key.ts';
import type { Client } from '../client/client.ts';
import type { StorePage } from '../paging.ts';
import { isEnabled } from '../stops.ts';

/**
 * The ends of what is enabled and expires, by id: seconds since the epoch. The index by trunk group
 * has them, so that an order by expiry reads no client and no key.
 */
export type CredentialEnds = Readonly<Record<string, number>>;

/** Of a client's secrets. Those of a synthetic check live for minutes. */
export function secretEnds(client: Client): CredentialEnds {
  if (!isEnabled(client) || isSyntheticClientId(client.clientId)) return {};
  return Object.fromEntries(
    client.secrets
      .filter(isEnabled)
      .flatMap(({ secretId, expiresAt }) =>
        expiresAt === undefined ? [] : [[secretId, expiresAt] as const],
      ),
  );
}

/** Of an API key, and of its values that a rotation has replaced and that expire before it. */
export function apiKeyEnds(key: ApiKey): CredentialEnds {
  const { keyId, expiresAt, oldValues = [] } = key;
  if (!isEnabled(key)) return {};
  const old = oldValues.filter((value) => value.expiresAt < (expiresAt ?? Infinity));
  return {
    ...(expiresAt !== undefined && { [keyId]: expiresAt }),
    ...Object.fromEntries(old.map((one) => [apiKeyUseId(keyId, one.valueId), one.expiresAt])),
  };
}

/** A secret, or an API key or a replaced value of it, that is enabled and expires. */
export type ExpiringCredential = v.InferOutput<typeof expiringPage>['items'][number];

/** What ends first is first. */
export function compareEnds(a: ExpiringCredential, b: ExpiringCredential): number {
  const idOf = ({ id, valueId = '' }: ExpiringCredential) => `${id}/${valueId}`;
  return a.expiresAt - b.expiresAt || (idOf(a) < idOf(b) ? -1 : 1);
}

interface EndsQuery {
  /** Undefined: all. */
  readonly trunkGroups?: readonly string[] | undefined;
  /** Only what ends after the first and not after the second, in seconds since the epoch. */
  readonly between: readonly [after: number, until: number];
  /** `next` of the page before. */
  readonly after?: string | undefined;
}

/** What is known of the ends of credentials without reading any. */
export interface CredentialEndReader {
  /**
   * A page of them, in no order. An index follows its table a moment later.
   *
   * @throws {InputError} for a position of another list.
   */
  readEnds(query: EndsQuery): Promise<StorePage<ExpiringCredential>>;
}
