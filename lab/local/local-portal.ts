import { createManagement, type Management } from '../../adapters/management.ts';
import { createCallerIdentity } from '../../adapters/sts/caller-identity.ts';
import type { DeploymentConfig } from '../../contract/deployment-config.ts';
import { type LoopbackPortal, servePortalOnLoopback } from '../../portal/serve-on-loopback.ts';
import { type PortChoice, portInUse } from '../emulator/loopback-server.ts';
import { forSetUp, type LocalAwsOptions } from './local-aws-options.ts';
import type { LogFile } from './log-file.ts';

export interface LocalPortalOptions {
  readonly config: DeploymentConfig;
  /** With the endpoint of Lambda. */
  readonly aws: LocalAwsOptions;
  readonly log: LogFile;
  /** Certificates to trust for providers in addition to those of Node, PEM. */
  readonly ca: string | undefined;
  readonly port: PortChoice;
}

/** Management through its function, as a portal uses it. Problems are lines of the log. */
export function openPortalManagement(
  { config, aws, log }: Omit<LocalPortalOptions, 'port'>,
  alias: 'administrator' | 'portal',
): Management {
  return createManagement({
    config,
    aws,
    alias,
    onMalformedRecord: (error) => log.writeError('portal', error),
    onAuditGap: ({ recordId }) =>
      log.writeError('portal', new Error(`the audit has no outcome of ${recordId}`)),
  });
}

/** Uses the port, or a free one if it is taken and any port is allowed. */
async function serve(
  { port, orFree }: PortChoice,
  run: (port: number) => Promise<LoopbackPortal>,
): Promise<LoopbackPortal> {
  try {
    return await run(port);
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    if (!isTaken) throw error;
    if (orFree === true) return run(0);
    throw portInUse(port, 'portal', { cause: error });
  }
}

/**
 * Starts the web portal of the local run, for its user. It works through the management function, as
 * `authctl portal` does. The link is valid for as long
 * as the portal runs. It is printed once, and stored in a file that only its owner can read.
 *
 * @throws {LocalRunError} if the port is taken.
 */
export async function startLocalPortal(options: LocalPortalOptions) {
  const { aws, log } = options;
  const name = await createCallerIdentity(forSetUp(aws))();
  const portal = await serve(options.port, (port) =>
    servePortalOnLoopback({
      management: openPortalManagement(options, 'administrator'),
      person: { name, role: 'administrator' },
      port,
      isLasting: true,
      signInHint: 'Open the link that npm start printed. It is in demo.env as well.',
      onRequest: (request) => log.write({ level: 'INFO', service: 'portal', ...request }),
      onFault: (error) => log.writeError('portal', error),
    }),
  );
  return { url: portal.createLink(), close: portal.close };
}
