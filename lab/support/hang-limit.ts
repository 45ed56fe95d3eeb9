/**
 * Milliseconds after which a test or a hook counts as hung. A timeout in the tests does nothing
 * else: the slowest file takes a minute, and a busy machine may be ten times slower.
 */
export const hangLimit = 900_000;

/** The same for one step of a test, which fails first and says what it waited for. */
export const stepLimit = hangLimit / 3;
