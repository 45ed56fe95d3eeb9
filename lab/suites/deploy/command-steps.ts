import { commandGroups, singleCommands } from '../../../cli/command-groups.ts';
import type { OperatorGroupName } from '../../../contract/operator-permissions.ts';

/** What is known, by the names that lines have in braces, e.g. the id of a client. */
export type Made = Readonly<Record<string, string>>;

/** Whose policy a caller has; `account` is an administrator of the account. */
type Operator = OperatorGroupName | 'account';

/** One command of `authctl`, with what it needs of the steps before it. */
export interface Step {
  /** As `--help` lists it, e.g. `client create`. */
  readonly command: string;
  /** What is typed, with `{clientId}` for an id that an earlier step has printed. */
  readonly line: string;
  readonly as: Operator;
  /** The exit code for a customer to whom nothing of this belongs. */
  readonly stranger: number;
  /** What is piped to it. */
  readonly input?: string;
  /** The exit code in the deployment; 0 if left out. */
  readonly code?: number;
}

/** Every command of the command line. */
export function listCommands(): readonly string[] {
  const grouped = commandGroups.flatMap(({ name, commands }) =>
    commands.map((command) => `${name} ${command.name}`),
  );
  return [...grouped, ...singleCommands.map(({ name }) => name)];
}

/** The words of a line. A name that is not known stays as it is. */
export function fillLine(line: string, made: Made): readonly string[] {
  return line
    .split(' ')
    .map((word) => word.replaceAll(/\{(\w+)\}/g, (text, name: string) => made[name] ?? text));
}

type Row = readonly [line: string, stranger: number, more?: Partial<Step>];

/** Steps of one operator, except those that say who else runs them. */
function stepsOf(as: Operator, rows: readonly Row[]): readonly Step[] {
  const commands = listCommands();
  return rows.map(([line, stranger, more]) => {
    const command = commands.find((one) => line === one || line.startsWith(`${one} `));
    if (command === undefined) throw new Error(`no command begins as ${line}`);
    return { command, line, as, stranger, ...more };
  });
}

const ofTour = '--trunk-group tg-tour';
const auditor = { as: 'auditor' } as const;
const administrator = { as: 'administrator' } as const;

/** Every command, in steps that follow each other. The four rows need nothing of each other. */
export const commandSteps: readonly (readonly Step[])[] = [
  stepsOf('client-operator', [
    [`client create --name Tour ${ofTour} --scope messaging:view`, 2],
    // Its config has no clientImport.
    ['client import', 2, { input: '{"client_id":"tour-client"}', code: 1 }],
    [`client list ${ofTour}`, 0],
    ['client show {clientId}', 1],
    ['client update {clientId} --name B', 1],
    ['client-secret create {clientId}', 1],
    ['client-secret list {clientId}', 1],
    ['key create {folder}/key.jwk', 0],
    ['client-secret update {clientId} {secretId} --name blue', 1],
    ['client-secret disable {clientId} {secretId}', 1],
    ['client-secret enable {clientId} {secretId}', 1],
    ['client-secret rotate {clientId}', 1],
    ['client-secret delete {clientId} {secretId}', 1],
    ['explain token --client-id {clientId}', 1],
    ['client disable {clientId}', 1],
    ['client enable {clientId}', 1],
    ['client revoke-tokens {clientId}', 1],
    ['portal', 0],
    ['audit history {clientId}', 0, auditor],
    ['client delete {clientId}', 1],
    ['client delete-undeclared', 0],
  ]),
  stepsOf('api-key-operator', [
    [`api-key create --name Tour ${ofTour}`, 2],
    [`api-key list ${ofTour}`, 0],
    ['api-key show {keyId}', 1],
    ['api-key update {keyId} --name B', 1],
    ['api-key rotate {keyId}', 1],
    ['explain request --bearer-stdin --issuer {ownIssuer}', 1, { ...auditor, input: '{apiKey}' }],
    ['api-key-subnet add {keyId} --name office --address 203.0.113.0/24', 1],
    ['api-key-subnet list {keyId}', 1],
    ['api-key-subnet remove {keyId} {subnetId} --allow-any-source', 1],
    ['api-key disable {keyId}', 1],
    ['api-key enable {keyId}', 1],
    ['api-key delete {keyId}', 1],
  ]),
  stepsOf('provider-operator', [
    ['provider inspect {discoveryUrl}', 1],
    [`provider register {discoveryUrl} ${ofTour}`, 2],
    ['provider list', 0],
    ['provider show {issuer}', 1],
    ['provider assign {issuer} --platform', 1],
    [`provider grant {issuer} {value} ${ofTour}`, 1, administrator],
    [`provider grant-issuer https://sso.example.com/realms/tour ${ofTour}`, 1, administrator],
    ['provider grants', 1],
    ['provider check', 1],
    ['provider delete {issuer}', 1],
    ['trunk-group-limits set {serviceTrunkGroup} --max-clients 1', 1, administrator],
    ['trunk-group stop {serviceTrunkGroup}', 1, administrator],
    ['trunk-group resume {serviceTrunkGroup}', 1, administrator],
    ['trunk-group-limits show {serviceTrunkGroup}', 1, { as: 'client-operator' }],
    ['trunk-group-limits check {serviceTrunkGroup}', 1, auditor],
    ['trunk-group-limits list', 0, auditor],
    ['scope list', 0, auditor],
    ['audit list', 0, auditor],
    ['audit erase-name {subject}', 1, administrator],
  ]),
  stepsOf('signing-key-operator', [
    ['signing-key list', 2],
    ['signing-key plan', 2],
    // Not the first algorithm of the config: a choice, which waits for nothing.
    ['signing-key rotate --algorithm RS256', 2],
    ['signing-key withdraw {previousKid} --emergency', 2],
    [
      'table restore clients --from {restoredTable} --restore-point {restorePoint}',
      2,
      { as: 'restore-operator' },
    ],
  ]),
];
