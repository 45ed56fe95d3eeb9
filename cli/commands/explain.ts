import { assertionWarning } from '../../contract/management/field-words.ts';
import type { OperationResult } from '../../contract/management/operations.ts';
import type { AssertionForm } from '../../contract/management/questions.ts';
import type { RequestFinding } from '../../core/management/explain-request.ts';
import { formatTime } from '../../core/time.ts';
import { readStdin } from '../cli-io.ts';
import { type CommandGroup, command, mandatory, option, repeatable } from '../command-spec.ts';
import { UsageError } from '../usage-error.ts';

const token = command({
  name: 'token',
  summary: 'Explain step by step why a token request is granted or refused; issues no token',
  options: [
    mandatory(option('--client-id <id>', 'the client that would send the request')),
    repeatable('--scope <scope>', 'a scope that it would request; may be repeated'),
    option('--resource <uri>', 'the resource that it would request'),
  ],
  examples: [
    'explain token --client-id client_4fWqEXAMPLE --scope messaging:view',
    'explain token --client-id client_4fWqEXAMPLE --resource https://api.example.com',
  ],
  run: async (cli, _, options) => {
    const explanation = await cli.management.explainToken({
      clientId: options.clientId,
      scope: options.scope?.join(' '),
      resource: options.resource,
    });
    const { granted, steps, error, errorDescription, reason, remedy, claims } = explanation;
    const decision = granted
      ? 'A request with a valid secret gets a token.'
      : `Refused: ${error ?? ''}${errorDescription === undefined ? '' : `, "${errorDescription}"`} (${reason ?? ''}).${remedy === undefined ? '' : `\nTo end it: ${remedy}`}`;
    const rows = steps.map(({ step, outcome, detail }) => [step, outcome, detail?.split('\n')]);
    cli.output.print({
      json: { granted, reason, error, error_description: errorDescription, remedy, steps, claims },
      quiet: [granted ? 'granted' : 'refused'],
      text: `${cli.output.table(['step', 'outcome', 'detail'], rows)}\n\n${decision}`,
    });
    if (!granted) cli.answerNo();
  },
});

function viewVerified(
  verified: NonNullable<OperationResult<'explainRequest'>['verified']>,
): Readonly<Record<string, string | readonly string[] | undefined>> {
  if (verified.credential === 'api_key') {
    return {
      credential: 'api_key',
      key_id: verified.keyId,
      scope: verified.scopes?.join(' '),
      service_trunk_group: verified.serviceTrunkGroup,
    };
  }
  return {
    credential: 'access_token',
    iss: verified.issuer,
    sub: verified.subject,
    aud: verified.audiences,
    client_id: verified.clientId,
    scope: verified.scopes.join(' '),
    service_trunk_group: verified.serviceTrunkGroup,
    jti: verified.tokenId,
    bound_to: verified.boundTo,
    expires_at: formatTime(verified.expiresAt),
  };
}

function describeRefusal(explanation: OperationResult<'explainRequest'>): string {
  const { reason, rule, remedy, finding, status, error, errorDescription } = explanation;
  const seen = [status, error].filter((part) => part !== undefined).join(' ');
  return [
    `Refused (${reason ?? ''}). The rule: ${rule ?? ''}.`,
    ...describeFinding(finding),
    `The caller sees ${seen}${errorDescription === undefined ? '' : `: ${errorDescription}`}.`,
    `To end it: ${remedy ?? ''}`,
  ].join('\n');
}

const request = command({
  name: 'request',
  summary: 'Show which rule accepts or refuses a token, an API key or an assertion',
  options: [
    mandatory(
      option(
        '--bearer-stdin',
        'read the credential from stdin, which keeps it out of history and process list',
      ),
    ),
    option('--source-ip <address>', 'source address of the request', 'sourceAddress'),
    repeatable('--scope <scope>', 'a scope that the request would need; may be repeated', 'scopes'),
    option('--audience <uri>', "audience of the API; default: the deployment's default audience"),
    option('--issuer <url>', 'issuer of a deployment whose config has none'),
    option(
      '--assertion <form>',
      'the credential is for the token endpoint, as client_assertion or jwt_bearer',
    ),
    option('--client-id <id>', 'client_id of the token request with the assertion'),
  ],
  examples: [
    'explain request --bearer-stdin --source-ip 203.0.113.9 --scope messaging:view < token.txt',
    'explain request --bearer-stdin --assertion client_assertion < assertion.txt',
  ],
  run: async (cli, _, options) => {
    // A header is pasted as often as its credential (RFC 6750 §2.1, RFC 9449 §7.1).
    const pasted = await readStdin(cli.io);
    const credential = pasted?.replace(/^(?:Authorization: *)?(?:Bearer|DPoP) +/i, '');
    if (credential === undefined || credential === '') {
      throw new UsageError('--bearer-stdin: received no credential on stdin');
    }
    const explanation = await cli.management.explainRequest({
      credential,
      sourceAddress: options.sourceIp,
      scopes: options.scope ?? [],
      audience: options.audience,
      issuer: options.issuer,
      // The function says which forms there are.
      assertion: options.assertion as AssertionForm | undefined,
      clientId: options.clientId,
    });
    const { accepted, verified, reason, rule, remedy, facts, finding } = explanation;
    const { status, error, errorDescription, refusedWithLookup } = explanation;
    const shown = verified === undefined ? {} : viewVerified(verified);
    const subject = options.assertion === undefined ? shown : { ...shown, credential: 'assertion' };
    const found = {
      client_id: facts?.clientId,
      key_id: facts?.keyId,
      iss: facts?.issuer,
      jti: facts?.tokenId,
    };
    cli.output.print({
      json: {
        accepted,
        reason,
        rule,
        remedy,
        status,
        error,
        error_description: errorDescription,
        finding,
        refused_with_lookup: refusedWithLookup,
        ...(accepted ? subject : found),
      },
      quiet: [accepted ? 'accepted' : 'refused'],
      text: accepted
        ? `Accepted.\n${cli.output.fields(Object.entries(subject).map(([name, value]) => [name, value?.toString()]))}`
        : describeRefusal(explanation),
    });
    if (options.assertion !== undefined) cli.output.warn(assertionWarning);
    if (accepted && subject['bound_to'] !== undefined) {
      cli.output.note(
        'The token is bound to a key. Each request also needs a proof of it (DPoP), which is not looked at here: without one, the token is refused.',
      );
    }
    if (refusedWithLookup !== undefined) {
      cli.output.note(
        `A check that looks up clients refuses it (${refusedWithLookup.reason}). The rule: ${refusedWithLookup.rule}.`,
      );
    }
    if (!accepted) cli.answerNo();
  },
});

export const explainCommands: CommandGroup = {
  name: 'explain',
  summary: 'Find out why a request is granted or refused',
  commands: [token, request],
};

/** Longer values are cut: the problem is usually visible in the beginning. */
const maxShown = 300;

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}

/** What a rule of the verifier looked at, in one or two lines. */
export function describeFinding(finding: RequestFinding | undefined): readonly string[] {
  if (finding === undefined) return [];
  const { name, received, expected, hint } = finding;
  return [
    `${name}: received ${show(received)}; expected ${expected}.`,
    ...(hint === undefined ? [] : [`Hint: ${hint}.`]),
  ];
}
