import { setTimeout as wait } from 'node:timers/promises';
import { trunkGroupMembers } from '../../contract/management/inputs.ts';
import { type CommandGroup, command } from '../command-spec.ts';
import { readItems } from './list-options.ts';

/** Milliseconds. Lists follow their tables within a second. */
const listsDelay = 2000;

const words = { clients: 'clients', apiKeys: 'API keys', providers: 'providers' } as const;

/** Passes repeat until one that began after the lists' delay finds nothing. */
function switchCommand(name: string, enabled: boolean, summary: string) {
  const said = enabled ? 'Resumed' : 'Stopped';
  return command({
    name,
    summary,
    arguments: [['trunk-group', 'service trunk group']],
    examples: [`trunk-group ${name} tg-1001`],
    run: async ({ management, output, confirm }, [group]) => {
      const { version } = await management.findTrunkGroupLimits(group);
      const options = enabled ? { ifVersion: version } : {};
      await confirm(`The trunk group ${group}: ${name} everything of it?`);
      if (!enabled) await management.setTrunkGroupEnabled(group, false);
      const done = { clients: new Set(), apiKeys: new Set(), providers: new Set() };
      const pass = async (): Promise<number> => {
        let found = 0;
        for (const members of trunkGroupMembers) {
          const read = (cursor: string | undefined) =>
            management.setTrunkGroupEnabled(group, enabled, { ...options, members, cursor });
          for await (const ids of readItems(output, read)) {
            ids.forEach((id) => done[members].add(id));
            found += ids.length;
            if (ids.length > 0) output.progress(`${said} ${done[members].size} ${words[members]}`);
          }
        }
        return found;
      };
      await pass();
      do await wait(listsDelay);
      while ((await pass()) > 0);
      if (enabled) await management.setTrunkGroupEnabled(group, true, options);
      const [clients, keys, providers] = Object.values(done).map(({ size }) => size);
      output.print({
        json: { service_trunk_group: group, stopped: !enabled, clients, api_keys: keys, providers },
        quiet: [group],
        text: `${said} ${clients} clients, ${keys} API keys, ${providers} providers of ${group}.`,
      });
    },
  });
}

export const trunkGroupCommands: CommandGroup = {
  name: 'trunk-group',
  summary: 'Stop and resume everything of a trunk group',
  commands: [
    switchCommand(
      'stop',
      false,
      'Stop all clients, API keys and own providers of a trunk group, and let nothing be made in it',
    ),
    switchCommand('resume', true, 'End the stop of a trunk group; other stops stay'),
  ],
};
