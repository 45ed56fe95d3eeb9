/** Does nothing: what its process takes is the runtime's own loop. */
export function handler(): Promise<{ statusCode: number }> {
  return Promise.resolve({ statusCode: 200 });
}
