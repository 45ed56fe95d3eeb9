/**
 * The time by which a key leaves the JWKS: the earlier one of two clocks, so that a host whose clock
 * is ahead drops no key whose tokens are valid. A time that is missing is no time.
 */
export function publicationTime(ownClock: number, gatewayClock: number): number {
  return Number.isNaN(gatewayClock) ? ownClock : Math.min(ownClock, gatewayClock);
}
