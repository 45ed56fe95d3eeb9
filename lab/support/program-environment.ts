/**
 * What a program that is started here has of this process: where commands are, and what Node
 * compiled before, which saves half of the CPU time of a start.
 */
export function programEnvironment(): Readonly<Record<string, string>> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  return { PATH, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }) };
}
