import { generateKeyPairSync } from 'node:crypto';
import type { CustomResourceAnswer } from '../../../contract/custom-resource.ts';
import { UnavailableError } from '../../../core/errors.ts';
import type { ManagementContext } from '../../../core/management/management-context.ts';
import { createDeclareHandler } from '../../../lambda/management/declare.ts';
import type { RunReport } from '../../../lambda/shared/run-telemetry.ts';
import { createWorld, grantSubject } from '../../adapters/management/world.ts';
import { configWithKeys } from '../../support/management.ts';
import { managementArn } from '../../support/management-function.ts';

export const account = '111122223333';

const responseUrl =
  'https://cloudformation-custom-resource-response-uswest2.s3.us-west-2.amazonaws.com/x?Signature=y';

export const stackReach = [
  { account, stacks: ['erp', 'erp-*'], trunkGroups: ['tg-1001'] },
  { account: '444455556666', trunkGroups: ['tg-2002'] },
];

export function publicKey(): string {
  const { publicKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return String(key.export({ format: 'pem', type: 'spki' }));
}

/** A JWK of a key that signs with more than one algorithm. */
export function rsaKey(): object {
  const { publicKey: key } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return key.export({ format: 'jwk' });
}

let requests = 0;

export function stackId(name = 'erp', life = 'life-1', of = account): string {
  return `arn:aws:cloudformation:us-west-2:${of}:stack/${name}/${life}`;
}

/** What a stack sends, but for what is given. */
export function eventOf(changes: object = {}) {
  requests += 1;
  return {
    RequestType: 'Create',
    ResponseURL: responseUrl,
    StackId: stackId(),
    RequestId: `request-${requests}`,
    LogicalResourceId: 'Billing',
    ResourceType: 'Custom::OAuthClient',
    ResourceProperties: {},
    ...changes,
  };
}

/** The function over a world, whose provider grants a workload to the trunk group of the stacks. */
export async function declareWorld(change: (context: ManagementContext) => object = () => ({})) {
  const world = await createWorld('tg-1001');
  const answers: CustomResourceAnswer[] = [];
  const reports: RunReport[] = [];
  let lost = 0;
  const config = { ...configWithKeys, management: { reach: [], stackReach } };
  const handler = createDeclareHandler({
    createContext: () => ({ ...world.context, config, ...change(world.context) }),
    sendAnswer: async (_, answer) => {
      if (lost > 0) {
        lost -= 1;
        throw new UnavailableError('CloudFormation was not answered: status 500');
      }
      answers.push(answer);
    },
    allowLoopback: false,
    sleep: async () => undefined,
    telemetry: { report: (report) => reports.push(report) },
  });
  let remaining = 60_000;
  const send = async (event: object, alias = `stack-${account}`) => {
    remaining = 60_000;
    await handler(event, {
      invokedFunctionArn: `${managementArn}:${alias}`,
      getRemainingTimeInMillis: () => (remaining -= 10_000),
    });
    return answers.at(-1) as CustomResourceAnswer;
  };
  return { world, answers, reports, send, loseAnswers: (count: number) => (lost = count), config };
}

export { grantSubject };
