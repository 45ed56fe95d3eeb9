/** Body of `/health` of a region that issues tokens. A status of 400 takes it out of service. */
export const healthyBody = { status: 'ok' } as const;

/** Outcome of such a request. Only the access log of the API has it. */
export const healthyOutcome = 'healthy';

/** The event of the token function's self-test: it signs a token for no client and verifies it. */
export const selfTestEvent = { action: 'self-test' } as const;
