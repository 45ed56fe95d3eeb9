import type { DecidedRequest, ResourceCall } from './access-control.ts';
import { accessDenied } from './access-denied.ts';
import {
  evaluateRequest,
  type NamedPolicy,
  type Policies,
  type PolicyType,
  type RequestContext,
} from './evaluate-request.ts';
import type { Propagation } from './propagation.ts';

/** Someone who calls AWS: a function with its role, a user, or an AWS service. */
export interface Principal {
  /** ARN of the user or of the role's session, or the service's name. */
  readonly arn: string;
  readonly policies: readonly NamedPolicy[];
  readonly boundary?: NamedPolicy | undefined;
  /** Condition keys that describe the principal, e.g. `aws:PrincipalArn`. */
  readonly context: RequestContext;
}

export interface AuthorizerOptions {
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
