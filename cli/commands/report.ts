import { compareEnds, type ExpiringCredential } from '../../core/credential/credential-ends.ts';
import { formatTime } from '../../core/time.ts';
import { type CommandGroup, command, option } from '../command-spec.ts';
import type { ListForm } from '../output.ts';
import { readItems } from './list-options.ts';

function viewExpiring({ kind, name, id, valueId, ...one }: ExpiringCredential) {
  return {
    credential: kind,
    service_trunk_group: one.serviceTrunkGroup,
    ...(kind === 'client_secret'
      ? { client_id: id, client_name: name, secret_id: valueId }
      : { key_id: id, key_name: name, value_id: valueId }),
    expires_at: formatTime(one.expiresAt),
  };
}

const expiring = command({
  name: 'expiring',
  summary: 'List the secrets and API keys that work and expire within 30 days',
  options: [option('--trunk-group <group>', 'only of this service trunk group')],
  examples: ['report expiring', 'report expiring --trunk-group tg-1001 --json'],
  run: async (cli, _, { trunkGroup }) => {
    const pages = readItems(cli.output, (cursor) =>
      cli.management.listExpiring({ trunkGroup, cursor }),
    );
    const form: ListForm<ExpiringCredential> = {
      view: viewExpiring,
      id: ({ id, valueId }) => valueId ?? id,
      columns: {
        expires: ({ expiresAt }) => formatTime(expiresAt),
        'trunk group': ({ serviceTrunkGroup }) => serviceTrunkGroup,
        'client or API key': ({ name }) => name,
        id: ({ id }) => id,
        'secret or old value': ({ valueId }) => valueId,
      },
      none: 'Nothing expires within 30 days.',
    };
    await cli.output.printPages(pages, () => form, compareEnds);
  },
});

export const reportCommands: CommandGroup = {
  name: 'report',
  summary: 'Show what needs attention',
  commands: [expiring],
};
