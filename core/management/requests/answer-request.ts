import { inspectionTime } from '../../../contract/bounds.ts';
import type {
  ManagementAnswer,
  ManagementCall,
  ManagementOutcome,
  ManagementRequest,
  Person,
} from '../../../contract/management/request.ts';
import type { ManagementAlias } from '../../../contract/management/roles.ts';
import { findReachEntry, namesOf, type Reach, type ReachConfig } from '../../../contract/reach.ts';
import type { AuditRecord } from '../../audit/audit-log.ts';
import { CallerRefusedError } from '../../errors.ts';
import { intersectLimits } from '../../trunk-group/trunk-group-limits.ts';
import { narrowTrunkGroups, restrictCaller } from '../caller-reach.ts';
import type { ManagementContext } from '../management-context.ts';
import { recordPersonName } from '../person-names.ts';
import { runOperation } from '../run-operation.ts';
import { checkPerson, checkRole } from './management-role.ts';
import { toManagementError } from './wire-errors.ts';

/** Who asks, as IAM and STS know it. */
export interface AuthenticatedCaller {
  readonly alias: ManagementAlias;
  /** The ARN of the user, or of the role's session. */
  readonly arn: string;
  /** The deployment's AWS account. */
  readonly account: string;
}

interface CallContext {
  readonly context: ManagementContext;
  readonly alias: ManagementAlias;
  readonly person: Person | undefined;
}

/** @throws an error that is not of the library: a fault of the function. */
async function runCall(
  { context, alias, person }: CallContext,
  call: ManagementCall,
): Promise<ManagementOutcome> {
  try {
    checkRole({ alias, person, isRestricted: context.trunkGroups !== undefined }, call.operation);
    return { result: await runOperation(context, call, true) };
  } catch (error) {
    const known = toManagementError(error);
    if (known === undefined) throw error;
    return { error: known };
  }
}

/** What happened next to the operation of a request. */
export class RequestRecord {
  readonly #leftOut: { readonly text: string; readonly group: string | undefined }[] = [];
  readonly records: AuditRecord[] = [];
  readonly gaps: AuditRecord[] = [];

  /** @param group that the record belongs to, if it says so. */
  leaveOut(text: string, group: string | undefined): void {
    this.#leftOut.push({ text, group });
  }

  /** @param reach a restricted caller reads nothing of other records. */
  answer(outcome: ManagementOutcome, reach: readonly string[] | undefined): ManagementAnswer {
    const { records: audit, gaps: audit_gaps } = this;
    const left_out = this.#leftOut
      .filter(({ group }) => reach === undefined || (group !== undefined && reach.includes(group)))
      .map(({ text }) => text);
    return { outcome, left_out, audit, audit_gaps };
  }
}

/** What an invocation reads and writes. It reports the records that cannot be read. */
export type CreateContext = (reports: {
  readonly onMalformedRecord: (error: Error, serviceTrunkGroup?: string) => void;
}) => Omit<ManagementContext, 'actor'>;

/**
 * Restricts a request to the trunk groups of the config and of the request itself, and what it gives
 * to the limits of the portal and of the trunk group.
 */
function restrictRequest(
  context: ManagementContext,
  caller: AuthenticatedCaller,
  { person, trunk_groups: requestedGroups }: ManagementRequest,
): ManagementContext {
  const { management } = context.config;
  const portal = caller.alias === 'portal' ? management.portalReach : undefined;
  const ofCaller = findReach(management, caller);
  const groups = [ofCaller?.trunkGroups, portal?.trunkGroups, requestedGroups]
    .filter((some) => some !== undefined)
    .reduce<readonly string[] | undefined>(narrowTrunkGroups, undefined);
  // authctl asks as client-operator or api-key-operator first, so limits hold for its changes.
  const isAdministrator = caller.alias === 'administrator' || person?.role === 'administrator';
  const isStaff = caller.alias !== 'portal' && groups === undefined;
  const time = isStaff ? inspectionTime.staff : inspectionTime.others;
  return restrictCaller({ ...context, inspectionTime: time }, groups, {
    limits: intersectLimits({}, portal ?? {}),
    // The platform's staff, who sets the limits of trunk groups, has only those of the portal.
    hasTrunkGroupLimits: !isAdministrator || groups !== undefined,
  });
}

/** A context whose audit is returned as well. */
export function openContext(
  createContext: CreateContext,
  done: RequestRecord,
  caller: Pick<ManagementContext, 'actor' | 'account'>,
): ManagementContext {
  const base = createContext({
    onMalformedRecord: ({ message }, group) => done.leaveOut(message, group),
  });
  return {
    ...base,
    ...caller,
    audit: {
      appendAudit: async (record) => {
        await base.audit.appendAudit(record);
        done.records.push(record);
      },
    },
    onAuditGap: (gap) => done.gaps.push(gap),
  };
}

/**
 * Answers one request of an authenticated caller.
 *
 * @throws an error that is not of the library: a fault of the function.
 */
export async function answerManagementRequest(
  createContext: CreateContext,
  caller: AuthenticatedCaller,
  request: ManagementRequest,
): Promise<ManagementAnswer> {
  const done = new RequestRecord();
  try {
    const { person } = request;
    const { alias } = caller;
    const actor = async () => person?.actor ?? caller.arn;
    const base = openContext(createContext, done, { actor, account: caller.account });
    const context = restrictRequest(base, caller, request);
    checkPerson(alias, request, context.config.management.portalReach);
    const outcome = await runCall({ context, alias, person }, request);
    // Only of people whom the audit names.
    if (person?.name !== undefined && done.records.length > 0) {
      await recordPersonName(context, person.actor, person.name);
    }
    return done.answer(outcome, context.trunkGroups);
  } catch (error) {
    const known = toManagementError(error);
    if (known === undefined) throw error;
    return done.answer({ error: known }, []);
  }
}

/**
 * A restricted person chooses which of its identities signs, so a config that restricts some says what the
 * others may do. A portal is restricted by `portalReach`.
 */
function isUnrestricted({ reach, default: others }: ReachConfig, alias: ManagementAlias): boolean {
  return (
    alias === 'portal' || others === 'everything' || (reach.length === 0 && others === undefined)
  );
}

/**
 * The reach of a caller. Its own role or user counts before its account.
 *
 * @returns undefined for a caller of the deployment's account without an entry that may do what its
 *   alias allows.
 * @throws {CallerRefusedError} for every other caller without an entry.
 */
export function findReach(
  config: ReachConfig,
  { alias, arn, account }: AuthenticatedCaller,
): Reach | undefined {
  const found = findReachEntry(config.reach, arn);
  if (found !== undefined) return found;
  const isOwn = namesOf(arn).at(-1) === account;
  if (isOwn && isUnrestricted(config, alias)) return undefined;
  const allowed = isOwn
    ? 'a caller that management.reach of the deployment config names, because management.default is nothing'
    : `a caller of account ${account}, or one that management.reach of the deployment config names`;
  throw new CallerRefusedError(
    'access_denied',
    `received the signature of ${arn}; allowed: ${allowed}`,
  );
}
