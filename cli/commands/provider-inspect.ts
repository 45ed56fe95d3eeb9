import { audienceSources } from '../../contract/management/inputs.ts';
import type { OperationResult } from '../../contract/management/operations.ts';
import { secondsOrTyped } from '../../core/duration.ts';
import type { RuleProposal } from '../../core/identity-provider/application-rule.ts';
import {
  defaultClientIdClaims,
  describeClaimRisk,
} from '../../core/identity-provider/client-id-claim.ts';
import type { ProviderChoices } from '../../core/management/providers/provider-choices.ts';
import { formatTime } from '../../core/time.ts';
import type { Cli } from '../cli.ts';
import { readStdin } from '../cli-io.ts';
import { command, type OptionValues, offered, option, repeatable } from '../command-spec.ts';
import type { Field } from '../output.ts';
import { UsageError } from '../usage-error.ts';
import { describeFinding } from './explain.ts';
export const discoveryUrl = [
  'discovery-url',
  'https URL, usually ending in /.well-known/openid-configuration',
] as const;

export function providerOptions() {
  return [
    option(
      '--client-id-claim <name>',
      'claim that names the client; default: client_id, azp or sub, the first that a token has',
    ),
    offered(
      '--audience-from <source>',
      'claim that names the API in tokens without aud: scope for Amazon Cognito',
      audienceSources,
    ),
    option(
      '--allow-client-patterns',
      'ids of its clients may end with *, as for the branches of a CI system',
    ),
    repeatable(
      '--algorithm <alg>',
      'what keys without alg are for, of what the provider lists; may be repeated; default: all',
    ),
    option(
      '--leeway <duration>',
      'by how much its clock may differ at platform APIs, 10s to 60s; default: 10s',
    ),
  ] as const;
}

/** What an operator decides about a provider's tokens. */
type ProviderOptions = OptionValues<ReturnType<typeof providerOptions>>;

/** Asks before it trusts a claim that users of the provider may be able to write. */
export async function confirmChoices(cli: Cli, options: ProviderOptions): Promise<ProviderChoices> {
  const { clientIdClaim, audienceFrom, allowClientPatterns, algorithm: algorithms } = options;
  const leeway = secondsOrTyped(options.leeway);
  const choices = { clientIdClaim, audienceFrom, allowClientPatterns, algorithms, leeway };
  const risk = describeClaimRisk(clientIdClaim);
  if (risk === undefined) return choices;
  await cli.confirm(`Warning: ${risk}. Trust it?`);
  return { ...choices, allowUserWritableClaim: true };
}

/** The keys of a provider, and the skipped ones with the reason. */
export function keyFields({
  keys,
  skipped,
}: OperationResult<'registerProvider'>['keySet']): readonly (Field | false)[] {
  const leftOut = skipped.map((key) => `${key.kid || 'without kid'}: ${key.reason}`);
  return [
    ['keys', keys.map((key) => `${key.kid} (${key.alg})`)],
    leftOut.length > 0 && ['keys left out', leftOut],
  ];
}

/** One token per line on stdin, which keeps tokens out of history and process list. */
async function readTokens(cli: Cli): Promise<readonly string[]> {
  const text = await readStdin(cli.io);
  const tokens = text?.split(/\s+/).filter((token) => token !== '') ?? [];
  if (tokens.length === 0) throw new UsageError('--token-stdin: received no token on stdin');
  return tokens;
}

type ProviderInspection = OperationResult<'inspectProvider'>;

type TokenInspection = ProviderInspection['tokens'][number];

const claimsOf = ({ conditions }: NonNullable<RuleProposal>) =>
  conditions.map(({ claim, values }) => `${claim}=${values.join(' or ')}`);

function viewToken(token: TokenInspection): Readonly<Record<string, unknown>> {
  if (!token.usable) {
    const { usable, reason, rule, finding } = token;
    return { usable, reason, rule, finding };
  }
  return {
    usable: true,
    client_id_claim: token.clientIdClaim,
    external_client_id: token.externalClientId,
    patterns: token.patterns,
    audience: token.audiences,
    sub: token.subject,
    expires_at: formatTime(token.expiresAt),
    other_claims: token.otherClaims,
    application_rule: token.proposal && {
      required_claims: claimsOf(token.proposal),
      added: token.proposal.isAdded,
      met: token.proposal.isMet,
    },
  };
}

/** Claims that name the application at providers whose `sub` can be a user. */
const applicationClaims = ['appid', 'cid'];

/** The option of `provider register` that such a token calls for. */
function hintsOf(token: TokenInspection): readonly string[] {
  if (!token.usable) {
    const { name, received } = token.finding ?? {};
    if (name !== 'aud' || received !== undefined) return [];
    return [
      'Hint: --audience-from scope takes the audience from the scopes of tokens without aud, such as those of Amazon Cognito.',
    ];
  }
  if (token.clientIdClaim !== 'sub') return [];
  return applicationClaims
    .filter((name) => token.otherClaims[name] !== undefined)
    .map(
      (name) =>
        `Hint: ${name} names the application; sub can be a user. Use --client-id-claim ${name}.`,
    );
}

