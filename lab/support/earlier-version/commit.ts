/**
 * The commit from which updates are drilled if none is named. It changes when a version is published:
 * an update from the last published version is what its users do.
 */
export const earlierCommit = '793dab2807d24ad0f89b0516cd944456a216a8b5';
