/**
 * The commit from which updates are drilled if none is named. It changes when a version is published:
 * an update from the last published version is what its users do.
 */
export const earlierCommit = 'e3bfb4d2d94f6a4651b3c5459c718d93b1d63d43';
