import { formatIpAddress, parseIpAddress } from '../network/ip-address.ts';
import { acceptsSource, formatCidr, type Subnet } from './subnet.ts';

/** Ranges that a platform API sees only if its callers are in the same network. */
const privateRanges = ['private', 'loopback', 'linkLocal', 'uniqueLocal', 'carrierGradeNat'];

/** Whether the subnets of one family are together every address of it, or all but a few. */
function coverAll(subnets: readonly Subnet[]): boolean {
  const distinct = subnets.filter(
    (one, index) =>
      !subnets.some(
        (other, at) =>
          at !== index &&
          (other.prefixLength < one.prefixLength ||
            (other.prefixLength === one.prefixLength && at < index)) &&
          acceptsSource([other], one.address),
      ),
  );
  return distinct.reduce((sum, { prefixLength }) => sum + 2 ** -prefixLength, 0) >= 1;
}

/**
 * What a person should know about a key's list of subnets: that it is no limit, or accepts none of
 * the callers that were meant. Nothing of it is refused.
 */
export function findSubnetWarnings(subnets: readonly Subnet[]): readonly string[] {
  if (subnets.length === 0) return ['Every address on the internet can use the key.'];
  const isOf6 = ({ address }: Subnet) => address.includes(':');
  const covered = [
    ...(coverAll(subnets.filter((one) => !isOf6(one))) ? ['IPv4'] : []),
    ...(coverAll(subnets.filter(isOf6)) ? ['IPv6'] : []),
  ];
  const isPrivate = ({ address }: Subnet) =>
    privateRanges.includes(parseIpAddress(address)?.range() ?? '');
  return [
    ...covered.map(
      (family) => `The subnets together are every ${family} address: they limit nothing.`,
    ),
    ...subnets
      .filter(isPrivate)
      .map(
        (one) =>
          `${formatCidr(one)} is a private range: an API sees such an address only of callers in its own network, and otherwise the public address of their gateway.`,
      ),
  ];
}

/** Says which network was stored, if bits of the address were cut. */
export function describeCut(typed: string, subnet: Subnet): string | undefined {
  const address = parseIpAddress(typed.split('/')[0]?.trim() ?? '');
  if (address === undefined || formatIpAddress(address) === subnet.address) return undefined;
  return `${typed} was stored as the network ${formatCidr(subnet)}.`;
}

/**
 * What a person should know after subnets were added to a key.
 *
 * @param typed the addresses as they were given, in the order of the subnets.
 * @param all the subnets of the key.
 */
export function warnAboutAdded(
  typed: readonly { readonly address: string }[],
  added: readonly Subnet[],
  all: readonly Subnet[] = added,
): readonly string[] {
  const cuts = added.flatMap((subnet, at) => describeCut(typed[at]?.address ?? '', subnet) ?? []);
  return [...cuts, ...findSubnetWarnings(all)];
}
