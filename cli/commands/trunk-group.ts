import { setTimeout as wait } from 'node:timers/promises';
import { trunkGroupMembers } from '../../contract/management/inputs.ts';
import type { Cli } from '../cli.ts';
import { type CommandGroup, command } from '../command-spec.ts';
import { readItems } from './list-options.ts';

const trunkGroup = ['trunk-group', 'service trunk group'] as const;

/** Milliseconds. Lists follow their tables within a second. */
const listsDelay = 2000;

const words = { clients: 'clients', apiKeys: 'API keys', providers: 'providers' } as const;

/** Stops or starts what a trunk group has, until a pass that began after the lists' delay finds nothing. */
async function switchMembers(cli: Cli, group: string, enabled: boolean, ifVersion?: number) {
  const { management, output } = cli;
  const done = { clients: new Set(), apiKeys: new Set(), providers: new Set() };
  const doing = enabled ? 'resumed' : 'stopped';
  const pass = async (): Promise<number> => {
    let found = 0;
    for (const members of trunkGroupMembers) {
      const read = (cursor: string | undefined) =>
        management.setTrunkGroupEnabled(group, enabled, { members, cursor, ifVersion });
      for await (const ids of readItems(output, read)) {
        found += ids.length;
        ids.forEach((id) => done[members].add(id));
        if (ids.length > 0) output.progress(`${done[members].size} ${words[members]} ${doing}`);
      }
    }
    return found;
  };
  await pass();
  do await wait(listsDelay);
  while ((await pass()) > 0);
  const counts = trunkGroupMembers.map((members) => `${done[members].size} ${words[members]}`);
  output.print({
    json: {
      service_trunk_group: group,
      stopped: !enabled,
      clients: done.clients.size,
      api_keys: done.apiKeys.size,
      providers: done.providers.size,
    },
    quiet: [group],
    text: `${enabled ? 'Resumed' : 'Stopped'} ${group}: ${counts.join(', ')}.`,
  });
}

/** Providers that a trunk group has together with others go on. */
async function nameShared({ management, output }: Cli, group: string): Promise<void> {
  for (const { issuer, owner } of await management.listProviders()) {
    const groups = owner?.trunkGroups ?? [];
    if (!groups.includes(group) || groups.length === 1) continue;
    output.note(`${issuer} goes on, because it is for ${groups.join(', ')}`);
  }
}

const stop = command({
  name: 'stop',
  summary:
    'Stop every client, API key and own provider of a trunk group, and let nothing be made in it',
  arguments: [trunkGroup],
  examples: ['trunk-group stop tg-1001'],
  run: async (cli, [group]) => {
    await cli.confirm(`Stop everything of the trunk group ${group}?`);
    await cli.management.setTrunkGroupEnabled(group, false);
    await switchMembers(cli, group, false);
    await nameShared(cli, group);
    cli.suggest(`trunk-group resume ${group}`);
  },
});

const resume = command({
  name: 'resume',
  summary: 'End the stop of a trunk group; what else stops something stays',
  arguments: [trunkGroup],
  examples: ['trunk-group resume tg-1001'],
  run: async (cli, [group]) => {
    const { version } = await cli.management.findTrunkGroupLimits(group);
    await cli.confirm(`Resume everything of the trunk group ${group}?`);
    await switchMembers(cli, group, true, version);
    await cli.management.setTrunkGroupEnabled(group, true, { ifVersion: version });
  },
});

export const trunkGroupCommands: CommandGroup = {
  name: 'trunk-group',
  summary: 'Stop and resume everything of a trunk group',
  commands: [stop, resume],
};
