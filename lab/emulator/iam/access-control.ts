import type {
  Decision,
  IamRequest,
  NamedPolicy,
  Policies,
  RequestContext,
} from './evaluate-request.ts';

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
