/**
 * The time that decides whether a key leaves the JWKS: the earlier of two clocks. When a host's
 * clock is ahead, it still publishes every key whose tokens are valid. A missing time is ignored.
 */
export function publicationTime(ownClock: number, gatewayClock: number): number {
  return Number.isNaN(gatewayClock) ? ownClock : Math.min(ownClock, gatewayClock);
}
