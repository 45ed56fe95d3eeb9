/**
 * The project's own packages in its lockfile: the root, the verifier's, and the link to it. A bill
 * of materials names the verifier's after its folder.
 */
const own = /^$|^verifier$|^node_modules\/(?:authorization-server-)?verifier$/;

/** Whether an entry of the lockfile, by its path, is another project's package. */
export function isOfOthers(path: string): boolean {
  return !own.test(path);
}
