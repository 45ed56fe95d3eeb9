/**
 * Body of `/health` when a region can issue tokens. Any other response takes the region out of the
 * default routing.
 */
export const healthyBody = { status: 'ok' } as const;

/** The text that Route 53 searches for in the first 5,120 bytes of the body. */
export const healthySearchString = JSON.stringify(healthyBody);
