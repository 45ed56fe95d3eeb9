import { type EvaluationResult, runSimulation } from '@cloud-copilot/iam-simulate';

/** A policy document of IAM's policy language, without intrinsic functions of CloudFormation. */
export interface PolicyDocument {
  readonly Version?: string;
  readonly Statement: readonly object[];
}

/** A policy, and the name that {@link Decision} reports it by. */
export interface NamedPolicy {
  readonly name: string;
  readonly document: PolicyDocument;
}

/** Every policy that counts for a request. */
export interface Policies {
  /** Of the principal: inline and managed policies of its role. */
  readonly identity: readonly NamedPolicy[];
  /** Left out: the principal has no permissions boundary. */
  readonly boundary?: NamedPolicy | undefined;
  /** Of the resource: a key policy, or the permissions of a Lambda function. */
  readonly resource?: NamedPolicy | undefined;
  /** Of the account, in addition to `FullAWSAccess`. */
  readonly serviceControl?: readonly NamedPolicy[] | undefined;
}

/** Values of condition keys by the key's name, e.g. `kms:SigningAlgorithm`. */
export type RequestContext = Readonly<Record<string, string | readonly string[]>>;

/** A request as IAM sees it. */
export interface IamRequest {
  /** ARN of a role, a role session or a user, or the name of an AWS service. */
  readonly principal: string;
  /** E.g. `kms:Sign`. */
  readonly action: string;
  /** ARN of the resource; `*` for actions that have none. */
  readonly resource: string;
  /** Account of the resource. */
  readonly account: string;
  readonly context: RequestContext;
}

export type PolicyType = keyof Policies;

/** A statement that applied to a request. */
interface AppliedStatement {
  readonly type: PolicyType;
  readonly policy: string;
  /** Place of the statement in its policy, from 0. */
  readonly index: number;
  readonly effect: 'Allow' | 'Deny';
}

export interface Decision {
  readonly result: EvaluationResult;
  /** Statements whose action, resource, principal and condition match the request. */
  readonly statements: readonly AppliedStatement[];
}

interface Analysis {
  readonly allowStatements: readonly AnalysedStatement[];
  readonly denyStatements: readonly AnalysedStatement[];
}

interface AnalysedStatement {
  readonly policyId: string;
  readonly statement: { index(): number };
}

const fullAccess: NamedPolicy = {
  name: 'FullAWSAccess',
  document: { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] },
};

function toPolicies(policies: readonly NamedPolicy[]) {
  return policies.map(({ name, document }) => ({ name, policy: document }));
}

function listStatements(
  type: PolicyType,
  analysis: Analysis | undefined,
  name?: string,
): readonly AppliedStatement[] {
  const list = (effect: 'Allow' | 'Deny', statements: readonly AnalysedStatement[] = []) =>
    statements.map(({ policyId, statement }) => ({
      type,
      policy: name ?? policyId,
      index: statement.index() - 1,
      effect,
    }));
  return [...list('Allow', analysis?.allowStatements), ...list('Deny', analysis?.denyStatements)];
}

function toSimulation(policies: Policies, request: IamRequest) {
  const { principal, action, resource, account, context } = request;
  const { identity, boundary, serviceControl } = policies;
  return {
    request: {
      principal,
      action,
      resource: { resource, accountId: account },
      contextVariables: Object.fromEntries(
        Object.entries(context).map(([key, value]) => [
          key,
          typeof value === 'string' ? value : [...value],
        ]),
      ),
    },
    identityPolicies: toPolicies(identity),
    serviceControlPolicies:
      serviceControl === undefined
        ? []
        : [{ orgIdentifier: 'account', policies: toPolicies([fullAccess, ...serviceControl]) }],
    resourceControlPolicies: [],
    resourcePolicy: policies.resource?.document,
    ...(boundary !== undefined && { permissionBoundaryPolicies: toPolicies([boundary]) }),
  };
}

/**
 * Evaluates a request as IAM does. The engine is `@cloud-copilot/iam-simulate`, a development
 * dependency: nothing that is published or deployed may import this file.
 *
 * @throws {Error} if a policy is not valid, or IAM has no such action or resource.
 */
export async function evaluateRequest(policies: Policies, request: IamRequest): Promise<Decision> {
  const simulated = await runSimulation(toSimulation(policies, request), {});
  if (simulated.resultType !== 'single') {
    const reason = JSON.stringify(simulated.resultType === 'error' ? simulated.errors : request);
    throw new Error(`IAM cannot evaluate ${request.action} on ${request.resource}: ${reason}`);
  }
  const { analysis } = simulated.result;
  const { identityAnalysis, permissionBoundaryAnalysis, resourceAnalysis, scpAnalysis } = analysis;
  return {
    result: simulated.overallResult,
    statements: [
      ...listStatements('identity', identityAnalysis),
      ...listStatements('boundary', permissionBoundaryAnalysis),
      ...listStatements('resource', resourceAnalysis, policies.resource?.name),
      ...(scpAnalysis?.ouAnalysis ?? []).flatMap((unit) => listStatements('serviceControl', unit)),
    ],
  };
}
