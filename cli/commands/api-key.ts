import type { ApiKey } from '../../adapters/management.ts';
import { formatCidr } from '../../core/api-key/subnet.ts';
import { viewApiKey } from '../../core/management/api-key-view.ts';
import type { NewSubnet } from '../../core/management/api-keys.ts';
import { byNameThen } from '../../core/management/list-query.ts';
import { describeStops } from '../../core/stops.ts';
import { formatTime } from '../../core/time.ts';
import type { Cli, Operations } from '../cli.ts';
import { type CommandGroup, command, mandatory, option, repeatable } from '../command-spec.ts';
import { expiryOptions, neverExpiresOption, readExpiry } from '../expiry-options.ts';
import type { Cell, Field, ListForm } from '../output.ts';
import { refuseUsage, UsageError } from '../usage-error.ts';
import { formatExpiry } from './client-secret.ts';
import { idempotencyKeyOption } from './field-options.ts';
import { listFilterOptions, readItems, readListFilter } from './list-options.ts';
import { ifVersionOption, recordCommands, rotateCommand, showCommand } from './record-commands.ts';

const keyId = ['key-id', 'id of the API key, key_...'] as const;

function formatSources(key: ApiKey): Cell {
  if (key.subnets.length === 0) return 'every source';
  return key.subnets.map((subnet) => `${formatCidr(subnet)} (${subnet.name})`);
}

const formatScopes = ({ scopes }: ApiKey): Cell => scopes?.join(' ') ?? 'every scope';

const scopeOption = () =>
  repeatable(
    '--scope <scope>',
    'a scope that it satisfies, and no other; may be repeated',
    'scopes',
  );

const formatUse = ({ lastUsedOn, isLastUseUnread }: ApiKey): Cell =>
  isLastUseUnread === true ? 'could not be read now' : (lastUsedOn ?? 'not recorded');

/** @param isRead whether the key was read with the days of its last use. */
function fieldsOf(key: ApiKey, isRead = false): readonly (Field | false)[] {
  return [
    ['key_id', key.keyId],
    ['name', key.name],
    ['enabled', key.enabled],
    !key.enabled && ['disabled', describeStops(key.stops)],
    ['service trunk group', key.serviceTrunkGroup],
    ['sources', formatSources(key)],
    ['scopes', formatScopes(key)],
    ['expires', formatExpiry(key)],
    isRead && ['last used', formatUse(key)],
    ...(key.oldValues ?? []).flatMap((old): readonly (Field | false)[] => [
      ['old value expires', formatExpiry(old)],
      isRead && ['old value last used', formatUse({ ...key, lastUsedOn: old.lastUsedOn })],
    ]),
    ['created', formatTime(key.createdAt)],
    ['updated', formatTime(key.updatedAt)],
  ];
}

function printApiKey(cli: Cli, key: ApiKey, isRead = false): void {
  cli.output.print({
    json: viewApiKey(key),
    quiet: [key.keyId],
    text: cli.output.fields(fieldsOf(key, isRead)),
  });
}

/** Reads `office=203.0.113.0/24`. The name may contain "=", an address cannot. */
function parseAllow(text: string): NewSubnet {
  const separator = text.lastIndexOf('=');
  if (separator < 1) {
    return refuseUsage('--allow', text, 'a name and a subnet, e.g. office=203.0.113.0/24');
  }
  return { name: text.slice(0, separator), address: text.slice(separator + 1) };
}

/** curl reads the header from its input, so the key is in no list of processes either. */
const callLine = `read -rs CREDENTIAL; printf 'Authorization: Bearer %s' "$CREDENTIAL" | curl -i -H @- API_URL`;

/** The only place that prints a value: once, on stdout. */
function printValue(
  cli: Cli,
  { key, value }: { readonly key: ApiKey; readonly value?: string | undefined },
  did: string,
): void {
  cli.output.print({
    json: { ...viewApiKey(key), api_key: value },
    quiet: value === undefined ? [] : [value],
    text: cli.output.fields([...fieldsOf(key), value !== undefined && ['api_key', value]]),
  });
  if (value === undefined) {
    cli.output.warn(`An earlier call with this idempotency key ${did} and was shown its value.`);
  } else {
    cli.output.note('Keep the API key now: it is not shown again.');
    cli.output.note(`A call that asks for it, and leaves nothing in the history:\n${callLine}`);
  }
}

