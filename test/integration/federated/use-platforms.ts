import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll } from 'vitest';
import {
  type PlatformCopies,
  type PlatformCopy,
  startPlatformCopies,
} from '../../../lab/support/platforms/platform-copies.ts';
import { keylessCommands } from '../../support/docs/keyless-commands.ts';
import type { LocalCli } from '../cli/use-authctl.ts';

/**
 * The commands of docs/keyless.md that register a platform, or create its client, as arguments of
 * `authctl`. Only the issuer is the copy's.
 */
function commandsOf(verb: 'register' | 'create', { platform, issuer }: PlatformCopy) {
  const published = platform.document.issuer;
  return keylessCommands
    .filter((words) => words.includes(verb) && words.some((word) => word.startsWith(published)))
    .map((words) => words.slice(words.indexOf('authctl') + 1))
    .map((words) => words.map((word) => word.replace(published, issuer)))
    .map((words) => words.map((word) => word.replace('calls:view', 'messaging:view')))
    .filter((words) => verb === 'register' || words.includes(platform.client.externalClientId));
}

/** Copies of all platforms, each with an issuer and a client of its own in the local run. */
export function usePlatforms({ json }: Pick<LocalCli, 'json'>) {
  let copies: PlatformCopies | undefined;
  const clientIds = new Map<PlatformCopy, string>();
  beforeAll(async () => {
    copies = await startPlatformCopies();
    setDefaultCACertificates([...getCACertificates('default'), copies.ca]);
    for (const copy of copies.copies) {
      for (const command of commandsOf('register', copy)) await json(command);
      for (const command of commandsOf('create', copy)) {
        clientIds.set(copy, String((await json(command))['client_id']));
      }
    }
  });
  afterAll(() => copies?.close());
  return {
    copies: (): PlatformCopies => {
      if (copies === undefined) throw new Error('the copies have not started');
      return copies;
    },
    find: (name: string) => {
      const copy = copies?.copies.find(({ platform }) => platform.name === name);
      const clientId = copy && clientIds.get(copy);
      if (copy === undefined || clientId === undefined) throw new Error(`no platform ${name}`);
      return { copy, clientId };
    },
  };
}

export const seconds = (): number => Math.floor(Date.now() / 1000);
