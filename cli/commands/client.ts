import type { Client, Management } from '../../adapters/management.ts';
import type { DeploymentConfig } from '../../contract/deployment-config.ts';
import { clientFields, clientWords } from '../../contract/management/field-words.ts';
import { wireNameOf } from '../../contract/management/fields.ts';
import { type PlainClientField, plainClientFields } from '../../contract/management/inputs.ts';
import { quoteWord } from '../../contract/shell-word.ts';
import { describeDeclaration } from '../../core/client/client.ts';
import { findLongestToken } from '../../core/client/longest-token.ts';
import { lastUse } from '../../core/client/secret-attention.ts';
import { formatDuration, secondsOrTyped } from '../../core/duration.ts';
import { viewClient, viewClientSecret } from '../../core/management/client-view.ts';
import { byNameThen } from '../../core/management/list-query.ts';
import { describeStops, isStoppedOnlyBy } from '../../core/stops.ts';
import { formatTime } from '../../core/time.ts';
import { findProofMode } from '../../core/token/access-token-claims.ts';
import type { Cli } from '../cli.ts';
import {
  type CommandGroup,
  type CommandSpec,
  command,
  option,
  repeatable,
  withDefault,
} from '../command-spec.ts';
import type { Cell, Field, ListForm } from '../output.ts';
import { UsageError } from '../usage-error.ts';
import { importClients } from './client-import.ts';
import {
  changeOptions,
  clientIdArgument,
  fieldCell,
  fieldOptions,
  idempotencyKeyOption,
  type OptionTexts,
  readFields,
} from './field-options.ts';
import { collectPages, listFilterOptions, readItems, readListFilter } from './list-options.ts';
import { ifVersionOption, recordCommands } from './record-commands.ts';

/** What happens to the tokens that a client has when it stops, or when they are revoked. */
async function describeOldTokens(cli: Cli, client: Client): Promise<string> {
  const { provider } = client;
  const { config } = cli.deployment();
  const refused = provider === undefined ? '' : `Old tokens of ${provider.issuer} are refused. `;
  if (provider !== undefined && !config.federatedClients) return refused.trim();
  const { maximum } = config.tokenLifetime;
  const most = await findLongestToken(cli.management, client, maximum, cli.now());
  return `${refused}Checks that look up clients refuse its old tokens; all others accept them until they expire, at most ${formatDuration(most)}: docs/platform-api.md.`;
}

const revokeTokens = command({
  name: 'revoke-tokens',
  summary: 'Revoke all tokens of a client that were issued before now',
  arguments: [clientIdArgument],
  options: [ifVersionOption('client')],
  examples: [
    'client revoke-tokens client_4fWqEXAMPLE',
    'client revoke-tokens client_4fWqEXAMPLE --yes --json',
  ],
  run: async (cli, [id], { ifVersion }) => {
    const client = await cli.management.findClient(id);
    await cli.confirm(
      `Revoke all tokens of ${client.clientId} (${client.name}) that were issued before now?`,
    );
    cli.output.note('This takes about four seconds.');
    const changed = await cli.management.revokeClientTokens(client.clientId, {
      ifVersion: ifVersion ?? client.version,
    });
    printClient(cli, changed);
    cli.output.note(`New tokens are accepted. ${await describeOldTokens(cli, changed)}`);
    if (changed.secrets.length > 0) cli.output.note('Its secrets still authenticate.');
  },
});

/** What was given and can be given again, a line for each. */
function plainLines({ federatedClients }: DeploymentConfig, client: Client): readonly Field[] {
  // A provider's token has the lifetime that the provider sets, one of this service has this one.
  const shown = (name: PlainClientField): Cell =>
    name === 'tokenLifetime' && client.provider !== undefined && federatedClients === undefined
      ? 'its provider sets it'
      : fieldCell(clientWords[name], client[name]);
  const names = plainClientFields.filter((name) => client[name] !== undefined);
  return names.map((name) => [wireNameOf(name).replaceAll('_', ' '), shown(name)] as const);
}

