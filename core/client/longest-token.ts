import type { Client } from './client.ts';

/**
 * The longest that a token of a client can still be valid, in seconds. A lowered lifetime is that of new
 * tokens only: after a change, a token of before it can have any lifetime that the deployment allows.
 *
 * @param most the longest lifetime that the deployment allows.
 */
export function longestTokenLeft(
  {
    tokenLifetime,
    createdAt,
    updatedAt,
  }: Pick<Client, 'tokenLifetime' | 'createdAt' | 'updatedAt'>,
  most: number,
  now: number,
): number {
  const isChanged = updatedAt > createdAt;
  const left = isChanged ? updatedAt + most - now : 0;
  return Math.max(tokenLifetime, Math.min(left, most));
}