const create = command({
  name: 'create',
  summary: 'Create an API key and show its value once',
  options: [
    mandatory(option('--name <name>', 'name for people')),
    mandatory(option('--trunk-group <group>', 'service trunk group', 'serviceTrunkGroup')),
    option('--disabled', 'create it disabled'),
    repeatable(
      '--allow <name=subnet>',
      'a subnet that may use it; may be repeated; without it, every source may',
      'subnets',
    ),
    scopeOption(),
    ...expiryOptions(),
    idempotencyKeyOption(),
  ],
  examples: [
    'api-key create --name "Ada Lovelace" --trunk-group tg-1001 --allow office=203.0.113.0/24',
    'api-key create --name test --trunk-group tg-1001 --disabled',
    'api-key create --name script --trunk-group tg-1001 --scope messaging:view --expires-in 90d',
  ],
  run: async (cli, _, options) => {
    const subnets = options.allow?.map(parseAllow);
    const {
      key,
      value,
      warnings = [],
    } = await cli.management.createApiKey({
      name: options.name,
      serviceTrunkGroup: options.trunkGroup,
      enabled: options.disabled !== true,
      subnets,
      scopes: options.scope,
      expiresAt: readExpiry(options, cli.now()),
      idempotencyKey: options.idempotencyKey,
    });
    printValue(cli, { key, value }, 'created the key');
    for (const warning of warnings) cli.output.warn(warning);
  },
});

const list = command({
  name: 'list',
  summary: 'List API keys',
  options: [
    ...listFilterOptions('keys that expire'),
    option('--any-source', 'only keys without subnets, which every address may use'),
  ],
  examples: ['api-key list', 'api-key list --trunk-group tg-1001 --any-source'],
  run: async (cli, _, options) => {
    const filter = { ...readListFilter(options), anySource: options.anySource };
    const keys = readItems(cli.output, (cursor) =>
      cli.management.listApiKeys({ ...filter, cursor }),
    );
    const form: ListForm<ApiKey> = {
      view: viewApiKey,
      id: (key) => key.keyId,
      row: (key) => ({
        key_id: key.keyId,
        name: key.name,
        'trunk group': key.serviceTrunkGroup,
        enabled: key.enabled,
        expires: formatExpiry(key),
        'last used': formatUse(key),
        scopes: formatScopes(key),
        sources: key.subnets.map(formatCidr).join(' ') || 'every source',
      }),
      none: 'There are no API keys.',
    };
    await cli.output.printPages(keys, () => form, byNameThen(form.id));
  },
});

const update = command({
  name: 'update',
  summary: 'Rename an API key or change its scopes or its expiry',
  arguments: [keyId],
  options: [
    option('--name <name>', 'new name'),
    scopeOption(),
    option('--every-scope', 'let it satisfy every scope').conflicts('scope'),
    option('--end-old-values', 'end the values that rotations have replaced, at once'),
    ...expiryOptions(),
    neverExpiresOption(),
    ifVersionOption('API key'),
  ],
  examples: [
    'api-key update key_7HsLEXAMPLE --expires-in 90d',
    'api-key update key_7HsLEXAMPLE --never-expires',
  ],
  run: async (cli, [id], options) => {
    const { ifVersion, ...changes } = options;
    if (Object.keys(changes).length === 0) {
      throw new UsageError(
        'nothing to change; add --name, --scope, --every-scope, --end-old-values, --expires-in, --expires-at or --never-expires',
      );
    }
    const expiresAt = options.neverExpires === true ? null : readExpiry(options, cli.now());
    const { name, endOldValues } = options;
    const scopes = options.everyScope === true ? null : options.scope;
    const fields = { name, endOldValues, scopes, expiresAt, ifVersion };
    const key = await cli.management.updateApiKey(id, fields);
    printApiKey(cli, key);
  },
});

const rotate = rotateCommand(keyId, {
  summary: 'Give an API key another value, show it once, and let the old one expire',
  overlap: 'the old value still works',
  versioned: 'API key',
  question: (id) => `Expire the present value of ${id} at once?`,
  examples: [
    'api-key rotate key_7HsLEXAMPLE --expire-old-in 7d',
    'api-key rotate key_7HsLEXAMPLE --expire-old-in 0s --yes',
  ],
  act: async (cli, id, rotation) =>
    printValue(cli, await cli.management.rotateApiKey(id, rotation), 'rotated the key'),
});

const kind = {
  noun: 'api-key',
  example: 'key_7HsLEXAMPLE',
  find: (management: Operations, [id]: readonly [string]) => management.findApiKey(id),
  print: (cli: Cli, key: ApiKey) => printApiKey(cli, key),
};
const { change, remove } = recordCommands([keyId], 'API key', kind);
const show = showCommand(
  [keyId],
  { ...kind, print: (cli: Cli, key: ApiKey) => printApiKey(cli, key, true) },
  'Show an API key; its value is never shown again',
);

export const apiKeyCommands: CommandGroup = {
  name: 'api-key',
  summary: 'Manage API keys',
  commands: [
    create,
    list,
    show,
    update,
    rotate,
    change('enable', 'Enable a disabled API key', (management, [id], options) =>
      management.setApiKeyEnabled(id, true, options),
    ),
    change('disable', 'Disable an API key: it stops working', (management, [id], options) =>
      management.setApiKeyEnabled(id, false, options),
    ),
    remove(
      'Delete an API key',
      ({ keyId: id, name }) => `Delete the API key ${id} (${name})?`,
      (management, [id], options) => management.deleteApiKey(id, options),
      { json: ([id]) => ({ key_id: id, deleted: true }) },
    ),
  ],
};