function formatClient(cli: Cli, client: Client): string {
  const { config } = cli.deployment();
  const { declared, provider, tokensNotBefore } = client;
  const conditions = provider?.conditions ?? [];
  const view = viewClient(client, config);
  return cli.output.fields([
    ['client_id', client.clientId],
    client.importId !== undefined && ['import', client.importId],
    ['name', client.name],
    ['service trunk group', client.serviceTrunkGroup],
    ['audience', view.audience as readonly string[]],
    ...plainLines(config, client),
    ['scopes', client.scopes],
    ['provider', provider?.issuer ?? 'this service'],
    provider && ['external client id', provider.externalClientId],
    conditions.length > 0 && [
      'required claims',
      conditions.map(({ claim, values }) => `${claim}: ${values.join(' or ')}`),
    ],
    ['enabled', client.enabled],
    !client.enabled && ['disabled', describeStops(client.stops)],
    declared !== undefined && ['declared by', describeDeclaration(declared)],
    declared?.undeclaredAt !== undefined && ['undeclared', formatTime(declared.undeclaredAt)],
    tokensNotBefore !== undefined && ['tokens not before', formatTime(tokensNotBefore)],
    ['secrets', provider === undefined ? client.secrets.length : 'none, by its provider'],
    // Of an assertion. A secret has a last use of its own: `client-secret list`.
    provider && config.federatedClients && ['assertion last used', client.lastUsedOn ?? 'never'],
    ['created', String(view.created_at)],
    ['updated', String(view.updated_at)],
  ]);
}

/** A client with its secrets, as JSON has it. */
function viewWithSecrets(cli: Cli, client: Client): Readonly<Record<string, unknown>> {
  return {
    ...viewClient(client, cli.deployment().config),
    secrets: client.secrets.map((secret) => viewClientSecret(secret, cli.now())),
  };
}

/** Prints a client as the command line asks: fields, JSON or its id. */
function printClient(cli: Cli, client: Client): void {
  cli.output.print({
    json: viewWithSecrets(cli, client),
    quiet: [client.clientId],
    text: formatClient(cli, client),
  });
}

const { show, change, remove } = recordCommands([clientIdArgument], 'client', {
  noun: 'client',
  example: 'client_4fWqEXAMPLE',
  find: (management, [id]) => management.findClient(id),
  print: printClient,
});

const deleteUndeclared = command({
  name: 'delete-undeclared',
  summary: 'Delete the clients that stacks have deleted, and that no one else stopped',
  options: [
    withDefault(
      option('--older-than <duration>', 'how long ago at least'),
      '7d',
      '7d: a week in which the stack can take them back',
    ),
  ],
  examples: ['client delete-undeclared --older-than 7d'],
  run: async (cli, _, { olderThan }) => {
    const undeclaredFor = secondsOrTyped(olderThan);
    const found = await collectPages(
      cli.output,
      (cursor) => cli.management.listClients({ undeclaredFor, enabled: false, cursor }),
      ({ clientId }) => clientId,
    );
    // A new declaration would start what others stopped.
    const clients = found.filter(
      (client) =>
        isStoppedOnlyBy(client, 'stack') &&
        client.secrets.every((one) => one.stops === undefined || isStoppedOnlyBy(one, 'stack')),
    );
    const ids = clients.map(({ clientId }) => clientId);
    if (ids.length > 0) await cli.confirm(`Delete ${ids.length} clients: ${ids.join(', ')}?`);
    for (const { clientId, version } of clients) {
      await cli.management.deleteClient(clientId, { ifVersion: version });
    }
    const text = `Deleted ${ids.length} clients.`;
    cli.output.print({ json: { deleted: ids }, quiet: ids, text });
  },
});

