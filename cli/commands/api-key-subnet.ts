import type { ApiKeySubnet } from '../../core/api-key/api-key.ts';
import { formatCidr, formatNetmask } from '../../core/api-key/subnet.ts';
import { viewSubnet } from '../../core/management/api-key-view.ts';
import { getSubnet } from '../../core/management/api-keys.ts';
import { type CommandGroup, command, mandatory, option } from '../command-spec.ts';
import type { Cell } from '../output.ts';
import { ifVersionOption } from './record-commands.ts';

const keyId = ['key-id', 'id of the API key, key_...'] as const;

function fieldsOf(subnet: ApiKeySubnet): readonly (readonly [string, Cell])[] {
  return [
    ['subnet_id', subnet.subnetId],
    ['name', subnet.name],
    ['address', subnet.address],
    ['netmask', formatNetmask(subnet)],
    ['prefix length', subnet.prefixLength],
  ];
}

const add = command({
  name: 'add',
  summary: 'Let one more subnet use an API key',
  arguments: [keyId],
  options: [
    mandatory(option('--name <name>', 'name for people')),
    mandatory(option('--address <address>', 'IPv4 or IPv6 address')),
    option(
      '--netmask <netmask>',
      '255.255.255.0, or a prefix length; not needed if the address has one',
    ),
    ifVersionOption('API key'),
  ],
  examples: [
    'api-key-subnet add key_7HsLEXAMPLE --name office --address 203.0.113.0 --netmask 255.255.255.0',
    'api-key-subnet add key_7HsLEXAMPLE --name lab --address 2001:db8::/32',
  ],
  run: async (cli, [id], options) => {
    const { key, subnet, warnings } = await cli.management.addSubnet(id, {
      name: options.name,
      address: options.address,
      netmask: options.netmask,
      ifVersion: options.ifVersion,
    });
    cli.output.print({
      json: { key_id: id, ...viewSubnet(subnet) },
      quiet: [subnet.subnetId],
      text: cli.output.fields(fieldsOf(subnet)),
    });
    for (const warning of warnings) cli.output.warn(warning);
    if (key.subnets.length === 1) {
      cli.output.note(`Until now every source could use ${id}; from now on only this subnet can.`);
    }
  },
});

const list = command({
  name: 'list',
  summary: 'List the subnets that may use an API key',
  arguments: [keyId],
  examples: ['api-key-subnet list key_7HsLEXAMPLE'],
  run: async (cli, [id]) => {
    const key = await cli.management.findApiKey(id);
    cli.output.printList(key.subnets, {
      view: viewSubnet,
      id: (subnet) => subnet.subnetId,
      row: (subnet) => ({
        subnet_id: subnet.subnetId,
        name: subnet.name,
        address: subnet.address,
        netmask: formatNetmask(subnet),
        prefix: `/${subnet.prefixLength}`,
      }),
      none: `${id} has no subnets: every source may use it.`,
    });
  },
});

const remove = command({
  name: 'remove',
  summary: 'Remove a subnet from an API key',
  arguments: [keyId, ['subnet-id', 'id of the subnet, subnet_...']],
  options: [
    option('--allow-any-source', 'also remove the last subnet: every source may then use the key'),
    ifVersionOption('API key'),
  ],
  examples: ['api-key-subnet remove key_7HsLEXAMPLE subnet_2xPdEXAMPLE'],
  run: async (cli, [id, subnetId], { allowAnySource = false, ifVersion }) => {
    const key = await cli.management.findApiKey(id);
    const subnet = getSubnet(key, subnetId);
    const isLast = key.subnets.length === 1 && allowAnySource;
    await cli.confirm(
      `Remove ${formatCidr(subnet)} (${subnet.name}) from ${id}?${isLast ? ' Every source may use the key then.' : ''}`,
    );
    const { subnets } = await cli.management.removeSubnet(id, subnetId, {
      allowAnySource,
      ifVersion: ifVersion ?? key.version,
    });
    cli.output.print({
      json: { key_id: id, subnet_id: subnetId, removed: true, acl: subnets.map(viewSubnet) },
      quiet: [],
      text: `Removed ${formatCidr(subnet)}; ${subnets.length === 0 ? 'every source may use the key' : `${subnets.length} left`}.`,
    });
  },
});

export const apiKeySubnetCommands: CommandGroup = {
  name: 'api-key-subnet',
  summary: 'Manage the subnets that may use an API key',
  commands: [add, list, remove],
};
