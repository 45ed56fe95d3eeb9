import { AccessDeniedError } from '../aws-server/aws-error.ts';
import type { DecidedRequest } from './access-control.ts';
import type { PolicyType } from './evaluate-request.ts';

/** AWS's names of policy types, in its messages. */
const policyTypes: Readonly<Record<PolicyType, string>> = {
  identity: 'an identity-based policy',
  boundary: 'a permissions boundary',
  resource: 'a resource-based policy',
  serviceControl: 'a service control policy',
};

function because({ action, result, statements }: DecidedRequest, denies: PolicyType): string {
  const denial = statements.find(({ effect }) => effect === 'Deny');
  if (result === 'ExplicitlyDenied' && denial !== undefined) {
    return `with an explicit deny in ${policyTypes[denial.type]}`;
  }
  const type = policyTypes[denies].replace(/^an? /, '');
  return `because no ${type} allows the ${action} action`;
}

/** The type of policy that lacks an Allow. */
function silentType({ statements }: DecidedRequest, types: readonly PolicyType[]): PolicyType {
  const allowing = new Set(
    statements.filter(({ effect }) => effect === 'Allow').map(({ type }) => type),
  );
  return types.find((type) => !allowing.has(type)) ?? 'identity';
}

/**
 * The error that AWS answers, in the words of "Troubleshoot access denied error messages" of the
 * IAM user guide.
 *
 * @param types of policies that count for the request.
 */
export function accessDenied(
  request: DecidedRequest,
  types: readonly PolicyType[],
): AccessDeniedError {
  const { principal, action, resource } = request;
  const reason = because(request, silentType(request, types));
  const message = `User: ${principal} is not authorized to perform: ${action} on resource: ${resource} ${reason}`;
  return new AccessDeniedError(action.split(':')[0] ?? '', message);
}
