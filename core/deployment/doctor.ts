import { addressesOf } from '../../contract/addresses.ts';
import { deploymentCheckProperties, readLiveLiterals } from '../../contract/deployment-check.ts';
import type { DeploymentConfig } from '../../contract/deployment-config.ts';
import { tokenEnvironment } from '../../contract/function-environments.ts';
import { operatorGroups } from '../../contract/operator-permissions.ts';
import type { RegionId } from '../../contract/regions.ts';
import { reservationsOf } from '../../contract/reservations.ts';
import { apiKeyUseTable } from '../../contract/tables.ts';
import { RefusedError } from '../errors.ts';
import { assertLiteralsKept } from './kept-literals.ts';
import { type AccountConcurrency, assertReservable } from './reserved-concurrency.ts';

/** A fact, or why it could not be seen and what would show it. */
export type Seen<T> = { readonly seen: T } | { readonly unseen: string; readonly todo: string };

type Variables = Readonly<Record<string, string>>;

/** What only an AWS account has, not the local run. */
export interface RegionQuotas {
  /** Version of the CDK's bootstrap; undefined without one. */
  readonly bootstrap: Seen<number | undefined>;
  /** With the executions that functions of this deployment have reserved. */
  readonly concurrency: Seen<AccountConcurrency & { readonly held: number }>;
  /** KMS calls a second with keys of the config's family. */
  readonly signQuota: Seen<number>;
}

export interface RegionFacts {
  readonly id: RegionId;
  readonly awsRegion: string;
  readonly quotas?: RegionQuotas;
  /** Variables of the token function's live version; undefined if there is none. */
  readonly live: Seen<Variables | undefined>;
  /** The status of each table of the config by name; undefined if there is no such table. */
  readonly tables: Seen<Readonly<Record<string, string | undefined>>>;
  /** What is wrong with the issuer of the live version, seen from this machine. */
  readonly issuer?: Seen<string | undefined>;
}

export interface PortFact {
  readonly port: number;
  readonly state: 'answers' | 'silent' | 'free' | 'taken';
}

export interface Facts {
  readonly node: { readonly running: string; readonly oldest: string };
  /** Of a local run, if one is meant: its ports, or those that it would take. */
  readonly local?: { readonly isThere: boolean; readonly ports: readonly PortFact[] };
  /** Without a deployment, only this machine is looked at. */
  readonly deployment?: {
    readonly config: DeploymentConfig;
    /** The ARN, or why AWS does not accept the credentials. */
    readonly caller: Seen<{ readonly arn: string } | { readonly refused: string }>;
    /** Seconds that this machine's clock is ahead of AWS's. */
    readonly clockAhead: Seen<number>;
    /** IAM's account summary. */
    readonly iam?: Seen<Readonly<Record<string, number>>>;
    readonly regions: readonly RegionFacts[];
  };
}

/** One line of the report. */
export interface Check {
  readonly name: string;
  readonly outcome: 'ok' | 'warning' | 'problem' | 'unseen';
  readonly seen: string;
  readonly needed: string;
  readonly todo?: string | undefined;
}

type Opinion = Pick<Check, 'outcome' | 'seen' | 'todo'>;

/** The CDK's synthesizer needs this version for the files that these stacks publish. */
const leastBootstrap = 6;

/** Roles of one region's stack; a test compares it with the templates. */
export const rolesOfRegion = 16;

/** Seconds. AWS refuses signatures that are five minutes old. */
const clockLimits = { warning: 60, problem: 240 };

function check<T>(
  name: string,
  needed: string,
  fact: Seen<T>,
  judge: (value: T) => Opinion,
): Check {
  if ('seen' in fact) return { name, needed, ...judge(fact.seen) };
  return { name, needed, outcome: 'unseen', seen: fact.unseen, todo: fact.todo };
}

function ok(seen: string): Opinion {
  return { outcome: 'ok', seen };
}

function problem(seen: string, todo: string): Opinion {
  return { outcome: 'problem', seen, todo };
}

function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => text.split('.').map(Number));
  return (a ?? []).map((part, at) => part - (b?.[at] ?? 0)).find((part) => part !== 0) ?? 0;
}

function checkNode({ running, oldest }: Facts['node']): Check {
  const isEnough = compareVersions(running, oldest) >= 0;
  return {
    name: 'node',
    outcome: isEnough ? 'ok' : 'problem',
    seen: running,
    needed: `${oldest} or newer`,
    todo: isEnough ? undefined : `install Node ${oldest} or newer`,
  };
}

