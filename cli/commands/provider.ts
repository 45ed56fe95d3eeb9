import { exchangedTokensWarning } from '../../contract/management/field-words.ts';
import { quoteWord } from '../../contract/shell-word.ts';
import { findApplicationRule } from '../../core/identity-provider/application-rule.ts';
import {
  defaultClientIdClaims,
  describeClaimRisk,
} from '../../core/identity-provider/client-id-claim.ts';
import { describeGivenKeys, hasGivenKeys } from '../../core/identity-provider/given-keys.ts';
import type { IdentityProvider } from '../../core/identity-provider/identity-provider.ts';
import {
  type ManagedProvider,
  viewIdentityProvider,
} from '../../core/management/providers/provider-reach.ts';
import { describeStops } from '../../core/stops.ts';
import { formatTime } from '../../core/time.ts';
import type { Cli, Operations } from '../cli.ts';
import { type CommandGroup, command, option, repeatable } from '../command-spec.ts';
import type { Cell, Field } from '../output.ts';
import { readGivenFile, UsageError } from '../usage-error.ts';
import { collectPages } from './list-options.ts';
import { grantCommands } from './provider-grants.ts';
import {
  confirmChoices,
  discoveryUrl,
  inspectCommand,
  keyFields,
  providerOptions,
} from './provider-inspect.ts';
import { showCommand } from './record-commands.ts';

const issuer = ['issuer', 'issuer of the provider, exactly as registered'] as const;

const usualClaims = `${defaultClientIdClaims.join(', ')}: the first that a token has`;
const audienceOfScope = 'aud, or the API that the scopes belong to if there is no aud';

/** What refuses tokens that the provider issues for people, of clients that are created now. */
function describeRule(provider: IdentityProvider): string {
  if (provider.clientIdClaim === 'sub') return 'not needed, as sub names the client';
  const rule = findApplicationRule(provider);
  if (rule === undefined) {
    return 'accepted, unless a client requires a claim that only tokens of applications have, see docs/providers.md';
  }
  const how = rule.derive('ID') === undefined ? 'must require' : 'get the required claim';
  return `refused (${rule.platform}): new clients ${how} ${rule.mark}, unless created with --allow-user-tokens`;
}

function describeOwner({ owner }: ManagedProvider): Cell {
  if (owner === undefined) return 'every one, within its limits';
  const { trunkGroups, others, version } = owner;
  if (trunkGroups.length === 0) {
    return version === 0
      ? 'not known, so it is open to none: authctl provider assign says which'
      : 'every one, within its limits: it was taken over';
  }
  return others === true ? [...trunkGroups, 'others'] : trunkGroups;
}

function fieldsOf(provider: ManagedProvider): readonly (Field | false)[] {
  const keySource: readonly Field[] = hasGivenKeys(provider)
    ? [['keys from a file', describeGivenKeys(provider.givenKeys)]]
    : [
        ['discovery URL', provider.discoveryUrl],
        ['JWKS URI', provider.jwksUri],
      ];
  return [
    ['issuer', provider.issuer],
    provider.stops !== undefined && ['stopped', describeStops(provider.stops)],
    ['trunk groups', describeOwner(provider)],
    ...keySource,
    ['algorithms', provider.allowedAlgorithms.join(' ')],
    ['client id claim', provider.clientIdClaim ?? usualClaims],
    ['audience', provider.audienceFrom === 'scope' ? audienceOfScope : 'aud'],
    ['tokens of people', describeRule(provider)],
    provider.clientPatterns === true && ['client patterns', 'allowed'],
    provider.leeway !== undefined && ['leeway', `${provider.leeway} s`],
    ['registration', provider.registrationId],
    ['registered', formatTime(provider.registeredAt)],
  ];
}

function printProvider(cli: Cli, provider: ManagedProvider): void {
  cli.output.print({
    json: viewIdentityProvider(provider),
    quiet: [provider.issuer],
    text: cli.output.fields(fieldsOf(provider)),
  });
}

/** Every client under a provider, by name. */
async function findClients({ management, output }: Cli, provider: string) {
  const read = (cursor?: string) => management.listClients({ provider, cursor });
  return collectPages(output, read, ({ clientId }) => clientId);
}

function readKeys(path: string): string {
  const say = (code: string) => `--jwks-file: ${path} cannot be read: ${code}`;
  return readGivenFile(path, say).toString('utf8');
}

/** @throws {NotFoundError} if it is not registered. */
async function versionOfKeys(management: Operations, name: string): Promise<number> {
  const { givenKeys } = await management.findProvider(name);
  return givenKeys?.version ?? 0;
}

const register = command({
  name: 'register',
  summary: 'Register an identity provider from its discovery URL',
  arguments: [discoveryUrl],
  options: [
    ...providerOptions(),
    repeatable(
      '--trunk-group <group>',
      'only for this service trunk group; may be repeated',
      'trunkGroups',
    ),
    option(
      '--jwks-file <file>',
      'its keys, which are then never fetched: the argument is the issuer itself',
    ),
    option('--replace-keys', 'with --jwks-file: only replace the keys of a registered provider'),
  ],
  examples: [
    'provider register https://idp.example.com/.well-known/openid-configuration',
    'provider register https://idp.example.com/.well-known/openid-configuration --client-id-claim cid',
    'provider register https://kubernetes.default.svc.cluster.local --jwks-file keys.json',
  ],
  run: async (cli, [url], options) => {
    const { jwksFile, replaceKeys } = options;
    if (replaceKeys === true && jwksFile === undefined) {
      throw new UsageError('--replace-keys needs --jwks-file');
    }
    const choices = await confirmChoices(cli, options);
    const { provider, keySet } = await cli.management.registerProvider(url, {
      ...choices,
      trunkGroups: options.trunkGroup,
      ...(jwksFile !== undefined && { jwks: readKeys(jwksFile) }),
      ...(replaceKeys === true && { replacesVersion: await versionOfKeys(cli.management, url) }),
    });
    const keys = keySet.keys.map(({ kid, alg, kty }) => ({ kid, alg, kty }));
    cli.output.print({
      json: { ...viewIdentityProvider(provider), keys, skipped_keys: keySet.skipped },
      quiet: [provider.issuer],
      text: cli.output.fields([...fieldsOf(provider), ...keyFields(keySet)]),
    });
    cli.suggest(
      `client create --provider ${quoteWord(provider.issuer)} --external-client-id ID --name … --trunk-group … --scope …`,
    );
  },
});

