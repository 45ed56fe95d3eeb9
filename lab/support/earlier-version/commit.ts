/**
 * The commit from which updates are drilled if none is named. It changes when a version is published:
 * an update from the last published version is what its users do.
 */
export const earlierCommit = '4394c1273211958fb9498c7d6dc3aeec83ee1103';
