/**
 * The commit from which updates are drilled if none is named. It changes when a version is published:
 * an update from the last published version is what its users do.
 */
export const earlierCommit = '70751c73ddab1090487c864b57a0b84d188a9960';