const list = command({
  name: 'list',
  summary: 'List registered identity providers',
  examples: ['provider list'],
  run: async (cli) => {
    cli.output.printList(await cli.management.listProviders(), {
      view: viewIdentityProvider,
      id: (provider) => provider.issuer,
      row: (provider) => ({
        issuer: provider.issuer,
        'trunk groups': provider.owner?.trunkGroups.join(' ') || 'all',
        algorithms: provider.allowedAlgorithms.join(' '),
        keys: hasGivenKeys(provider) ? describeGivenKeys(provider.givenKeys) : 'fetched',
        registered: formatTime(provider.registeredAt),
      }),
      none: 'There are no providers.',
    });
  },
});

const show = showCommand(
  [issuer],
  {
    noun: 'provider',
    example: 'https://idp.example.com',
    find: (management, [name]) => management.findProvider(name),
    print: printProvider,
  },
  'Show a registered identity provider',
);

const remove = command({
  name: 'delete',
  summary: 'Delete a provider: its tokens are no longer accepted',
  arguments: [issuer],
  options: [
    option('--cascade', 'first delete the clients under it'),
    option('--if-registration <id>', 'delete it only if its registration still has this id'),
  ],
  examples: [
    'provider delete https://idp.example.com',
    'provider delete https://idp.example.com --cascade --yes',
  ],
  run: async (cli, [name], { cascade = false, ifRegistration }) => {
    const { registrationId } = await cli.management.findProvider(name);
    const clients = cascade ? await findClients(cli, name) : [];
    if (cli.deployment().config.federatedClients) {
      cli.output.note(`Its tokens will be refused.${exchangedTokensWarning}`);
    }
    await cli.confirm(
      `Delete the provider ${name}${clients.length === 0 ? '' : ` and ${clients.length} clients under it`}?`,
    );
    const options = { cascade, ifRegistration: ifRegistration ?? registrationId };
    const deleted = await collectPages(
      cli.output,
      (cursor) => cli.management.deleteProvider(name, { ...options, cursor }),
      ({ clientId }) => clientId,
    );
    const ids = deleted.map(({ clientId }) => clientId);
    cli.output.print({
      json: { issuer: name, deleted: true, deleted_clients: ids },
      quiet: [],
      text: [...ids, name].map((id) => `Deleted ${id}.`).join('\n'),
    });
  },
});

/** What a takeover keeps: the choices of the registration, and the clients. */
async function confirmTakeover(cli: Cli, provider: ManagedProvider): Promise<true | undefined> {
  const { issuer: name, clientIdClaim } = provider;
  const clients = await findClients(cli, name);
  const rows = clients.map(({ clientId, name: called, serviceTrunkGroup, provider: at }) => [
    clientId,
    called,
    serviceTrunkGroup,
    at?.externalClientId,
  ]);
  cli.output.note(cli.output.fields(fieldsOf(provider)));
  if (rows.length > 0) {
    cli.output.note(cli.output.table(['client', 'name', 'trunk group', 'id there'], rows));
  }
  const risk = describeClaimRisk(clientIdClaim);
  const warning = risk === undefined ? '' : `Warning: ${risk}. `;
  await cli.confirm(`${warning}Take the provider over with this, for the whole platform?`);
  return risk === undefined ? undefined : true;
}

const assign = command({
  name: 'assign',
  summary: 'Change the trunk groups that a provider of their own is for',
  arguments: [issuer],
  options: [
    repeatable('--trunk-group <group>', 'all that it is for; may be repeated', 'trunkGroups'),
    option('--platform', 'take it over: then it is the platform’s').conflicts('trunkGroup'),
    repeatable(
      '--keep-clients-of <group>',
      'with --platform: the clients of this trunk group stay; may be repeated',
    ),
  ],
  examples: [
    'provider assign https://idp.example.com --trunk-group tg-1001 --trunk-group tg-1002',
    'provider assign https://idp.example.com --platform',
  ],
  run: async (cli, [name], { trunkGroup, platform, keepClientsOf }) => {
    if (trunkGroup === undefined && platform !== true) {
      throw new UsageError('nothing to change; add --trunk-group or --platform');
    }
    const before = await cli.management.findProvider(name);
    const { owner } = before;
    const isTakeover = trunkGroup === undefined;
    const provider = await cli.management.setProviderTrunkGroups(name, {
      trunkGroups: trunkGroup ?? [],
      keepClientsOf,
      allowUserWritableClaim: isTakeover ? await confirmTakeover(cli, before) : undefined,
      ifVersion: owner?.version,
    });
    printProvider(cli, provider);
  },
});

export const providerCommands: CommandGroup = {
  name: 'provider',
  summary: 'Manage registered identity providers; to change one, delete it and register again',
  commands: [register, inspectCommand, list, show, assign, remove, ...grantCommands],
};
