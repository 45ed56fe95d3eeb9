import type { GrantList } from '../../core/identity-provider/grant.ts';
import type { OutsideClient } from '../../core/management/grants/grant-lists.ts';
import { collect } from '../../core/paging.ts';
import type { Cli } from '../cli.ts';
import { command, type OptionValues, option, repeatable } from '../command-spec.ts';
import { UsageError } from '../usage-error.ts';
import { readItems, readPages } from './list-options.ts';
import { ifVersionOption } from './record-commands.ts';

const issuer = ['issuer', 'issuer of a registered provider, exactly as registered'] as const;

function groupOptions() {
  return [
    repeatable('--trunk-group <group>', 'all that have it; may be repeated', 'trunkGroups'),
    option('--withdraw', 'no trunk group has it any more').conflicts('trunkGroup'),
    ifVersionOption('list of grants'),
  ] as const;
}

function groupsOf({
  trunkGroup,
  withdraw,
}: OptionValues<ReturnType<typeof groupOptions>>): readonly string[] {
  if (trunkGroup !== undefined || withdraw === true) return trunkGroup ?? [];
  throw new UsageError('nothing to change; add --trunk-group or --withdraw');
}

function viewGrants({ kind, place, grants, version }: GrantList): Record<string, unknown> {
  return {
    kind,
    place,
    grants: grants.map(({ value, trunkGroups }) => ({ value, service_trunk_groups: trunkGroups })),
    version,
  };
}

function viewOutside(client: OutsideClient): Record<string, unknown> {
  return {
    client_id: client.clientId,
    name: client.name,
    service_trunk_group: client.serviceTrunkGroup,
    enabled: client.enabled,
    issuer: client.issuer,
    subject: client.subject,
    granted_to: client.grantedTo,
  };
}

/** @param others clients of other trunk groups that keep an id of the grant. */
function printGrants(cli: Cli, lists: readonly GrantList[], others?: readonly OutsideClient[]) {
  const rows = lists.flatMap(({ place, grants }) =>
    grants.map(({ value, trunkGroups }) => [place, value, trunkGroups.join(' ')]),
  );
  const views = lists.map(viewGrants);
  cli.output.print({
    json:
      others === undefined
        ? { items: views }
        : { ...views[0], other_clients: others.map(viewOutside) },
    quiet: rows.map(([, value = '']) => value),
    text:
      rows.length === 0
        ? 'Nothing is granted.'
        : cli.output.table(['at', 'granted', 'trunk groups'], rows),
  });
  for (const { clientId, name, serviceTrunkGroup } of others ?? []) {
    cli.output.note(`${clientId} (${name}) of ${serviceTrunkGroup} has such an id, too.`);
  }
}

const grant = command({
  name: 'grant',
  summary: 'Give client ids at a provider to trunk groups, which may then create such clients',
  arguments: [
    issuer,
    ['client-id', 'a client id there; one that ends at / or : stands for all that begin with it'],
  ],
  options: [
    ...groupOptions(),
    repeatable(
      '--disable <client>',
      'disables a client of another trunk group with such an id',
      'clients',
    ),
    repeatable('--delete <client>', 'deletes such a client'),
    repeatable('--leave <client>', 'leaves such a client as it is'),
  ],
  examples: [
    'provider grant https://token.actions.githubusercontent.com repo:acme/ --trunk-group tg-1001',
    'provider grant https://token.actions.githubusercontent.com repo:acme/ --withdraw',
  ],
  run: async (cli, [at, value], options) => {
    const trunkGroups = groupsOf(options);
    const decided = (['disable', 'delete', 'leave'] as const).flatMap((action) =>
      (options[action] ?? []).map((clientId) => ({ clientId, action })),
    );
    const deleted = options.delete ?? [];
    if (deleted.length > 0) await cli.confirm(`Delete ${deleted.join(', ')}?`);
    const { otherClients, ...list } = await cli.management.setSubjectGrant(at, {
      value,
      trunkGroups,
      clients: decided,
      ifVersion: options.ifVersion,
    });
    printGrants(cli, [list], otherClients);
  },
});

const grantIssuer = command({
  name: 'grant-issuer',
  summary: 'Let trunk groups register an issuer, and those below its path, for themselves',
  arguments: [['issuer', 'https URL of the issuer, without a slash at the end']],
  options: [
    ...groupOptions(),
    repeatable('--leave <issuer>', 'another trunk group keeps this provider there'),
  ],
  examples: [
    'provider grant-issuer https://sso.example.com/realms/acme --trunk-group tg-1001',
    'provider grant-issuer https://sso.example.com/realms/acme --withdraw',
  ],
  run: async (cli, [at], options) => {
    const trunkGroups = groupsOf(options);
    const { leave, ifVersion } = options;
    printGrants(cli, [await cli.management.setIssuerGrant(at, { trunkGroups, leave, ifVersion })]);
  },
});

const grants = command({
  name: 'grants',
  summary: 'List what is granted: client ids by issuer, and issuers by host',
  examples: ['provider grants'],
  run: async (cli) => {
    const lists: GrantList[] = [];
    for (const kind of ['subject', 'issuer'] as const) {
      const read = (cursor?: string) => cli.management.listGrants({ kind, cursor });
      lists.push(...(await collect(readItems(cli.output, read))).flat());
    }
    printGrants(cli, lists);
  },
});

const check = command({
  name: 'check',
  summary: 'Show clients whose ids at a provider are not granted to their trunk groups',
  options: [option('--issuer <issuer>', 'only clients under this provider')],
  examples: ['provider check'],
  run: async (cli, _, { issuer: at }) => {
    const read = (cursor?: string) => cli.management.checkGrants({ issuer: at, cursor });
    const pages = await collect(readPages(cli.output, read));
    const outside = pages.flatMap(({ items }) => items);
    const providers = pages.flatMap((page) => page.providers);
    const rows = outside.map(({ clientId, name, serviceTrunkGroup, ...client }) => [
      clientId,
      name,
      serviceTrunkGroup,
      client.issuer,
      client.subject,
      client.grantedTo.join(' ') || 'none',
    ]);
    const head = ['client', 'name', 'trunk group', 'issuer', 'id there', 'granted to'];
    cli.output.print({
      json: {
        items: outside.map(viewOutside),
        providers: providers.map(({ issuer: one, trunkGroups }) => ({
          issuer: one,
          service_trunk_groups: trunkGroups,
        })),
      },
      quiet: outside.map(({ clientId }) => clientId),
      text: rows.length === 0 ? 'Every client is within its grants.' : cli.output.table(head, rows),
    });
    for (const { issuer: one, trunkGroups } of providers) {
      cli.output.note(
        `${one} is registered for ${trunkGroups.join(', ')} without a grant: authctl provider grant-issuer`,
      );
    }
  },
});

export const grantCommands = [grant, grantIssuer, grants, check];