function checkLocal({ isThere, ports }: NonNullable<Facts['local']>): readonly Check[] {
  const wrong = ports.filter(({ state }) => state === 'silent' || state === 'taken');
  const todo = isThere
    ? 'start the local run with npm start'
    : 'stop what uses the port, or choose another: PORT=9000 npm start';
  return [
    {
      name: 'local run',
      outcome: isThere ? 'ok' : 'problem',
      seen: isThere ? 'found .local/demo.env' : 'no .local/demo.env in this folder or above it',
      needed: 'one that npm start has started',
      todo: isThere ? undefined : 'run npm start in the folder of the project',
    },
    {
      name: 'ports',
      outcome: wrong.length === 0 ? 'ok' : 'problem',
      seen: ports.map(({ port, state }) => `${port} ${state}`).join(', '),
      needed: isThere ? 'each answers' : 'free',
      todo: wrong.length === 0 ? undefined : todo,
    },
  ];
}

function judgeClock(ahead: number): Opinion {
  const apart = Math.abs(ahead);
  const seen = `${Math.round(apart)} s ${ahead < 0 ? 'behind' : 'ahead of'} AWS`;
  if (apart < clockLimits.warning) return { outcome: 'ok', seen };
  const outcome = apart < clockLimits.problem ? 'warning' : 'problem';
  return { outcome, seen, todo: 'set the clock of this machine by NTP' };
}

function judgeBootstrap(version: number | undefined, awsRegion: string): Opinion {
  const seen = version === undefined ? 'none' : `version ${version}`;
  return version !== undefined && version >= leastBootstrap
    ? ok(seen)
    : problem(seen, `npx cdk bootstrap aws://ACCOUNT/${awsRegion} -c config=FILE`);
}

function judgeConcurrency(
  { held, ...account }: AccountConcurrency & { readonly held: number },
  reservations: ReturnType<typeof reservationsOf>,
): Opinion {
  const seen = `${account.limit}, of which ${account.unreserved} unreserved`;
  try {
    assertReservable({ account, reservations, held });
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return { outcome: 'problem', seen, todo: error.message };
  }
  if (account.limit >= 100) return { outcome: 'ok', seen };
  const todo =
    'request more in Service Quotas ("Concurrent executions") before others depend on it';
  return { outcome: 'warning', seen, todo };
}

function checkQuotas(
  config: DeploymentConfig,
  { id, awsRegion }: RegionFacts,
  quotas: RegionQuotas,
): readonly Check[] {
  const reservations = reservationsOf(config, id);
  const sum = reservations.reduce((total, { executions }) => total + executions, 0);
  const { kmsSignQuota } = config;
  return [
    check(
      `bootstrap ${awsRegion}`,
      `version ${leastBootstrap} or newer of cdk bootstrap`,
      quotas.bootstrap,
      (version) => judgeBootstrap(version, awsRegion),
    ),
    check(
      `lambda ${awsRegion}`,
      sum === 0 ? '100 or more concurrent executions' : `${sum} to reserve, and 100 left`,
      quotas.concurrency,
      (found) => judgeConcurrency(found, reservations),
    ),
    check(
      `kms ${awsRegion}`,
      `kmsSignQuota: ${kmsSignQuota} a second`,
      quotas.signQuota,
      (quota) =>
        quota >= kmsSignQuota
          ? ok(`${quota} a second`)
          : problem(
              `${quota} a second`,
              `request ${kmsSignQuota} in Service Quotas, or set "kmsSignQuota": ${quota}, which the throttle follows`,
            ),
    ),
  ];
}

/** How many of the given things still fit into the account. */
function room(summary: Readonly<Record<string, number>>, name: 'Roles' | 'Policies'): number {
  return (summary[`${name}Quota`] ?? 0) - (summary[name] ?? 0);
}

function checkIam(summary: Seen<Readonly<Record<string, number>>>, regions: number): Check {
  const policies = Object.keys(operatorGroups).length * regions;
  const roles = rolesOfRegion * regions;
  const needed = `room for ${roles} roles and ${policies} policies`;
  return check('iam', needed, summary, (found) => {
    const [forRoles, forPolicies] = [room(found, 'Roles'), room(found, 'Policies')];
    const perRole = found['AttachedPoliciesPerRoleQuota'] ?? 0;
    const seen = `room for ${forRoles} roles and ${forPolicies} policies, ${perRole} policies for one role`;
    if (forRoles < roles || forPolicies < policies) {
      return problem(seen, 'delete unused ones, or request a higher quota of IAM');
    }
    if (perRole >= policies) return ok(seen);
    const todo = `a role that is to have all ${policies} policies of operators takes the document for all regions that synthesis writes (docs/authctl.md)`;
    return { outcome: 'warning', seen, todo };
  });
}

