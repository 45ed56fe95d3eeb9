import type { Client, ClientSecret } from '../../adapters/management.ts';
import { isUsable, secretStatus } from '../../core/client/client.ts';
import { isReplaced } from '../../core/client/secret-attention.ts';
import { secondsOrTyped } from '../../core/duration.ts';
import { type CreatedClientSecret, findSecret } from '../../core/management/client-secrets.ts';
import { viewClientSecret } from '../../core/management/client-view.ts';
import type { WithoutHashes } from '../../core/management/without-hashes.ts';
import { formatTime } from '../../core/rfc3339.ts';
import type { Cli } from '../cli.ts';
import { type CommandGroup, type CommandSpec, command, option } from '../command-spec.ts';
import {
  expireOldInOption,
  expiryOptions,
  neverExpiresOption,
  readExpiry,
} from '../expiry-options.ts';
import { ifVersionOption } from '../if-version-option.ts';
import { UsageError } from '../usage-error.ts';
import { clientIdArgument, clientOptions } from './client-options.ts';

const secretId = ['secret-id', 'id of the secret, secret_...'] as const;

const secretName = () => option('--name <name>', 'name for people');

export function formatExpiry({ expiresAt }: Pick<ClientSecret, 'expiresAt'>): string {
  return expiresAt === undefined ? 'never' : formatTime(expiresAt);
}

/** The only place that prints a secret: once, on stdout. */
function printCreated(
  cli: Cli,
  { secret, value }: WithoutHashes<CreatedClientSecret>,
  { id, now }: { readonly id: string; readonly now: number },
  more: Readonly<Record<string, unknown>> = {},
): void {
  const view = viewClientSecret(secret, now);
  cli.output.print({
    json: { client_id: id, client_secret: value, ...view, ...more },
    quiet: value === undefined ? [] : [value],
    text: cli.output.fields([
      ['client_id', id],
      ['secret_id', secret.secretId],
      ['name', secret.name],
      ['expires', formatExpiry(secret)],
      ...(value === undefined ? [] : [['client_secret', value] as const]),
    ]),
  });
  if (value === undefined) {
    cli.output.warn(
      'An earlier call with this idempotency key created the secret and was shown its value.',
    );
  } else {
    cli.output.note('Keep the secret now: it is not shown again.');
  }
}

/** @param fields what changed. */
function printChanged(
  cli: Cli,
  secret: WithoutHashes<ClientSecret>,
  { id, now }: { readonly id: string; readonly now: number },
  ...fields: readonly (readonly [string, string])[]
): void {
  cli.output.print({
    json: { client_id: id, ...viewClientSecret(secret, now) },
    quiet: [secret.secretId],
    text: cli.output.fields([['secret_id', secret.secretId], ['name', secret.name], ...fields]),
  });
}

const create = command({
  name: 'create',
  summary: 'Create a client secret and show it once',
  arguments: [clientIdArgument],
  options: [
    secretName(),
    ...expiryOptions(),
    clientOptions.idempotencyKey(),
    ifVersionOption('client'),
  ],
  examples: [
    'client-secret create client_4fWqEXAMPLE',
    'client-secret create client_4fWqEXAMPLE --name blue --expires-in 90d',
    'client-secret create client_4fWqEXAMPLE --expires-at 2027-03-31T00:00:00Z --quiet > secret.txt',
  ],
  run: async (cli, [id], options) => {
    const management = await cli.management();
    const now = cli.now();
    const created = await management.createClientSecret(id, {
      name: options.name,
      expiresAt: readExpiry(options, now),
      idempotencyKey: options.idempotencyKey,
      ifVersion: options.ifVersion,
    });
    printCreated(cli, created, { id, now });
  },
});

const statusTexts = {
  active: 'active',
  expires_soon: 'expires soon',
  expired: 'expired',
  disabled: 'disabled',
} as const;

/** The end of a secret that callers have replaced is no reason for haste. */
function statusText(client: Client, secret: ClientSecret, now: number): string {
  return isUsable(secret, now) && secret.expiresAt !== undefined && isReplaced(client, secret, now)
    ? 'replaced'
    : statusTexts[secretStatus(secret, now)];
}

const list = command({
  name: 'list',
  summary: 'List the secrets of a client, with the day each was last used',
  arguments: [clientIdArgument],
  examples: ['client-secret list client_4fWqEXAMPLE'],
  run: async (cli, [id]) => {
    const management = await cli.management();
    const now = cli.now();
    const client = await management.findClient(id);
    cli.output.printList(client.secrets, {
      view: (secret) => ({
        ...viewClientSecret(secret, now),
        replaced: isReplaced(client, secret, now) || undefined,
      }),
      id: (secret) => secret.secretId,
      columns: {
        secret_id: (secret) => secret.secretId,
        name: (secret) => secret.name,
        status: (secret) => statusText(client, secret, now),
        created: (secret) => formatTime(secret.createdAt),
        expires: formatExpiry,
        'last used': (secret) => secret.lastUsedOn ?? 'never',
      },
      none: `${id} has no secrets.`,
    });
  },
});

