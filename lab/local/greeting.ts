import { type DeploymentConfig, deployedRegions } from '../../contract/deployment-config.ts';
import type { RotationReport } from '../../contract/function-events.ts';
import { quoteWord } from '../../contract/shell-word.ts';
import type { FaultScript } from '../emulator/faults/fault-script.ts';
import type { RequestNote } from '../emulator/gateway/gateway-server.ts';
import { docsPath } from './docs-page.ts';
import type { Edition } from './edition.ts';
import { exampleScopes, servedRegion } from './local-deployment.ts';
import { rotationDemo } from './rotation-demo.ts';
import type { LocalRun } from './start-local.ts';

/** Commands for any folder: one gets a token, the other uses the API key. Secrets stay in their file. */
function describeCommands({ paths, caPath, tokenUrl, exampleUrl }: LocalRun) {
  const file = quoteWord(paths.demoEnvironment);
  const curl = caPath === undefined ? 'curl' : `curl --cacert ${quoteWord(caPath)}`;
  return {
    token: `${curl} -u "$(. ${file}; echo "$CLIENT_ID:$CLIENT_SECRET")" -d grant_type=client_credentials ${tokenUrl}`,
    example: `${curl} -H "Authorization: Bearer $(. ${file}; echo "$API_KEY")" ${exampleUrl}`,
  };
}

/** The link signs in, so it is only shown in this terminal. */
function describePortal({ portalUrl, loginPortalUrl }: LocalRun): string {
  const own = portalUrl === undefined ? '' : `  Portal      ${portalUrl}\n`;
  const login =
    loginPortalUrl === undefined
      ? ''
      : `  Customers   ${loginPortalUrl}, their portal: choose who you are at its login\n`;
  return own + login;
}

/** The text in the terminal when everything runs. */
export function greet(
  local: LocalRun,
  { withFlags }: Pick<Edition, 'withFlags'>,
  config?: DeploymentConfig,
): string {
  const { paths } = local;
  const commands = describeCommands(local);
  // A command that is refused would be the first that a reader tries.
  const isKeysOnly = config?.clientKeys?.only === true;
  return `The authorization server runs on this machine.

  Issuer      ${local.issuer}
  Token URL   ${local.tokenUrl}
  Discovery   ${local.issuer}/.well-known/openid-configuration
  JWKS        ${local.jwksUri}
  Example API ${local.exampleUrl}, which takes the token or the API key
  Reference   ${local.issuer}${docsPath}, in a browser
  Client      ${local.clientId}, its secret is in ${quoteWord(paths.demoEnvironment)}
${describePortal(local)}
${
  isKeysOnly
    ? `Clients get tokens only with keys: docs/fapi.md has the commands.

Use the API key of the file:`
    : `Get a token, from another terminal:

  ${commands.token}

Use one, or the API key of the file:`
}

  ${commands.example}

Everything another terminal needs: set -a; . ${quoteWord(paths.demoEnvironment)}; set +a
The functions log to ${quoteWord(paths.log)}.
Stop with Ctrl-C. The state stays in ${quoteWord(paths.directory)}; ${withFlags} --reset starts from nothing.
`;
}

/** Additional text when a deployment's own config runs. */
export function configHint(path: string, config: DeploymentConfig): string {
  const { id, awsRegion } = servedRegion(config);
  const others = deployedRegions(config).length > 1 ? ', the first of its regions' : '';
  const [view, manage = view] = exampleScopes(config);
  return `
The deployment is that of ${quoteWord(path)}: ${id} in ${awsRegion}${others}, with ${config.scopes.length === 1 ? 'one scope' : `${config.scopes.length} scopes`}. GET of the
example API needs ${view}, POST ${manage}. Start again after a change of the file.
`;
}

/** Seconds for which a verifier may cache the JWKS of the demonstration. */
const verifierCache = rotationDemo.signingKeyPolicy?.verifierCache ?? 0;

/** Additional text when keys live for minutes. */
export const rotationDemoHint = `
Signing keys live for four minutes and tokens for 20 seconds. Watch them, from another terminal:

  npx --no -- authctl --local signing-key list --watch

Verifiers that keep the JWKS for more than ${verifierCache} seconds cannot follow. Many libraries keep it for
minutes: they refuse the tokens of a new key until they fetch again.
`;

/** Additional text when faults are on, because failures are then intended. */
export function faultsHint(path: string, { rules }: Pick<FaultScript, 'rules'>): string {
  const count = rules.length === 1 ? '1 rule' : `${rules.length} rules`;
  return `
Faults are on: DynamoDB, KMS and the clock fail as ${quoteWord(path)} says (${count}).
`;
}

/** One line of the terminal for one request. */
export function describeRequest({ method, path, status, milliseconds }: RequestNote): string {
  return `${method} ${path} ${status} ${Math.round(milliseconds)} ms`;
}

/** Steps of the key rotation in words. Other steps are not shown. */
const steps: ReadonlyMap<string, string> = new Map([
  ['publish', 'is published'],
  ['promote', 'signs from now on'],
  ['retire', 'no longer signs; its tokens still verify'],
  ['withdraw', 'has left the JWKS'],
  ['disable', 'is disabled in KMS'],
  ['schedule_deletion', 'will be deleted in KMS'],
]);

/** A line of the terminal for each step of a key's life that a run of the rotation took. */
export function describeRotation({ done, refused }: RotationReport): string {
  const taken = done.flatMap(({ action, subject }) => {
    const meaning = steps.get(action);
    return meaning === undefined ? [] : [`signing key ${subject} ${meaning}\n`];
  });
  return [...taken, ...refused.map(({ reason }) => `signing key ${reason}\n`)].join('');
}