/** What keeps tokens of people out, in one sentence. */
function describeProposal({
  clientIdClaim,
  externalClientId,
  proposal,
}: TokenInspection & { usable: true }) {
  if (clientIdClaim === 'sub' && proposal === undefined) return [];
  if (proposal === undefined) {
    return [
      `Rule: none is known for this issuer. Compare it with a token of a person, and require what differs (--require-claim), or a person's token counts as ${externalClientId}.`,
    ];
  }
  const claims = claimsOf(proposal).join(' and ');
  if (!proposal.isMet) {
    return proposal.isAdded
      ? [
          `Rule: new clients require ${claims}, which this token lacks: it is not the application's own, and is refused.`,
        ]
      : [
          "Rule: this token is a person's, not the application's own. Inspect one that the application got without a person.",
        ];
  }
  return proposal.isAdded
    ? [`Rule: new clients require ${claims}, which this token has and those of people lack.`]
    : [
        `Rule: create the client with ${claimsOf(proposal)
          .map((claim) => `--require-claim ${claim}`)
          .join(' ')}, which tokens of people lack.`,
      ];
}

function formatToken(cli: Cli, token: TokenInspection, index: number): string {
  const title = `Token ${index + 1}`;
  if (!token.usable) {
    const { reason, rule, finding } = token;
    return [
      `${title}: refused (${reason}). The rule: ${rule}.`,
      ...describeFinding(finding),
      ...hintsOf(token),
    ].join('\n');
  }
  const { otherClaims } = token;
  const others = Object.entries(otherClaims)
    .filter(([name]) => name !== 'sub')
    .map(([name, value]) => `${name}: ${value}`);
  return [
    `${title}: accepted, if there is a client with this id and one of these audiences.`,
    cli.output.fields([
      ['external client id', `${token.externalClientId} (${token.clientIdClaim})`],
      token.patterns.length > 0 && ['or a pattern', token.patterns],
      ['audience', token.audiences],
      ['sub', token.subject],
      ['expires', formatTime(token.expiresAt)],
      others.length > 0 && ['other claims', others],
    ]),
    ...hintsOf(token),
    ...describeProposal(token),
  ].join('\n');
}

function formatFound(cli: Cli, found: ProviderInspection, options: ProviderOptions): string {
  const missing = 'not found';
  return cli.output.fields([
    ['issuer', found.issuer ?? missing],
    ['discovery URL', found.discoveryUrl ?? missing],
    ['JWKS URI', found.jwksUri ?? missing],
    ['algorithms', found.allowedAlgorithms?.join(' ') ?? missing],
    [
      'client id claim',
      options.clientIdClaim ?? `${defaultClientIdClaims.join(', ')}: the first that a token has`,
    ],
    ...(found.keySet === undefined ? [] : keyFields(found.keySet)),
  ]);
}

export const inspectCommand = command({
  name: 'inspect',
  summary:
    'Show what registering a provider would find, and decide about its tokens; changes nothing',
  arguments: [discoveryUrl],
  options: [
    ...providerOptions(),
    option('--token-stdin', 'decide about the tokens on stdin, one per line; they are not shown'),
  ],
  examples: [
    'provider inspect https://idp.example.com/.well-known/openid-configuration',
    'provider inspect https://idp.example.com/.well-known/openid-configuration --client-id-claim cid --token-stdin < token.txt',
  ],
  run: async (cli, [url], options) => {
    const choices = await confirmChoices(cli, options);
    const tokens = options.tokenStdin === true ? await readTokens(cli) : [];
    const found = await cli.management.inspectProvider(url, { ...choices, tokens });
    const { registrable, problem, keySet } = found;
    const summary = registrable
      ? `It can be registered.${found.warning === undefined ? '' : ` Warning: ${found.warning}.`}`
      : `It cannot be registered: ${problem ?? ''}.`;
    cli.output.print({
      json: {
        registrable,
        problem,
        warning: found.warning,
        issuer: found.issuer,
        discovery_url: found.discoveryUrl,
        jwks_uri: found.jwksUri,
        allowed_algorithms: found.allowedAlgorithms,
        keys: keySet?.keys.map(({ kid, alg, kty }) => ({ kid, alg, kty })),
        skipped_keys: keySet?.skipped,
        tokens: found.tokens.map(viewToken),
      },
      quiet: [registrable ? 'registrable' : 'refused'],
      text: [
        formatFound(cli, found, options),
        summary,
        ...found.tokens.map((token, index) => formatToken(cli, token, index)),
      ].join('\n\n'),
    });
    const isRefused = !registrable && found.tokens.length === 0;
    if (isRefused || found.tokens.some(({ usable }) => !usable)) cli.answerNo();
  },
});
