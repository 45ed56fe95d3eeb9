import type { ApiKeySubnet } from '../api-key/api-key.ts';
import { acceptsSource, type Subnet } from '../api-key/subnet.ts';

/**
 * Whether every address of one block lies in the other. Two blocks are either nested or
 * disjoint, so the first address and the prefix length decide.
 */
function contains(outer: Subnet, inner: Subnet): boolean {
  return outer.prefixLength <= inner.prefixLength && acceptsSource([outer], inner.address);
}

function liesIn(subnet: Subnet, list: readonly Subnet[]): boolean {
  return list.some((one) => contains(one, subnet));
}

/**
 * The sources that both lists of an API key accept, as a list. An empty list accepts every source.
 *
 * @returns undefined if no source is in both, because no list can express that.
 */
export function commonSubnets(
  a: readonly ApiKeySubnet[],
  b: readonly ApiKeySubnet[],
): readonly ApiKeySubnet[] | undefined {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const ofA = a.filter((one) => liesIn(one, b));
  const ofB = b.filter((one) => liesIn(one, a) && !liesIn(one, ofA));
  const common = [...ofA, ...ofB];
  return common.length === 0 ? undefined : common;
}
