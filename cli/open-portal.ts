import { servePortalOnLoopback } from '../portal/serve-on-loopback.ts';
import type { Cli } from './cli.ts';
import { createGetCaller } from './get-caller.ts';
import { openManagement } from './open-management.ts';
import { UsageError } from './usage-error.ts';

/**
 * The portal of a deployment on loopback. As for every other command, IAM decides what is allowed,
 * and the audit names the AWS caller.
 *
 * @throws {UsageError} if the port is taken.
 */
export async function openPortal(cli: Cli, port: number) {
  const deployment = cli.deployment();
  const management = await openManagement(
    // A user waits for each page.
    { ...deployment, aws: { ...deployment.aws, profile: 'request' } },
    { warn: (text) => cli.output.warn(text) },
  );
  const person = await createGetCaller(deployment)();
  try {
    const portal = await servePortalOnLoopback({
      management,
      person: { name: person, role: 'administrator', trunkGroups: cli.options.onlyTrunkGroup },
      port,
      signInHint:
        'A link signs in one browser, once, within a minute. Press Enter in the terminal of authctl portal for another one.',
      onFault: (error) => cli.output.warn(`portal: ${String(error)}`),
    });
    return { ...portal, person };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new UsageError(`--port: ${port} is in use; omit it to use a free one`, { cause: error });
  }
}
