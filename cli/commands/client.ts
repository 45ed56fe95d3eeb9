import { secondsOrTyped } from '../../core/duration.ts';
import { viewClient } from '../../core/management/client-view.ts';
import { formatTime } from '../../core/rfc3339.ts';
import { type CommandGroup, command, mandatory, option, repeatable } from '../command-spec.ts';
import { ifVersionOption } from '../if-version-option.ts';
import { UsageError } from '../usage-error.ts';
import { clientIdArgument, clientOptions, parseRequiredClaims } from './client-options.ts';
import { printClient, stopCommands } from './client-stop.ts';
import { collectPages, listFilterOptions, readListFilter } from './list-options.ts';

const create = command({
  name: 'create',
  summary: 'Create a client',
  options: [
    mandatory(clientOptions.name()),
    mandatory(option('--trunk-group <group>', 'service trunk group')),
    mandatory(clientOptions.scope()),
    clientOptions.tokenLifetime(),
    clientOptions.audience(),
    option('--provider <issuer>', 'registered identity provider that the client is under'),
    option('--external-client-id <id>', "the client's id at that provider, or a pattern"),
    clientOptions.requireClaim('what else a token of the provider must say'),
    option(
      '--allow-user-tokens',
      'without the rule that refuses tokens of people of a known provider',
    ),
    option(
      '--allow-other-grant',
      'also if its id at the provider is granted to another trunk group',
    ),
    clientOptions.idempotencyKey(),
  ],
  examples: [
    'client create --name Billing --trunk-group tg-1001 --scope messaging:view',
    'client create --name Dialer --trunk-group tg-7 --scope calls:view --scope calls:manage --token-lifetime 15m',
    'client create --name ERP --trunk-group tg-7 --scope calls:view --provider https://idp.example.com --external-client-id erp',
  ],
  run: async (cli, _, options) => {
    const { trunkGroup, tokenLifetime, scope, audience, requireClaim, ...rest } = options;
    const given = requireClaim && parseRequiredClaims(requireClaim);
    const management = await cli.management();
    const { client, existed } = await management.createClient({
      ...rest,
      serviceTrunkGroup: trunkGroup,
      scopes: scope,
      audiences: audience,
      requiredClaims: given,
      tokenLifetime: secondsOrTyped(tokenLifetime),
    });
    printClient(cli, client);
    const added = client.provider?.conditions?.slice(given?.length ?? 0) ?? [];
    if (!existed && added.length > 0) {
      const claims = added.map(({ claim, values }) => `${claim}=${values.join(' or ')}`);
      cli.output.note(
        `Required by the rule of the provider's platform: ${claims.join(' and ')}, which only tokens of the application itself have. --allow-user-tokens leaves it out.`,
      );
    }
    if (!existed && client.provider !== undefined && client.tokensNotBefore !== undefined) {
      cli.output.note(
        `Its tokens are those with an iat from ${formatTime(client.tokensNotBefore)} on: get a new one. A token without iat is always refused.`,
      );
    }
    if (existed) cli.output.note('An earlier call with this idempotency key created it.');
    else if (client.provider === undefined) {
      cli.suggest(`client-secret create ${client.clientId}`);
    }
  },
});

const list = command({
  name: 'list',
  summary: 'List clients',
  options: [
    ...listFilterOptions('clients with a secret that expires'),
    option('--provider <issuer>', 'only clients under this registered provider'),
    option(
      '--unused-for <duration>',
      'only clients with a secret not used for this time, e.g. 90d',
    ),
    option(
      '--allows-user-tokens',
      'only clients under a provider without a rule that refuses tokens of people',
    ),
  ],
  examples: [
    'client list',
    'client list --json',
    'client list --trunk-group tg-1001 --unused-for 90d',
  ],
  run: async (cli, _, options) => {
    const management = await cli.management();
    const filter = {
      ...readListFilter(options),
      provider: options.provider,
      unusedFor: secondsOrTyped(options.unusedFor),
      allowsUserTokens: options.allowsUserTokens,
    };
    const clients = await collectPages(
      (cursor) => management.listClients({ ...filter, cursor }),
      (client) => client.clientId,
    );
    cli.output.printList(clients, {
      view: (client) => viewClient(client, cli.deployment().config),
      id: (client) => client.clientId,
      columns: {
        client_id: (client) => client.clientId,
        name: (client) => client.name,
        'trunk group': (client) => client.serviceTrunkGroup,
        scopes: (client) => client.scopes.join(' '),
        enabled: (client) => client.enabled,
        secrets: (client) => (client.provider === undefined ? client.secrets.length : undefined),
        'secret used': ({ secrets }) => {
          const days = secrets.map(({ lastUsedOn }) => lastUsedOn ?? '').sort();
          return secrets.length === 0 ? undefined : days.at(-1) || 'never';
        },
        provider: (client) => client.provider?.issuer,
      },
      none: 'There are no clients.',
    });
  },
});

const show = command({
  name: 'show',
  summary: 'Show a client',
  arguments: [clientIdArgument],
  examples: ['client show client_4fWqEXAMPLE'],
  run: async (cli, [id]) => {
    const management = await cli.management();
    printClient(cli, await management.findClient(id));
  },
});

const update = command({
  name: 'update',
  summary: 'Change a client; only the given fields change',
  arguments: [clientIdArgument],
  options: [
    clientOptions.name(),
    repeatable('--scope <scope>', 'replaces all scopes; may be repeated'),
    repeatable('--add-scope <scope>', 'adds a scope; may be repeated'),
    repeatable('--remove-scope <scope>', 'removes a scope; may be repeated'),
    repeatable('--audience <uri>', 'replaces all audiences; may be repeated'),
    option('--default-audience', "only the deployment's default audience").conflicts('audience'),
    clientOptions.tokenLifetime(),
    clientOptions.requireClaim('replaces all required claims of a client under a provider'),
    option('--remove-required-claims', 'its tokens must say nothing else').conflicts(
      'requireClaim',
    ),
    ifVersionOption('client'),
  ],
  examples: [
    'client update client_4fWqEXAMPLE --name "Billing EU"',
    'client update client_4fWqEXAMPLE --add-scope calls:view --token-lifetime 30m',
    'client update client_4fWqEXAMPLE --require-claim environment=production',
  ],
  run: async (cli, [id], options) => {
    const { ifVersion, ...changes } = options;
    if (Object.keys(changes).length === 0) {
      throw new UsageError('nothing to change; add an option, see authctl client update --help');
    }
    const { scope, addScope, removeScope, audience, defaultAudience, tokenLifetime } = changes;
    const { requireClaim, removeRequiredClaims } = changes;
    const management = await cli.management();
    const client = await management.updateClient(id, {
      ifVersion,
      name: changes.name,
      scopes: scope,
      addScopes: addScope,
      removeScopes: removeScope,
      audiences: defaultAudience === true ? [] : audience,
      requiredClaims:
        removeRequiredClaims === true ? [] : requireClaim && parseRequiredClaims(requireClaim),
      tokenLifetime: secondsOrTyped(tokenLifetime),
    });
    printClient(cli, client);
  },
});

export const clientCommands: CommandGroup = {
  name: 'client',
  summary: 'Manage clients',
  commands: [create, list, show, update, ...stopCommands],
};
