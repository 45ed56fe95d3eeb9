import assert from 'node:assert/strict';
import type { PolicyDocument } from '../../emulator/iam/evaluate-request.ts';
import type { Cloud } from '../cloud.ts';
import { eventually, say } from '../proof.ts';

interface Withheld {
  readonly functionArn: string;
  readonly action: string;
  /** Statements of the role that allow the action. */
  readonly statements: number;
}

function withoutAction({ Statement, ...rest }: PolicyDocument, action: string): PolicyDocument {
  const kept = Statement.filter((one) => {
    const { Effect, Action } = one as { readonly Effect: string; readonly Action: string };
    return Effect !== 'Allow' || Action !== action;
  });
  return { ...rest, Statement: kept };
}

/** Takes an action from the role of a deployed function while `work` runs. */
async function withholdAction(
  cloud: Cloud,
  { functionArn, action, statements }: Withheld,
  work: () => Promise<void>,
): Promise<void> {
  const { iam } = cloud.aws('us-east-1');
  const role = await cloud.permissions.deployed.roleOf(functionArn);
  const [policy, ...others] = role.policies;
  assert.ok(policy !== undefined && others.length === 0, 'the role has one policy');
  const [RoleName, PolicyName] = policy.name.split('/');
  const put = (document: PolicyDocument) =>
    iam.putRolePolicy({ RoleName, PolicyName, PolicyDocument: JSON.stringify(document) });
  const without = withoutAction(policy.document, action);
  assert.equal(policy.document.Statement.length - without.Statement.length, statements);
  await put(without);
  try {
    await cloud.permissions.record.expectDenials(
      (request) => request.action === action && request.principal.includes(`/${RoleName}/`),
      work,
    );
  } finally {
    await put(policy.document);
  }
}

/** A token function whose role may not sign issues no token. */
export async function proveSignPermission(
  cloud: Cloud,
  functionArn: string,
  issueToken: () => Promise<Response>,
): Promise<void> {
  // One statement for each of the two algorithms of the deployment.
  await withholdAction(cloud, { functionArn, action: 'kms:Sign', statements: 2 }, async () => {
    await eventually(async () => {
      const response = await issueToken();
      const { error } = (await response.json()) as Readonly<Record<string, unknown>>;
      assert.deepEqual([response.status, error], [503, 'temporarily_unavailable']);
    });
  });
  assert.equal((await issueToken()).status, 200);
  say('IAM counts: without kms:Sign the deployed token function issues nothing, and with it again');
}