/** Variables of the token function that an update with this config would change. */
function changedVariables(config: DeploymentConfig, id: RegionId, live: Variables): string[] {
  const issuer = live['AUTH_ISSUER'] ?? '';
  const addresses = { ...addressesOf(config, issuer), issuer };
  const source = { config, regionId: id, addresses, toJson: JSON.stringify };
  const expected: Readonly<Record<string, string | undefined>> = tokenEnvironment(source);
  const names = new Set([...Object.keys(expected), ...Object.keys(live)]);
  return [...names].filter((name) => name.startsWith('AUTH_') && expected[name] !== live[name]);
}

function judgeLive(config: DeploymentConfig, id: RegionId, live: Variables): Opinion {
  try {
    const deployed = readLiveLiterals(live);
    assertLiteralsKept({ config: deploymentCheckProperties(config, id), deployed });
    const seen = `issuer ${deployed.issuer}, audience ${deployed.defaultAudience}`;
    const changed = changedVariables(config, id, live);
    if (changed.length === 0) return { outcome: 'ok', seen };
    const todo = `a deployment would change ${changed.join(', ')}: deploy, or take the config of the deployment`;
    return { outcome: 'warning', seen, todo };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { outcome: 'problem', seen: 'another deployment than the config', todo: error.message };
  }
}

/** The local run always has its service. In an account, the first deployment makes it. */
function judgeNone({ name }: DeploymentConfig, isAccount: boolean): Opinion {
  if (isAccount) return ok('nothing is deployed yet');
  const seen = `no service with the name "${name}"`;
  return problem(seen, 'leave --config out, or start npm start with it');
}

function judgeTables(
  tables: Readonly<Record<string, string | undefined>>,
  isDeployed: boolean,
): Opinion {
  const there = Object.entries(tables).filter(([, status]) => status !== undefined);
  const missing = Object.keys(tables).filter((name) => tables[name] === undefined);
  const seen = [
    ...there.map(([name, status]) => `${name} ${status}`),
    ...missing.map((name) => `${name} missing`),
  ].join(', ');
  if (isDeployed) {
    const isActive = there.every(([, status]) => status === 'ACTIVE');
    const isWhole = isActive && missing.length === 0;
    // Nothing decides by it, and a deployment of 0.2.0 does not have it.
    const isWithoutUses = isActive && missing.every((name) => name.endsWith(apiKeyUseTable.suffix));
    const todo = isWithoutUses
      ? 'deploy: it has the last use of API keys, which nothing records without it'
      : 'look at the table, then docs/procedures/import-retained-tables.md';
    if (isWhole) return { outcome: 'ok', seen };
    return { outcome: isWithoutUses ? 'warning' : 'problem', seen, todo };
  }
  if (there.length === 0) return { outcome: 'ok', seen: 'none yet' };
  const todo = 'an earlier deployment left them: deploy with --import-existing-resources';
  return { outcome: 'warning', seen, todo };
}

function checkRegion(config: DeploymentConfig, facts: RegionFacts): readonly Check[] {
  const { id, awsRegion, live, tables, issuer, quotas } = facts;
  const isDeployed = 'seen' in live && live.seen !== undefined;
  return [
    ...(quotas === undefined ? [] : checkQuotas(config, facts, quotas)),
    check(`config ${awsRegion}`, 'the config of the deployed service', live, (variables) =>
      variables === undefined
        ? judgeNone(config, quotas !== undefined)
        : judgeLive(config, id, variables),
    ),
    check(`tables ${awsRegion}`, isDeployed ? 'each ACTIVE' : 'none', tables, (found) =>
      judgeTables(found, isDeployed),
    ),
    ...(issuer === undefined
      ? []
      : [
          check(`issuer ${awsRegion}`, 'discovery and JWKS, from here', issuer, (wrong) =>
            wrong === undefined
              ? ok('both answer')
              : problem(wrong, 'look at the domain and the gateway'),
          ),
        ]),
  ];
}

/** What the facts mean for a deployment: a line for each thing that it needs. */
export function examine({ node, local, deployment }: Facts): readonly Check[] {
  const ofMachine = [checkNode(node), ...(local === undefined ? [] : checkLocal(local))];
  if (deployment === undefined) return ofMachine;
  const { config, caller, clockAhead, iam, regions } = deployment;
  return [
    ...ofMachine,
    check('credentials', 'credentials that AWS accepts', caller, (found) =>
      'arn' in found
        ? { outcome: 'ok', seen: found.arn }
        : { outcome: 'problem', seen: found.refused, todo: 'set AWS_PROFILE, or sign in' },
    ),
    check('clock', `within ${clockLimits.problem} s of AWS`, clockAhead, judgeClock),
    ...(iam === undefined ? [] : [checkIam(iam, regions.length)]),
    ...regions.flatMap((region) => checkRegion(config, region)),
  ];
}
