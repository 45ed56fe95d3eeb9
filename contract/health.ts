/**
 * Body of `/health` when a region can issue tokens. Any response with a status of 400 or more takes
 * the region out of the default routing.
 */
export const healthyBody = { status: 'ok' } as const;

/** Outcome of such a request. Only the access log of the API has it. */
export const healthyOutcome = 'healthy';

/** The event of the token function's self-test: it signs a token for no client and verifies it. */
export const selfTestEvent = { action: 'self-test' } as const;