const update = command({
  name: 'update',
  summary: 'Rename a secret or change its expiry',
  arguments: [clientIdArgument, secretId],
  options: [secretName(), ...expiryOptions(), neverExpiresOption(), ifVersionOption('client')],
  examples: [
    'client-secret update client_4fWqEXAMPLE secret_9aKdEXAMPLE --name old --expires-in 7d',
  ],
  run: async (cli, [id, secret], options) => {
    const { ifVersion, ...changes } = options;
    if (Object.keys(changes).length === 0) {
      throw new UsageError('nothing to change; add --name, --expires-in or --expires-at');
    }
    const management = await cli.management();
    const now = cli.now();
    const changed = await management.updateClientSecret(id, secret, {
      name: options.name,
      expiresAt: options.neverExpires === true ? null : readExpiry(options, now),
      ifVersion,
    });
    printChanged(cli, changed, { id, now }, ['expires', formatExpiry(changed)]);
  },
});

const rotate = command({
  name: 'rotate',
  summary: 'Create a secret, show it once, and let all others of the client expire',
  arguments: [clientIdArgument],
  options: [
    expireOldInOption('the others still work'),
    secretName(),
    ...expiryOptions(),
    clientOptions.idempotencyKey(),
    ifVersionOption('client'),
  ],
  examples: [
    'client-secret rotate client_4fWqEXAMPLE',
    'client-secret rotate client_4fWqEXAMPLE --expire-old-in 0s --yes',
  ],
  run: async (cli, [id], options) => {
    const overlap = secondsOrTyped(options.expireOldIn);
    if (overlap === 0) await cli.confirm(`Expire all present secrets of ${id} at once?`);
    const management = await cli.management();
    const now = cli.now();
    const rotated = await management.rotateClientSecret(id, {
      name: options.name,
      expiresAt: readExpiry(options, now),
      idempotencyKey: options.idempotencyKey,
      ifVersion: options.ifVersion,
      overlap,
    });
    const expired = rotated.expired.map((secret) => viewClientSecret(secret, now));
    printCreated(cli, rotated, { id, now }, { expired_secrets: expired });
    for (const secret of rotated.expired) {
      cli.output.note(`${secret.secretId} expires at ${formatExpiry(secret)}.`);
    }
  },
});

const remove = command({
  name: 'delete',
  summary: 'Delete a client secret: it stops working',
  arguments: [clientIdArgument, secretId],
  options: [ifVersionOption('client')],
  examples: ['client-secret delete client_4fWqEXAMPLE secret_9aKdEXAMPLE'],
  run: async (cli, [id, secret], { ifVersion }) => {
    const management = await cli.management();
    const found = findSecret(await management.findClient(id), secret);
    const use =
      found.lastUsedOn === undefined ? 'It was never used.' : `Last used ${found.lastUsedOn}.`;
    await cli.confirm(`Delete the secret ${secret} of ${id}? ${use}`);
    await management.deleteClientSecret(id, secret, { ifVersion });
    cli.output.print({
      json: { client_id: id, secret_id: secret, deleted: true },
      quiet: [],
      text: `Deleted ${secret}.`,
    });
  },
});

function defineSwitch(name: 'enable' | 'disable', summary: string, note: string): CommandSpec {
  return command({
    name,
    summary,
    arguments: [clientIdArgument, secretId],
    options: [ifVersionOption('client')],
    examples: [`client-secret ${name} client_4fWqEXAMPLE secret_9aKdEXAMPLE`],
    run: async (cli, [id, secret], { ifVersion }) => {
      const management = await cli.management();
      const change = `${name}ClientSecret` as const;
      const changed = await management[change](id, secret, { ifVersion });
      const now = cli.now();
      const status = statusTexts[secretStatus(changed, now)];
      printChanged(cli, changed, { id, now }, ['status', status]);
      cli.output.note(note);
    },
  });
}

const disable = defineSwitch(
  'disable',
  'Disable one secret: no more tokens with it',
  'The other secrets of the client work. Its tokens stay valid until they expire.',
);

const enable = defineSwitch(
  'enable',
  'Enable a disabled secret',
  'The secret authenticates again, unless it has expired or the client is disabled.',
);

export const clientSecretCommands: CommandGroup = {
  name: 'client-secret',
  summary: 'Manage the secrets of a client',
  commands: [create, list, update, rotate, disable, enable, remove],
};
