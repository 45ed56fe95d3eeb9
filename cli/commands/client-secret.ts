import { readFileSync } from 'node:fs';
import type { Client, ClientSecret } from '../../adapters/management.ts';
import { type ClientKeyAlg, clientKeyAlgs } from '../../contract/proof-algorithms.ts';
import { isUsable, secretStatus } from '../../core/client/client.ts';
import { readClientKey, thumbprintOf } from '../../core/client/client-key.ts';
import { isReplaced } from '../../core/client/secret-attention.ts';
import { PublicJwkError } from '../../core/jws/caller-key.ts';
import { type CreatedClientSecret, getSecret } from '../../core/management/client-secrets.ts';
import { viewClientSecret } from '../../core/management/client-view.ts';
import type { Shown } from '../../core/management/without-hashes.ts';
import { formatTime } from '../../core/time.ts';
import type { Cli } from '../cli.ts';
import { type CommandGroup, command, offered, option } from '../command-spec.ts';
import { expiryOptions, neverExpiresOption, readExpiry } from '../expiry-options.ts';
import type { Field } from '../output.ts';
import { UsageError } from '../usage-error.ts';
import { clientIdArgument, idempotencyKeyOption } from './field-options.ts';
import { ifVersionOption, recordCommands, rotateCommand } from './record-commands.ts';

const secretId = ['secret-id', 'id of the secret, secret_...'] as const;

const secretName = () => option('--name <name>', 'name for people');

const keyOptions = () =>
  [
    option('--public-key <file>', 'a public key in place of a secret: a JWK, or PEM'),
    offered('--alg <alg>', 'what the key signs with, if its JWK does not say it', clientKeyAlgs),
  ] as const;

/** The text of a public key. A private one does not leave this machine. */
function readPublicKey(file: string | undefined, alg: ClientKeyAlg | undefined) {
  if (file === undefined) return undefined;
  try {
    const text = readFileSync(file, 'utf8');
    readClientKey(text, alg);
    return text;
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
    const problem = cause instanceof PublicJwkError ? cause.message : `it cannot be read: ${code}`;
    throw new UsageError(`--public-key ${file}: ${problem}; nothing was sent`);
  }
}

export function formatExpiry({ expiresAt }: Pick<ClientSecret, 'expiresAt'>): string {
  return expiresAt === undefined ? 'never' : formatTime(expiresAt);
}

/** The only place that prints a secret: once, on stdout. Of a key, only the id is new. */
function printCreated(
  cli: Cli,
  { secret, value }: Shown<CreatedClientSecret>,
  { id, now }: { readonly id: string; readonly now: number },
  more: Readonly<Record<string, unknown>> = {},
): void {
  const view = viewClientSecret(secret, now);
  cli.output.print({
    json: { client_id: id, client_secret: value, ...view, ...more },
    quiet: [value ?? (secret.alg === undefined ? [] : secret.secretId)].flat(),
    text: cli.output.fields([
      ['client_id', id],
      ['secret_id', secret.secretId],
      ['name', secret.name],
      ['alg', secret.alg],
      ['thumbprint', thumbprintOf(secret)],
      ['expires', formatExpiry(secret)],
      value !== undefined && ['client_secret', value],
    ]),
  });
  if (secret.alg !== undefined) return;
  if (value === undefined) {
    cli.output.warn(
      'An earlier call with this idempotency key created the secret and was shown its value.',
    );
  } else {
    cli.output.note('Keep the secret now: it is not shown again.');
  }
}

/** @param field what changed. */
function printChanged(
  cli: Cli,
  secret: Shown<ClientSecret>,
  { id, now }: { readonly id: string; readonly now: number },
  field: Field,
): void {
  cli.output.print({
    json: { client_id: id, ...viewClientSecret(secret, now) },
    quiet: [secret.secretId],
    text: cli.output.fields([['secret_id', secret.secretId], ['name', secret.name], field]),
  });
}

