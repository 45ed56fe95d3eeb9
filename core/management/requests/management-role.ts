import {
  leastRole,
  type OperationName,
  operationOf,
} from '../../../contract/management/operations.ts';
import type { ManagementRequest, Person } from '../../../contract/management/request.ts';
import {
  hasRole,
  type ManagementAlias,
  managementAliases,
} from '../../../contract/management/roles.ts';
import type { PortalReach } from '../../../contract/reach.ts';
import { CallerRefusedError } from '../../errors.ts';

/** Of the ARN of an invocation: the account of the function and the alias. */
interface InvokedAlias {
  readonly account: string;
  readonly alias: ManagementAlias;
}

const aliasArn = /^arn:aws[a-z-]*:lambda:[a-z0-9-]+:(\d{12}):function:[\w-]+:([\w-]+)$/;

/**
 * The role of an invocation is the alias that it names. A version, or no qualifier, is no role:
 * IAM would decide with another ARN than the policies name.
 *
 * @throws {CallerRefusedError} if the ARN names no alias of the function.
 */
export function readInvokedAlias(invokedArn: string): InvokedAlias {
  const [, account = '', name = ''] = aliasArn.exec(invokedArn) ?? [];
  const alias = managementAliases.find((one) => one === name);
  if (alias !== undefined) return { account, alias };
  throw new CallerRefusedError(
    'access_denied',
    `received an invocation of ${invokedArn}; allowed: one of its aliases ${managementAliases.join(', ')}`,
  );
}

/**
 * Only an administrator has every trunk group. A portal that names no group for others would show
 * them those of every customer.
 */
function hasTrunkGroups(
  { person, trunk_groups: groups }: ManagementRequest,
  reach: PortalReach | undefined,
): boolean {
  return person?.role === 'administrator' || (groups ?? reach?.trunkGroups) !== undefined;
}

/**
 * @param reach of the portal.
 * @throws {CallerRefusedError} if a person is named where none may be, or is not where one must, or
 *   is an administrator and the portal may name none, or is not and has no trunk groups.
 */
export function checkPerson(
  alias: ManagementAlias,
  request: ManagementRequest,
  reach: PortalReach | undefined,
): void {
  const { person } = request;
  if ((alias === 'portal') !== (person !== undefined)) {
    throw new CallerRefusedError(
      'access_denied',
      alias === 'portal'
        ? 'person: received nothing; allowed: the person behind the portal'
        : `person: received a person; allowed: nothing, as the alias ${alias} acts for the AWS caller`,
    );
  }
  if (person === undefined) return;
  if (!hasTrunkGroups(request, reach)) {
    throw new CallerRefusedError(
      'access_denied',
      `trunk_groups: received nothing for a ${person.role}; allowed: the trunk groups of the person, or management.portalReach.trunkGroups in the deployment config`,
    );
  }
  if (person.role !== 'administrator' || reach?.administrators === true) return;
  throw new CallerRefusedError(
    'access_denied',
    'person: received the role administrator; allowed: viewer, manager, because management.portalReach.administrators of the deployment config is not true',
  );
}

/** Who asks for an operation. */
interface Caller {
  readonly alias: ManagementAlias;
  /** Behind a portal. */
  readonly person: Person | undefined;
  /** Whether the request is restricted to trunk groups. */
  readonly isRestricted: boolean;
}

/** Whether the alias, and the person behind a portal, may call an operation. */
function mayCall({ alias, person, isRestricted }: Caller, name: OperationName): boolean {
  const operation = operationOf(name);
  if (alias !== 'portal') return operation.aliases.includes(alias);
  return person !== undefined && hasRole(person.role, leastRole(operation, isRestricted));
}

/** @throws {CallerRefusedError} if the role does not allow it. */
export function checkRole(caller: Caller, name: OperationName): void {
  if (mayCall(caller, name)) return;
  const { alias, person, isRestricted } = caller;
  const operation = operationOf(name);
  const { aliases } = operation;
  const least = leastRole(operation, isRestricted);
  throw new CallerRefusedError(
    'access_denied',
    alias === 'portal'
      ? `${name}: received a person with the role ${person?.role ?? 'nothing'}; allowed: ${least} or more`
      : `${name}: received the role ${alias}; allowed: ${aliases.join(', ')}`,
  );
}
