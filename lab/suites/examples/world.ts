import { join } from 'node:path';
import type { LocalRun } from '../../local/start-local.ts';
import { hangLimit } from '../../support/hang-limit.ts';
import { runCommand } from '../../support/run-command.ts';

const root = join(import.meta.dirname, '../../..');

/** What the examples meet: a service with TLS, and a client whose tokens live for a minute only. */
export interface World {
  readonly service: LocalRun;
  /** Environment of an example, the trust in the service's certificate included. */
  readonly environment: Readonly<Record<string, string>>;
  /** Credentials of the client whose tokens are always about to expire. */
  readonly shortLived: { readonly CLIENT_ID: string; readonly CLIENT_SECRET: string };
  /** How many tokens were asked for since the last call. */
  takeTokenRequests(): number;
}

/** What every library but Java's reads. Each replaces the list that the library would trust. */
function trust(caPath: string): Readonly<Record<string, string>> {
  return {
    NODE_EXTRA_CA_CERTS: caPath,
    CURL_CA_BUNDLE: caPath,
    SSL_CERT_FILE: caPath,
    REQUESTS_CA_BUNDLE: caPath,
  };
}

async function authctl(service: LocalRun, ...args: readonly string[]): Promise<string> {
  const command = [process.execPath, join(root, 'cli/authctl.ts'), '--quiet', ...args] as const;
  const { environment } = service;
  const { code, output } = await runCommand(command, { environment, timeout: hangLimit });
  if (code !== 0) throw new Error(`authctl ${args.join(' ')} failed: ${output}`);
  return output.trim();
}

export async function prepareWorld(
  service: LocalRun,
  takeTokenRequests: () => number,
): Promise<World> {
  const client = ['--name', 'Short', '--trunk-group', 'demo', '--scope', 'messaging:view'];
  const CLIENT_ID = await authctl(service, 'client', 'create', ...client, '--token-lifetime', '1m');
  const CLIENT_SECRET = await authctl(service, 'client-secret', 'create', CLIENT_ID);
  const environment = { ...service.environment, ...trust(service.caPath ?? '') };
  return { service, environment, shortLived: { CLIENT_ID, CLIENT_SECRET }, takeTokenRequests };
}
