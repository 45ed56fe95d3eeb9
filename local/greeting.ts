import type { RequestNote } from './gateway/gateway-server.ts';
import type { LocalRun } from './start-local.ts';

/** A path as a POSIX shell takes it. */
function shellPath(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

/** A command that gets a token, from any folder of this machine; the secret stays in its file. */
export function tokenCommand(local: LocalRun): string {
  const file = shellPath(local.paths.demoEnvironment);
  const trust = local.caPath === undefined ? '' : `--cacert ${shellPath(local.caPath)} `;
  return `curl ${trust}-u "$(. ${file}; echo "$CLIENT_ID:$CLIENT_SECRET")" -d grant_type=client_credentials ${local.tokenUrl}`;
}

/** A command that uses a credential: the API key, as it needs no step before. */
export function exampleCommand(local: LocalRun): string {
  const file = shellPath(local.paths.demoEnvironment);
  const trust = local.caPath === undefined ? '' : `--cacert ${shellPath(local.caPath)} `;
  return `curl ${trust}-H "Authorization: Bearer $(. ${file}; echo "$API_KEY")" ${local.exampleUrl}`;
}

/** What the terminal shows once everything runs. */
export function greet(local: LocalRun): string {
  const { paths } = local;
  return `The authorization server runs on this machine.

  Issuer      ${local.issuer}
  Token URL   ${local.tokenUrl}
  Discovery   ${local.issuer}/.well-known/openid-configuration
  JWKS        ${local.jwksUri}
  Example API ${local.exampleUrl}, which takes the token or the API key
  Client      ${local.clientId}, its secret is in ${shellPath(paths.demoEnvironment)}

Get a token, from another terminal:

  ${tokenCommand(local)}

Use one, or the API key of the file:

  ${exampleCommand(local)}

Everything another terminal needs: set -a; . ${shellPath(paths.demoEnvironment)}; set +a
The functions log to ${shellPath(paths.log)}.
Stop with Ctrl-C. The state stays in ${shellPath(paths.directory)}; npm start -- --reset starts from nothing.
`;
}

/** One line of the terminal for one request. */
export function describeRequest({ method, path, status, milliseconds }: RequestNote): string {
  return `${method} ${path} ${status} ${Math.round(milliseconds)} ms`;
}
