import { describe, expect, it } from 'vitest';
import { workloads } from '../../lab/support/platforms/workloads.ts';
import { keylessCommands } from '../support/docs/keyless-commands.ts';

type Options = ReadonlyMap<string, readonly string[]>;

function optionsOf(words: readonly string[]): Options {
  const options = new Map<string, string[]>();
  for (const [index, word] of words.entries()) {
    if (!word.startsWith('--')) continue;
    const next = words[index + 1] ?? '';
    options.set(word, [...(options.get(word) ?? []), next.startsWith('--') ? '' : next]);
  }
  return options;
}

const registrations = keylessCommands
  .filter((words) => words.includes('register'))
  .map((words) => ({ url: words[words.indexOf('register') + 1] ?? '', options: optionsOf(words) }));

const clients = keylessCommands
  .filter((words) => words.includes('client') && words.includes('create'))
  .map(optionsOf);

/** What the platform's test registers and creates, in the words of the command line. */
function expectedClient({ document, client }: (typeof workloads)[number]) {
  return {
    provider: [document.issuer],
    id: [client.externalClientId],
    audiences: client.audiences,
    claims: (client.requiredClaims ?? []).flatMap(({ claim, values }) =>
      values.map((value) => `${claim}=${value}`),
    ),
  };
}

const documented = clients.map((options) => ({
  provider: options.get('--provider'),
  id: options.get('--external-client-id'),
  audiences: options.get('--audience'),
  claims: options.get('--require-claim') ?? [],
}));

describe('docs/keyless.md', () => {
  it.each(workloads)('has the commands that the test of $name runs', (platform) => {
    const { issuer } = platform.document;
    const registration = registrations.find(({ url }) => url.startsWith(issuer));
    const { choices } = platform;
    expect(registration?.options.get('--client-id-claim')).toEqual([choices.clientIdClaim]);
    if (choices.allowClientPatterns) {
      expect(registration?.options.has('--allow-client-patterns')).toBe(true);
    }
    expect(documented).toContainEqual(expectedClient(platform));
  });

  it('has no client that no test creates', () => {
    expect(documented).toHaveLength(workloads.length);
  });
});
