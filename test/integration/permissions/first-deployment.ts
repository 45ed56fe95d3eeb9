import { createDynamoDbClientStore } from '../../../adapters/dynamodb/stores/client-store.ts';
import { createKmsKeys } from '../../../adapters/kms/kms-keys.ts';
import type { CustomResourceAnswer } from '../../../contract/custom-resource.ts';
import { deploymentCheckProperties } from '../../../contract/deployment-check.ts';
import { functionName } from '../../../contract/function-names.ts';
import { tokenPath } from '../../../contract/routes.ts';
import { tableName } from '../../../contract/tables.ts';
import { createAccessKey } from '../../../lab/emulator/aws-server/access-key.ts';
import { startDynamoDb } from '../../../lab/emulator/dynamodb.ts';
import type { DecidedRequest } from '../../../lab/emulator/iam/authorizer.ts';
import { type Delays, Propagation } from '../../../lab/emulator/iam/propagation.ts';
import { startKms } from '../../../lab/emulator/kms/kms-server.ts';
import { type EventHandler, startLambda } from '../../../lab/emulator/lambda-server.ts';
import { type Access, createAccess } from '../../../lab/local/from-synth/access.ts';
import type { SynthesisedDeployment } from '../../../lab/local/from-synth/synthesised-deployment.ts';
import { type AwsClients, createAwsClients } from '../../../lab/support/aws-clients.ts';
import { clientIdOf, makeClient, makeSecret, secretValueOf } from '../../../lab/support/clients.ts';
import { createTable } from '../../../lab/support/create-tables.ts';
import { basic } from '../../../lab/support/token-request.ts';
import { tokenRequest } from '../../support/token-world.ts';
import { DeployedFunctions, type VirtualClock } from './deployed-functions.ts';

/** Seconds of virtual time. */
interface DeploymentTimes {
  /** Of the deployment check. */
  readonly check: number;
  /** Until the newest code of the token function has signed. */
  readonly firstKey: number;
  /** From the end of the deployment to the first token. */
  readonly firstToken: number;
}

export interface DeploymentResult {
  readonly times: DeploymentTimes;
  /** What the rotation answered to CloudFormation. */
  readonly firstKeyReason: string;
  /** Keys in KMS. */
  readonly keys: number;
  /** Requests that IAM denied. */
  readonly denied: number;
}

const start = 1_800_000_000_000;
const secret = secretValueOf(3);

class Clock implements VirtualClock {
  #now = start;
  now = (): number => this.#now;
  sleep = async (milliseconds: number): Promise<void> => {
    this.#now += milliseconds;
  };
}

type Custom = 'deployment-check' | 'key-rotation';

/** AWS and the functions of one deployment. */
interface Running {
  readonly admin: AwsClients;
  readonly functions: DeployedFunctions;
  /** What custom resources answered to CloudFormation. */
  readonly answers: readonly CustomResourceAnswer[];
  readonly countKeys: () => Promise<number>;
  readonly close: () => Promise<void>;
}

/** First deployments of one synthesis in virtual time, one after another. */
export class FirstDeployments {
  readonly #deployment: SynthesisedDeployment;
  readonly #access: Access;
  readonly #accessKey = createAccessKey();
  readonly #propagation: Propagation;
  #clock = new Clock();
  #denied = 0;

