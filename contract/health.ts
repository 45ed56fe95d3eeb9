/** Body of `/health` while a region issues tokens; any other answer keeps the region out. */
export const healthyBody = { status: 'ok' } as const;

/** What Route 53 looks for in the first 5,120 bytes of the body. */
export const healthySearchString = JSON.stringify(healthyBody);
