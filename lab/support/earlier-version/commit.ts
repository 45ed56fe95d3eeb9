/**
 * The commit from which updates are drilled if none is named. It changes when a version is published:
 * an update from the last published version is what its users do.
 */
export const earlierCommit = 'd3694fc5c4428b045f164efae4b822518a270a83';