const create = command({
  name: 'create',
  summary: 'Create a client secret and show it once, or add a public key',
  arguments: [clientIdArgument],
  options: [
    secretName(),
    ...keyOptions(),
    ...expiryOptions(),
    idempotencyKeyOption(),
    ifVersionOption('client'),
  ],
  examples: [
    'client-secret create client_4fWqEXAMPLE',
    'client-secret create client_4fWqEXAMPLE --name blue --expires-in 90d',
    'client-secret create client_4fWqEXAMPLE --expires-at 2027-03-31T00:00:00Z --quiet > secret.txt',
    'client-secret create client_4fWqEXAMPLE --public-key key.pem --alg ES256',
  ],
  run: async (cli, [id], options) => {
    const publicKey = readPublicKey(options.publicKey, options.alg);
    const now = cli.now();
    const created = await cli.management.createClientSecret(id, {
      name: options.name,
      publicKey,
      alg: options.alg,
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
  summary: 'List the secrets and keys of a client, with the day each was last used',
  arguments: [clientIdArgument],
  examples: ['client-secret list client_4fWqEXAMPLE'],
  run: async (cli, [id]) => {
    const now = cli.now();
    const client = await cli.management.findClient(id);
    cli.output.printList(client.secrets, {
      view: (secret) => ({
        ...viewClientSecret(secret, now),
        replaced: isReplaced(client, secret, now) || undefined,
      }),
      id: (secret) => secret.secretId,
      row: (secret) => ({
        secret_id: secret.secretId,
        name: secret.name,
        type: secret.alg ?? 'secret',
        status: statusText(client, secret, now),
        created: formatTime(secret.createdAt),
        expires: formatExpiry(secret),
        'last used': secret.lastUsedOn ?? 'never',
      }),
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
    const now = cli.now();
    const changed = await cli.management.updateClientSecret(id, secret, {
      name: options.name,
      expiresAt: options.neverExpires === true ? null : readExpiry(options, now),
      ifVersion,
    });
    printChanged(cli, changed, { id, now }, ['expires', formatExpiry(changed)]);
  },
});

const rotate = rotateCommand(clientIdArgument, {
  summary: 'Create a secret, show it once, and let all others of the client expire; or so a key',
  overlap: 'the others still work',
  more: [secretName(), ...keyOptions()],
  versioned: 'client',
  question: (id) => `Expire all present secrets of ${id} at once?`,
  examples: [
    'client-secret rotate client_4fWqEXAMPLE',
    'client-secret rotate client_4fWqEXAMPLE --expire-old-in 0s --yes',
  ],
  act: async (cli, id, { publicKey: file, ...rotation }) => {
    const publicKey = readPublicKey(file, rotation.alg);
    const now = cli.now();
    const rotated = await cli.management.rotateClientSecret(id, { ...rotation, publicKey });
    const expired = rotated.expired.map((secret) => viewClientSecret(secret, now));
    printCreated(cli, rotated, { id, now }, { expiring_secrets: expired });
    for (const secret of rotated.expired) {
      cli.output.note(`${secret.secretId} expires at ${formatExpiry(secret)}.`);
    }
  },
});

const { change, remove } = recordCommands([clientIdArgument, secretId], 'client', {
  noun: 'client-secret',
  example: 'client_4fWqEXAMPLE secret_9aKdEXAMPLE',
  find: async (management, [id, secret]) => getSecret(await management.findClient(id), secret),
  print: (cli, secret, [id]) => {
    const now = cli.now();
    printChanged(cli, secret, { id, now }, ['status', statusTexts[secretStatus(secret, now)]]);
  },
});

export const clientSecretCommands: CommandGroup = {
  name: 'client-secret',
  summary: 'Manage the secrets of a client',
  commands: [
    create,
    list,
    update,
    rotate,
    change(
      'disable',
      'Disable one secret: no more tokens with it',
      (management, ids, options) => management.disableClientSecret(...ids, options),
      () => 'The other secrets of the client work. Its tokens stay valid until they expire.',
    ),
    change(
      'enable',
      'Enable a disabled secret',
      (management, ids, options) => management.enableClientSecret(...ids, options),
      () => 'The secret authenticates again, unless it has expired or the client is disabled.',
    ),
    remove(
      'Delete a client secret: it stops working',
      ({ lastUsedOn: day }, [id, secret]) =>
        `Delete the secret ${secret} of ${id}? ${day === undefined ? 'It was never used.' : `Last used ${day}.`}`,
      (management, ids, options) => management.deleteClientSecret(...ids, options),
      { json: ([id, secret]) => ({ client_id: id, secret_id: secret, deleted: true }) },
    ),
  ],
};
