/**
 * The commit from which updates are drilled if none is named. It changes when a version is published:
 * an update from the last published version is what its users do.
 */
export const earlierCommit = 'b7d3a3479df6360c87f85b273aa6adc737b67c9e';
