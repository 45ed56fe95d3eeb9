import { viewExpiring } from '../../core/management/list-expiring.ts';
import type { ReportedCredential } from '../../core/notices/daily-report.ts';
import { formatTime } from '../../core/rfc3339.ts';
import { type CommandGroup, command, option } from '../command-spec.ts';
import { readPages } from './list-options.ts';

const expiring = command({
  name: 'expiring',
  summary: 'List the secrets and API keys that expire within 30 days, as of the last daily run',
  options: [option('--trunk-group <group>', 'only of this service trunk group')],
  examples: ['report expiring', 'report expiring --trunk-group tg-1001 --json'],
  run: async (cli, _, { trunkGroup }) => {
    const management = await cli.management();
    const pages = await readPages((cursor) => management.listExpiring({ trunkGroup, cursor }));
    const credentials = pages.flatMap(({ items }) => items);
    const { reportedAt } = pages.at(-1) ?? {};
    cli.output.printList<ReportedCredential>(credentials, {
      view: viewExpiring,
      id: (one) => (one.kind === 'api_key' ? one.keyId : one.secretId),
      columns: {
        expires: ({ expiresAt }) => formatTime(expiresAt),
        'trunk group': ({ serviceTrunkGroup }) => serviceTrunkGroup,
        'client or API key': (one) => (one.kind === 'api_key' ? one.keyName : one.clientName),
        id: (one) => (one.kind === 'api_key' ? one.keyId : one.clientId),
        'secret or old value': (one) => (one.kind === 'api_key' ? one.valueId : one.secretId),
        'last used': ({ lastUsedOn }) => lastUsedOn,
      },
      none:
        reportedAt === undefined
          ? 'There is no report: no daily run has been made yet.'
          : `The daily run at ${formatTime(reportedAt)} found nothing that expires within 30 days. authctl client list --expires-within 30d reads the clients as they are now.`,
    });
    if (reportedAt !== undefined && credentials.length > 0)
      cli.output.note(`As of ${formatTime(reportedAt)}.`);
  },
});

export const reportCommands: CommandGroup = {
  name: 'report',
  summary: 'Show what the daily run has found',
  commands: [expiring],
};
