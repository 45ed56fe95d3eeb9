import * as v from 'valibot';
import { maxTrunkGroupsOfReach } from './bounds.ts';
import { configObject, count, distinct, matching, trunkGroup } from './config-values.ts';
import { canBeRole, isReservedRole, lastingName, reservedRoleHelp } from './identity-center.ts';
import { managementAliases } from './management/roles.ts';
import { ownValue } from './own-value.ts';

const principal = v.pipe(
  matching(
    /^(?:\d{12}|arn:aws[a-z-]*:iam::\d{12}:(?:role|user)\/[\w+=,.@/*-]{1,512})$/,
    'allowed: the id of an AWS account, or the ARN of an IAM role or user',
  ),
  v.check(
    canBeRole,
    `allowed: the id of an AWS account, the ARN of an IAM role or user, or ${reservedRoleHelp}`,
  ),
);

const identity = /^(arn:aws[a-z-]*):(?:iam|sts)::(\d{12}):(role|assumed-role|user)\/(.+)$/;

/**
 * The names by which a config can mean a caller, or a principal of the config: the role or user,
 * then the account. They are compared without their path, as the session of a role has none and a
 * name is unique in its account; roles of Identity Center also without their suffix. The name of a session and that of a federated user are chosen by
 * their caller, so they never count.
 */
export function namesOf(arn: string): readonly [string, ...string[]] {
  const account = arn.split(':')[4] ?? arn;
  const [, partition, , kind = '', rest = ''] = identity.exec(arn) ?? [];
  if (kind === '') return [account];
  const parts = rest.split('/');
  const name = lastingName((kind === 'assumed-role' ? parts[0] : parts.at(-1)) ?? '');
  return [`${partition}:iam::${account}:${kind === 'user' ? 'user' : 'role'}/${name}`, account];
}

/** The limits of a portal. */
const portalLimits = {
  /** Scopes that they may give; those of the catalogue if left out. */
  scopes: v.optional(v.array(v.string())),
  /** Seconds that a token of their clients may live; the deployment's maximum if left out. */
  maxTokenLifetime: v.optional(count),
  /** Seconds that a new secret may live; without an end if left out. */
  maxSecretLifetime: v.optional(count),
  /** Clients, and API keys, that each trunk group may have. */
  maxClients: v.optional(count),
  maxApiKeys: v.optional(count),
} as const;

/** A resource policy names a role exactly, which none of Identity Center stays. */
const isRole = (arn: string) => /^arn:[^:]+:iam::\d{12}:role\//.test(arn) && !isReservedRole(arn);

const callerAlias = v.picklist(managementAliases.filter((alias) => alias !== 'portal'));

/**
 * What a trunk group may be given is in one record: its limits. A reach entry that also says it is
 * refused, because the caller would get more than the entry says.
 */
function describeLimit(key: string): string | undefined {
  return ownValue(portalLimits, key) === undefined
    ? undefined
    : 'allowed only in the limits of the trunk groups, which authctl trunk-group-limits set changes';
}

const reachEntries = configObject(
  {
    principals: distinct(principal, 100),
    /**
     * Aliases of the function that these roles of other accounts may invoke. The stack allows exactly
     * these roles in the resource policy of each alias.
     */
    aliases: v.optional(distinct(callerAlias, managementAliases.length)),
    /** Service trunk groups: nothing else exists for these principals. */
    trunkGroups: distinct(trunkGroup, maxTrunkGroupsOfReach),
  },
  { notHere: describeLimit },
);

export const reachSchema = v.pipe(
  reachEntries,
  v.check(
    ({ aliases, principals }) => aliases === undefined || principals.every(isRole),
    'allowed: aliases only if each principal is the ARN of a role, and none is of Identity Center',
  ),
);

/** What an identity of the deployment's account without an entry may do. */
export const reachDefaultSchema = v.optional(v.picklist(['everything', 'nothing']));

/** Without an entry, a portal may name no administrator, and every trunk group. */
export const portalReachSchema = configObject({
  /** Whether a portal may name a person as administrator. */
  administrators: v.optional(v.boolean(), false),
  /** Service trunk groups: nothing else exists for a portal. All of them if left out. */
  trunkGroups: v.optional(distinct(trunkGroup, maxTrunkGroupsOfReach)),
  ...portalLimits,
});

/** What a portal can do at most through the management function, for any person that it names. */
export type PortalReach = Readonly<v.InferOutput<typeof portalReachSchema>>;

/** What some AWS principals can reach through the management function. */
export type Reach = Readonly<v.InferOutput<typeof reachSchema>>;

/** The entry of a caller. Its own role or user counts before its account. */
export function findReachEntry(entries: readonly Reach[], arn: string): Reach | undefined {
  for (const name of namesOf(arn)) {
    const found = entries.find(({ principals }) =>
      principals.some((principal) => namesOf(principal)[0] === name),
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Stacks of an account that may declare clients, and in which trunk groups. */
export const stackReachSchema = configObject({
  account: matching(/^\d{12}$/, 'allowed: the id of an AWS account, 12 digits'),
  /**
   * Names of stacks, of which the last character may be `*`; all of the account if left out. Who may
   * create a stack by which name is decided there.
   */
  stacks: v.optional(
    distinct(
      matching(
        /^[A-Za-z][A-Za-z0-9-]{0,127}\*?$/,
        'allowed: the name of a stack, or its beginning and "*"',
      ),
      100,
    ),
  ),
  trunkGroups: distinct(trunkGroup, maxTrunkGroupsOfReach),
});

type StackReach = Readonly<v.InferOutput<typeof stackReachSchema>>;

/** The alias of the management function by which CloudFormation asks for an account. */
export function stackAlias(account: string): string {
  return `stack-${account}`;
}

/** @returns the account whose stacks an alias is for; undefined for another alias. */
export function accountOfStackAlias(invokedArn: string): string | undefined {
  return /:stack-(\d{12})$/.exec(invokedArn)?.[1];
}

/** The trunk groups in which a stack may declare clients. */
export function trunkGroupsOfStack(
  reach: readonly StackReach[] = [],
  { account, name }: { readonly account: string; readonly name: string },
): readonly string[] {
  const matches = (pattern: string) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
  const entries = reach.filter((one) => one.account === account);
  const own = entries.filter(({ stacks }) => stacks === undefined || stacks.some(matches));
  return [...new Set(own.flatMap(({ trunkGroups }) => trunkGroups))];
}

/** What decides which AWS principals are restricted, and how. */
export interface ReachConfig {
  readonly reach: readonly Reach[];
  /** Not left out of a config that has entries. */
  readonly default?: v.InferOutput<typeof reachDefaultSchema>;
}
