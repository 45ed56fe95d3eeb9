/**
 * Synchronous requests a second that Lambda lets one execution serve, however short they are ("Lambda
 * quotas" of its developer guide). So concurrency limits the rate also of functions that take
 * milliseconds.
 */
export const requestsOfExecution = 10;
