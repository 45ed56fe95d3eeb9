/**
 * The project's own packages in its lockfile: the root, its workspaces, and the links to them. A
 * bill of materials names a workspace after its folder.
 */
const own =
  /^$|^lab$|^portal$|^verifier$|^packages\/[\w-]+$|^node_modules\/(?:@authorization-server-aws\/[\w-]+|constructs-|verifier|authctl|lab|portal)$/;

/** Whether an entry of the lockfile, by its path, is another project's package. */
export function isOfOthers(path: string): boolean {
  return !own.test(path);
}