/** Commands by which a client or its tokens stop. */
const stopCommands: readonly CommandSpec[] = [
  change(
    'disable',
    'Disable a client: it gets no more tokens',
    (management, [id], options) => management.setClientEnabled(id, false, options),
    describeOldTokens,
  ),
  change(
    'enable',
    'Enable a disabled client',
    (management, [id], options) => management.setClientEnabled(id, true, options),
    (_, { provider }) =>
      provider === undefined ? 'Its secrets authenticate again.' : 'Its tokens are accepted again.',
  ),
  revokeTokens,
  remove(
    'Delete a client with its secrets',
    ({ clientId, name, secrets }) =>
      `Delete the client ${clientId} (${name}) with its secrets (${secrets.length})?`,
    (management, [id], options) => management.deleteClient(id, options),
    {
      json: ([id]) => ({ client_id: id, deleted: true }),
      note: describeOldTokens,
      examples: ['client delete client_4fWqEXAMPLE --yes'],
    },
  ),
  deleteUndeclared,
];

const showClient = show('Show a client');

/** Whether the tokens of a client are bound to keys, if some of the deployment are. */
function noteProofs(cli: Cli, { audiences }: Client): void {
  const { dpop, defaultAudience } = cli.deployment().config;
  if (dpop === undefined) return;
  for (const audience of audiences.length > 0 ? audiences : [defaultAudience]) {
    const mode = findProofMode(dpop, audience);
    if (mode === 'allowed') continue;
    cli.output.note(
      mode === 'required'
        ? `Its tokens for ${audience} are bound to a key: each request for one needs a DPoP proof.`
        : `Its tokens for ${audience} are bearer tokens: the deployment config has no entry of it in dpop.audiences, and no dpop.default.`,
    );
  }
}

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
    const { config } = cli.deployment();
    if (client.provider === undefined || config.federatedClients) noteProofs(cli, client);
    if (existed) cli.output.note('An earlier call with this idempotency key created it.');
    else if (client.provider === undefined) {
      const key = config.clientKeys?.only === true ? ' --public-key public.pem' : '';
      cli.suggest(`client-secret create ${quoteWord(client.clientId)}${key}`);
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
    option('--declared', 'only clients that a stack declares'),
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
      declared: options.declared,
    };
    const clients = readItems(cli.output, (cursor) =>
      cli.management.listClients({ ...filter, cursor }),
    );
    const form: ListForm<Client> = {
      view: (client) => viewWithSecrets(cli, client),
      id: (client) => client.clientId,
      row: (client) => ({
        client_id: client.clientId,
        name: client.name,
        'trunk group': client.serviceTrunkGroup,
        scopes: client.scopes.join(' '),
        enabled: client.enabled,
        secrets: client.provider === undefined ? client.secrets.length : undefined,
        'last used': lastUse(client) ?? (client.secrets.length > 0 ? 'never' : undefined),
        provider: client.provider?.issuer,
        ...(options.declared && {
          'declared by': client.declared && describeDeclaration(client.declared),
        }),
      }),
      none: 'There are no clients.',
    };
    await cli.output.printPages(clients, () => form, byNameThen(form.id));
  },
});

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
  readonly takeOver?: true;
  readonly ifVersion?: number;
}

const update = command({
  name: 'update',
  summary: 'Change a client; only the given fields change',
  arguments: [clientIdArgument],
  options: [
    ...changeOptions(clientWords, changedFields),
    repeatable('--add-scope <scope>', 'adds a scope; may be repeated', 'addScopes'),
    repeatable('--remove-scope <scope>', 'removes a scope; may be repeated', 'removeScopes'),
    option('--take-over', 'from the stack that declares it: people change it from now on'),
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
      ...(readFields(clientWords, changedFields, changes) as ClientChanges),
      takeOver: changes.takeOver,
      addScopes: changes.addScope,
      removeScopes: changes.removeScope,
      ifVersion,
    });
    printClient(cli, client);
  },
});

export const clientCommands: CommandGroup = {
  name: 'client',
  summary: 'Manage clients',
  commands: [create, importClients, list, showClient, update, ...stopCommands],
};
