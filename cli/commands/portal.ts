import { createInterface } from 'node:readline';
import type { Cli } from '../cli.ts';
import { command, option } from '../command-spec.ts';
import { refuseUsage } from '../usage-error.ts';

const maxPort = 65_535;

function readPort(text = '0'): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= maxPort) return port;
  return refuseUsage('--port', text, `0 to ${maxPort}`);
}

/** Prints a new link each time the user presses Enter, because the previous one may be used up. */
function offerLinks(cli: Cli, createLink: () => string): void {
  if (cli.io.stdin.isTTY !== true) return;
  const lines = createInterface({ input: cli.io.stdin });
  lines.on('line', () => cli.output.warn(`Portal  ${createLink()}`));
}

/** Runs until a signal ends it. */
export const portalCommand = command({
  name: 'portal',
  summary: 'Run the web portal on this machine, with your own AWS credentials',
  options: [option('--port <number>', 'port on 127.0.0.1; default: a free one')],
  examples: ['portal', 'portal --port 8085', 'portal --local'],
  run: async (cli, _, options) => {
    const port = readPort(options.port);
    const { openPortal } = await import('../open-portal.ts');
    const { origin, address, person, createLink } = await openPortal(cli, port);
    const url = createLink();
    cli.output.print({
      json: { origin, address, url, person },
      quiet: [url],
      text: `Portal  ${url}`,
    });
    cli.output.note(
      `You are ${person}. The link signs in one browser, once, within a minute. Press Enter for another link, Ctrl-C to stop.`,
    );
    offerLinks(cli, createLink);
    // The server keeps the process alive.
    await new Promise(() => undefined);
  },
});
