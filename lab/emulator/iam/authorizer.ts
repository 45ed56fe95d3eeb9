import { AccessDeniedError } from '../aws-server/aws-error.ts';
import {
  type Decision,
  evaluateRequest,
  type IamRequest,
  type NamedPolicy,
  type Policies,
  type PolicyType,
  type RequestContext,
} from './evaluate-request.ts';
import type { Propagation } from './propagation.ts';

/** What a call does to one resource. */
export interface ResourceCall {
  /** E.g. `kms:Sign`. */
  readonly action: string;
  /** ARN; `*` for actions that have no resource. */
  readonly resource: string;
  /** Condition keys that describe the call and the resource; those of the caller are added. */
  readonly context: RequestContext;
  /** The resource's own policy, if its kind has one. */
  readonly resourcePolicy?: NamedPolicy | undefined;
}

/** A request, the policies that count for it, and what IAM says to it. */
export interface DecidedRequest extends IamRequest, Decision {
  readonly policies: Policies;
}

/** Someone who calls AWS: a function with its role, a user, or an AWS service. */
export interface Principal {
  /** ARN of the user or of the role's session, or the service's name. */
  readonly arn: string;
  readonly policies: readonly NamedPolicy[];
  readonly boundary?: NamedPolicy | undefined;
  /** Condition keys that describe the principal, e.g. `aws:PrincipalArn`. */
  readonly context: RequestContext;
}

interface AuthorizerOptions {
  readonly account: string;
  /** Hears of every request, those that a cached decision answers included. */
  readonly onDecision?: ((request: DecidedRequest) => void) | undefined;
  /** Policies and tags that do not count yet. By default, all count at once. */
  readonly propagation?: Propagation | undefined;
}

/** Decisions to keep. A run with more different requests evaluates some of them again. */
const maxDecisions = 20_000;

/** Decides requests as IAM does, and remembers what it decided under which policies. */
export class Authorizer {
  readonly #options: AuthorizerOptions;
  readonly #decisions = new Map<string, Promise<DecidedRequest>>();

  constructor(options: AuthorizerOptions) {
    this.#options = options;
  }

  async decide(caller: Principal, request: ResourceCall): Promise<DecidedRequest> {
    const { propagation } = this.#options;
    const { principal, call } =
      propagation === undefined
        ? { principal: caller, call: request }
        : withoutUnknown(caller, request, propagation);
    const decided = await this.#recall(principal, call);
    this.#options.onDecision?.(decided);
    return decided;
  }

  /** Whether a call would be allowed. `onDecision` does not hear of it. */
  async allows(principal: Principal, call: ResourceCall): Promise<boolean> {
    return (await this.#recall(principal, call)).result === 'Allowed';
  }

  /** @throws {AwsError} `AccessDeniedException` if the call is not allowed. */
  async authorize(principal: Principal, call: ResourceCall): Promise<void> {
    const decided = await this.decide(principal, call);
    if (decided.result === 'Allowed') return;
    const types: PolicyType[] = ['identity'];
    if (principal.boundary !== undefined) types.push('boundary');
    if (call.resourcePolicy !== undefined) types.push('resource');
    throw accessDenied(decided, types);
  }

  #recall(principal: Principal, call: ResourceCall): Promise<DecidedRequest> {
    const key = JSON.stringify([
      principal,
      call.action,
      call.resource,
      call.context,
      call.resourcePolicy?.document,
    ]);
    const known = this.#decisions.get(key) ?? this.#evaluate(principal, call);
    if (this.#decisions.size >= maxDecisions) this.#decisions.clear();
    this.#decisions.set(key, known);
    return known;
  }

  async #evaluate(principal: Principal, call: ResourceCall): Promise<DecidedRequest> {
    const { arn, policies, boundary } = principal;
    const { action, resource, resourcePolicy } = call;
    const counting: Policies = { identity: policies, boundary, resource: resourcePolicy };
    const request = {
      principal: arn,
      action,
      resource,
      account: this.#options.account,
      context: { ...principal.context, ...call.context },
    };
    return { ...request, policies: counting, ...(await evaluateRequest(counting, request)) };
  }
}

const resourceTag = 'aws:ResourceTag/';

/** What is left of a request for a host that does not know every policy and tag yet. */
function withoutUnknown(
  principal: Principal,
  call: ResourceCall,
  propagation: Propagation,
): { readonly principal: Principal; readonly call: ResourceCall } {
  const [service = ''] = call.action.split(':');
  const host = propagation.chooseHost(`${principal.arn} ${call.action}`);
  const isKnown = ({ name }: NamedPolicy): boolean =>
    propagation.counts(name, 'policy', service, host);
  const known = (policy: NamedPolicy | undefined) =>
    policy !== undefined && isKnown(policy) ? policy : undefined;
  const context = Object.entries(call.context).filter(([key]) => {
    if (!key.startsWith(resourceTag)) return true;
    const tag = `${call.resource} ${key}`;
    propagation.announce(tag);
    return propagation.counts(tag, 'tag', service, host);
  });
  return {
    principal: {
      ...principal,
      policies: principal.policies.filter(isKnown),
      boundary: known(principal.boundary),
    },
    call: {
      ...call,
      context: Object.fromEntries(context),
      resourcePolicy: known(call.resourcePolicy),
    },
  };
}

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
function accessDenied(request: DecidedRequest, types: readonly PolicyType[]): AccessDeniedError {
  const { principal, action, resource } = request;
  const reason = because(request, silentType(request, types));
  const message = `User: ${principal} is not authorized to perform: ${action} on resource: ${resource} ${reason}`;
  return new AccessDeniedError(action.split(':')[0] ?? '', message);
}
