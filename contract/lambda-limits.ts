/**
 * Synchronous requests a second that Lambda lets one execution serve, however short they are ("Lambda
 * quotas" of its developer guide). So concurrency limits the rate also of functions that take
 * milliseconds.
 */
export const requestsOfExecution = 10;

/**
 * Bytes of the resource policy of a function's alias:
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html, November 2026.
 */
export const maxAliasPolicyBytes = 20_480;

/**
 * Executions that Lambda keeps for functions without a reservation; all of them, if an account has
 * fewer: https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html, November 2026.
 */
export const leastUnreserved = 100;