  /** @param onDecision learns of every request that IAM decided. */
  constructor(
    deployment: SynthesisedDeployment,
    onDecision: (request: DecidedRequest) => void = () => undefined,
  ) {
    this.#deployment = deployment;
    const longest = { policy: 0, tag: 0 };
    this.#propagation = new Propagation({ seed: 0, longest }, () => this.#clock.now());
    this.#access = createAccess(deployment, {
      accessKey: this.#accessKey,
      propagation: this.#propagation,
      onDecision: (request) => {
        if (request.result !== 'Allowed') this.#denied += 1;
        onDecision(request);
      },
    });
  }

  /** @throws {Error} if the deployment does not end with a service that issues tokens. */
  async deploy(delays: Delays): Promise<DeploymentResult> {
    this.#clock = new Clock();
    this.#denied = 0;
    this.#propagation.restart(delays);
    const aws = await this.#startAws();
    try {
      const check = await this.#timed(() => this.#check(aws));
      let firstKeyReason = '';
      const firstKey = await this.#timed(async () => {
        firstKeyReason = await this.#createResource('key-rotation', {}, aws);
      });
      const firstToken = await this.#timed(() => this.#getToken(aws));
      const times = { check, firstKey, firstToken };
      return { times, firstKeyReason, keys: await aws.countKeys(), denied: this.#denied };
    } finally {
      await aws.close();
    }
  }

  async #timed(work: () => Promise<void>): Promise<number> {
    const before = this.#clock.now();
    await work();
    return (this.#clock.now() - before) / 1000;
  }

  async #startAws(): Promise<Running> {
    const common = { accessKey: this.#accessKey, accessControl: this.#access.control };
    const handlers = new Map<string, EventHandler>();
    const [dynamodb, kms, lambda] = await Promise.all([
      startDynamoDb(common),
      startKms({ ...common, clock: this.#clock.now }),
      startLambda({ ...common, functions: handlers }),
    ]);
    const { awsRegion: region, tables } = this.#deployment.contents;
    const options = {
      region,
      endpointDynamoDb: dynamodb.endpoint,
      endpointKms: kms.endpoint,
      endpointLambda: lambda.endpoint,
      credentials: this.#accessKey,
    };
    const admin = createAwsClients(options);
    await Promise.all(tables.map((table) => createTable(admin.dynamodb, table)));
    const answers: CustomResourceAnswer[] = [];
    const functions = new DeployedFunctions(this.#deployment, {
      clock: this.#clock,
      awsOf: (name) => ({ ...options, credentials: this.#access.functionKeys.get(name) }),
      onAnswer: (answer) => answers.push(answer),
    });
    for (const [name, handler] of functions.eventHandlers) handlers.set(name, handler);
    const { name: deploymentName } = this.#deployment.config;
    return {
      admin,
      functions,
      answers,
      countKeys: async () =>
        (await createKmsKeys(admin.kms, { deploymentName, keyPolicy: {} }).listKeys()).length,
      close: async () => {
        functions.close();
        admin.dynamodb.destroy();
        admin.kms.destroy();
        await Promise.all([dynamodb, kms, lambda].map((server) => server.close()));
      },
    };
  }

  /** CloudFormation makes the policies of a role. */
  #announcePolicies(isMeant: (functionName: string) => boolean): void {
    for (const [name, role] of this.#deployment.contents.policies.roles) {
      if (!isMeant(name)) continue;
      for (const policy of role.policies) this.#propagation.announce(policy.name);
    }
  }

  /** CloudFormation creates a custom resource. */
  async #createResource(name: Custom, properties: object, running: Running): Promise<string> {
    await running.functions.invokeByStack(name, {
      RequestType: 'Create',
      ResponseURL:
        'https://cloudformation-custom-resource-response-uswest2.s3.us-west-2.amazonaws.com/answer',
      StackId: 'arn:aws:cloudformation:us-west-2:000000000000:stack/local/1',
      RequestId: 'request',
      LogicalResourceId: name,
      ResourceProperties: properties,
    });
    const answer = running.answers.find(({ LogicalResourceId }) => LogicalResourceId === name);
    if (answer?.Status !== 'SUCCESS') throw new Error(`${name} fails: ${answer?.Reason}`);
    return answer.Reason;
  }

  /** The policies of all other roles depend on it. */
  async #check(running: Running): Promise<void> {
    const { config } = this.#deployment;
    const own = functionName(config.name, 'deployment-check');
    this.#announcePolicies((name) => name === own);
    const properties = deploymentCheckProperties(config, 'slc');
    await this.#createResource('deployment-check', properties, running);
    this.#announcePolicies((name) => name !== own);
  }

  /** A client of the new service, which repeats a refused request as `Retry-After` says. */
  async #getToken({ admin, functions }: Running): Promise<void> {
    const { config } = this.#deployment;
    const store = createDynamoDbClientStore(admin.dynamodb, tableName(config.name, 'clients'));
    const client = makeClient({ secrets: [makeSecret(secret)] });
    await store.create(client);
    const headers = { Authorization: basic(clientIdOf(1), secret) };
    const limit = this.#clock.now() + 300_000;
    for (;;) {
      const response = await functions.requestToken(tokenRequest({ path: tokenPath, headers }));
      if (response.statusCode === 200) return;
      const isOutage = response.statusCode === 503;
      if (!isOutage || this.#clock.now() > limit) {
        throw new Error(`no token: ${response.statusCode} ${response.body}`);
      }
      await this.#clock.sleep(Number(response.headers?.['Retry-After'] ?? 1) * 1000);
    }
  }
}
