/**
 * The shortest prefixes that meet the limit `requireSubnet`: a large organization's own block of
 * either family. 100 such blocks are 0.2 % of all IPv4 addresses; two blocks of /1 are all of them.
 */
export const requiredSubnetPrefix = { ipv4: 16, ipv6: 32 } as const;

/** What {@link requiredSubnetPrefix} asks of each subnet, for people. */
export const requiredSubnetText = `each /${requiredSubnetPrefix.ipv4} or longer (IPv6: /${requiredSubnetPrefix.ipv6} or longer)`;
