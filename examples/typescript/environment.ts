/** What `demo.env` of the local run says, or your own environment. */
export function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: set -a; . .local/demo.env; set +a`);
  return value;
}
