import { createManagement } from '../../adapters/management.ts';
import { createCallerIdentity } from '../../adapters/sts/caller-proof.ts';
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

/** The portal of a local run, and the link into it. */
interface LocalPortal {
  readonly url: string;
  close(): Promise<void>;
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
export async function startLocalPortal(options: LocalPortalOptions): Promise<LocalPortal> {
  const { config, aws, log } = options;
  const name = await createCallerIdentity(forSetUp(aws))();
  const management = createManagement({
    config,
    aws,
    alias: 'administrator',
    onMalformedRecord: (error) => log.writeError('portal', error),
    onAuditGap: ({ recordId }) =>
      log.writeError('portal', new Error(`the audit has no outcome of ${recordId}`)),
  });
  const portal = await serve(options.port, (port) =>
    servePortalOnLoopback({
      management,
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
