import type { Management } from '../../adapters/management.ts';
import { claimsHelp, clientFields, clientWords } from '../../contract/management/field-words.ts';
import { plainClientFields } from '../../contract/management/inputs.ts';
import { lastUse } from '../../core/client/secret-attention.ts';
import { secondsOrTyped } from '../../core/duration.ts';
import { formatTime } from '../../core/rfc3339.ts';
import { type CommandGroup, command, option, repeatable } from '../command-spec.ts';
import { UsageError } from '../usage-error.ts';
import { printClient, showClient, stopCommands, viewWithSecrets } from './client-stop.ts';
import {
  clientIdArgument,
  fieldOptions,
  idempotencyKeyOption,
  type OptionTexts,
  readFields,
} from './field-options.ts';
import { collectPages, listFilterOptions, readListFilter } from './list-options.ts';
import { ifVersionOption } from './record-commands.ts';

const create = command({
  name: 'create',
  summary: 'Create a client',
  options: [...fieldOptions(clientWords, clientFields), idempotencyKeyOption()],
  examples: [
    'client create --name Billing --trunk-group tg-1001 --scope messaging:view',
    'client create --name Dialer --trunk-group tg-7 --scope calls:view --scope calls:manage --token-lifetime 15m',
    'client create --name ERP --trunk-group tg-7 --scope calls:view --provider https://idp.example.com --external-client-id erp',
  ],
  run: async (cli, _, options: OptionTexts & { readonly idempotencyKey?: string }) => {
    // Each field that the operation needs is an option that the command needs.
    const fields = readFields(clientWords, clientFields, options) as Parameters<
      Management['createClient']
    >[0];
    const { idempotencyKey } = options;
    const { client, existed } = await cli.management.createClient({ ...fields, idempotencyKey });
    printClient(cli, client);
    const added = client.provider?.conditions?.slice(fields.requiredClaims?.length ?? 0) ?? [];
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
    const filter = {
      ...readListFilter(options),
      provider: options.provider,
      unusedFor: secondsOrTyped(options.unusedFor),
      allowsUserTokens: options.allowsUserTokens,
    };
    const clients = await collectPages(
      (cursor) => cli.management.listClients({ ...filter, cursor }),
      (client) => client.clientId,
    );
    cli.output.printList(clients, {
      view: (client) => viewWithSecrets(cli, client),
      id: (client) => client.clientId,
      columns: {
        client_id: (client) => client.clientId,
        name: (client) => client.name,
        'trunk group': (client) => client.serviceTrunkGroup,
        scopes: (client) => client.scopes.join(' '),
        enabled: (client) => client.enabled,
        secrets: (client) => (client.provider === undefined ? client.secrets.length : undefined),
        'last used': (client) => {
          const day = lastUse(client);
          return day === undefined && client.secrets.length > 0 ? 'never' : day;
        },
        provider: (client) => client.provider?.issuer,
      },
      none: 'There are no clients.',
    });
  },
});

/** An option of an update replaces what there is. No field is needed. */
const changedWords = {
  ...clientWords,
  name: { ...clientWords.name, required: undefined },
  scopes: {
    ...clientWords.scopes,
    option: 'replaces all scopes; may be repeated',
    required: undefined,
  },
  audiences: { ...clientWords.audiences, option: 'replaces all audiences; may be repeated' },
  requiredClaims: {
    ...clientWords.requiredClaims,
    option: `replaces all required claims of a client under a provider; ${claimsHelp}`,
  },
};

const changedFields = [
  'name',
  'scopes',
  'audiences',
  ...plainClientFields,
  'requiredClaims',
] as const;

type ClientChanges = Parameters<Management['updateClient']>[1];

interface UpdateOptions {
  readonly addScope?: readonly string[];
  readonly removeScope?: readonly string[];
  readonly defaultAudience?: true;
  readonly removeRequiredClaims?: true;
  readonly ifVersion?: number;
}

const update = command({
  name: 'update',
  summary: 'Change a client; only the given fields change',
  arguments: [clientIdArgument],
  options: [
    ...fieldOptions(changedWords, ['name', 'scopes']),
    repeatable('--add-scope <scope>', 'adds a scope; may be repeated'),
    repeatable('--remove-scope <scope>', 'removes a scope; may be repeated'),
    ...fieldOptions(changedWords, ['audiences']),
    option('--default-audience', "only the deployment's default audience").conflicts('audience'),
    ...fieldOptions(changedWords, [...plainClientFields, 'requiredClaims']),
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
  run: async (cli, [id], options: OptionTexts & UpdateOptions) => {
    const { ifVersion, ...changes } = options;
    if (Object.keys(changes).length === 0) {
      throw new UsageError('nothing to change; add an option, see authctl client update --help');
    }
    const client = await cli.management.updateClient(id, {
      ...(readFields(changedWords, changedFields, changes) as ClientChanges),
      addScopes: changes.addScope,
      removeScopes: changes.removeScope,
      ...(changes.defaultAudience === true && { audiences: [] }),
      ...(changes.removeRequiredClaims === true && { requiredClaims: [] }),
      ifVersion,
    });
    printClient(cli, client);
  },
});

export const clientCommands: CommandGroup = {
  name: 'client',
  summary: 'Manage clients',
  commands: [create, list, showClient, update, ...stopCommands],
};
