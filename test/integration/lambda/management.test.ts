import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAuthenticateCaller } from '../../../adapters/sts/authenticate-caller.ts';
import { createCallerProof } from '../../../adapters/sts/caller-proof.ts';
import { type ManagementAnswer } from '../../../contract/management/request.ts';
import { managementDigest, requestDigest } from '../../../core/audit/request-digest.ts';
import { type AccessKey, createAccessKey } from '../../../lab/emulator/aws-server/access-key.ts';
import type { RunningService } from '../../../lab/emulator/aws-server/aws-server.ts';
import { startSts } from '../../../lab/emulator/sts-server.ts';
import { createManagementHandler } from '../../../lambda/management/function.ts';
import { createTestManagement, type TestManagement, testConfig } from '../../support/management.ts';
import { managementArn } from '../../support/management-function.ts';

/*
 * Hostile callers and bad input, with real signatures: the function asks an STS that verifies them.
 */

const operator = createAccessKey();
const limited = createAccessKey();
const foreign = createAccessKey();
const sessionOf = (account: string, role: string) =>
  `arn:aws:sts::${account}:assumed-role/${role}/ada`;
const arns = new Map([
  [operator.accessKeyId, sessionOf('000000000000', 'operator')],
  [limited.accessKeyId, sessionOf('000000000000', 'limited')],
  [foreign.accessKeyId, sessionOf('111122223333', 'operator')],
]);
const keys = [operator, limited, foreign];

let sts: RunningService;
beforeAll(async () => {
  sts = await startSts({
    accessKey: operator,
    accessControl: {
      findAccessKey: (id) => keys.find(({ accessKeyId }) => accessKeyId === id),
      principalArn: (id) => arns.get(id) ?? '',
      authorize: async () => undefined,
    },
  });
});
afterAll(() => sts.close());

const clientOperator = `${managementArn}:client-operator`;
const administrator = `${managementArn}:administrator`;
const entry = {
  principals: ['arn:aws:iam::000000000000:role/limited'],
  trunkGroups: ['tg-2002'],
};
const reachDefault = 'everything' as const;
const management = { reach: [entry], default: reachDefault };
const config = { ...testConfig, management };

let test: TestManagement;
let handler: ReturnType<typeof createManagementHandler>;

beforeEach(() => {
  test = createTestManagement({ config });
  handler = createManagementHandler({
    createContext: () => test.context,
    authenticateCaller: createAuthenticateCaller({
      AWS_ENDPOINT_URL_STS: sts.endpoint,
      AWS_REGION: 'us-west-2',
    }),
    clock: () => Date.now(),
    telemetry: { report: () => undefined },
  });
});

function prove(digest: string, key: AccessKey = operator) {
  return createCallerProof(key, { AWS_ENDPOINT_URL_STS: sts.endpoint })('us-west-2', digest);
}

interface Sent {
  /** What the function is invoked by. */
  readonly invoked: string;
  /** What the signature is for, if it is not what is sent. */
  readonly signedArn: string;
  readonly signedText: string;
  readonly key: AccessKey;
  readonly caller_proof: unknown;
}

const newClient = {
  name: 'Billing',
  serviceTrunkGroup: 'tg-1001',
  scopes: ['messaging:view'],
  idempotencyKey: 'key-12345',
};
const creation = { operation: 'createClient', input: { client: newClient } };

/** Sends a creation that is allowed, but for what is given. */
async function send(sent: Partial<Sent> = {}): Promise<ManagementAnswer> {
  const { invoked = clientOperator, key = operator } = sent;
  const request = JSON.stringify(creation);
  const { signedArn = invoked, signedText = request } = sent;
  const caller_proof =
    'caller_proof' in sent
      ? sent.caller_proof
      : await prove(managementDigest(signedArn, signedText), key);
  return handler({ request, caller_proof }, { invokedFunctionArn: invoked });
}

function errorOf({ outcome }: ManagementAnswer) {
  return 'error' in outcome ? outcome.error : undefined;
}

const otherRegion = clientOperator.replace('us-west-2', 'us-east-2');
const otherAccount = clientOperator.replace('000000000000', '111122223333');

const rows: readonly (readonly [
  what: string,
  expected: string,
  refused: () => Promise<ManagementAnswer>,
])[] = [
  [
    'a proof for another request',
    'AwsCallerError',
    () => send({ signedText: JSON.stringify({ operation: 'listClients', input: {} }) }),
  ],
  [
    'a proof for the same request in other bytes',
    'AwsCallerError',
    () => send({ signedText: ` ${JSON.stringify(creation)}` }),
  ],
  [
    'a proof for another role',
    'AwsCallerError',
    () => send({ invoked: administrator, signedArn: clientOperator }),
  ],
  ['a proof for another region', 'AwsCallerError', () => send({ signedArn: otherRegion })],
  ['a proof for another account', 'AwsCallerError', () => send({ signedArn: otherAccount })],
  [
    'a proof for the key rotation',
    'AwsCallerError',
    async () => send({ caller_proof: await prove(requestDigest('auth-key-rotation', creation)) }),
  ],
  [
    'a proof with another secret',
    'AwsCallerError',
    () => send({ key: { ...operator, secretAccessKey: limited.secretAccessKey } }),
  ],
  ['a proof by an unknown key', 'AwsCallerError', () => send({ key: createAccessKey() })],
  ['a caller of another account', 'AwsCallerError', () => send({ key: foreign })],
  ['a trunk group out of reach', 'InputError', () => send({ key: limited })],
];

describe('a request to the management function', () => {
  it.each(rows)('is refused for %s, and allowed without it', async (_, expected, refused) => {
    const answer = await refused();
    expect(errorOf(answer)?.class).toBe(expected);
    expect(JSON.stringify(answer)).not.toContain('Signature=');
    expect([test.audit, [...test.clients]]).toEqual([[], []]);
    expect(errorOf(await send())).toBeUndefined();
    expect(test.clients.size).toBe(1);
  });
});
