import type { AwsClientOptions } from '../../../adapters/aws-client-options.ts';
import { type AwsJsonClients, createAwsJsonClients } from '../../../adapters/aws-json-clients.ts';
import {
  createCheckKey,
  createPublishKey,
  createReadVariables,
  createSelfTestCall,
  type ReadVariables,
} from '../../../adapters/lambda/function-calls.ts';
import { createInvokeFunction } from '../../../adapters/lambda/invoke-function.ts';
import { createLambdaClient } from '../../../adapters/lambda/lambda-client.ts';
import type { CustomResourceAnswer } from '../../../contract/custom-resource.ts';
import { type FunctionName, functionName } from '../../../contract/function-names.ts';
import type { Settings } from '../../../contract/function-settings.ts';
import { readSettings } from '../../../contract/read-settings.ts';
import { jwksPath } from '../../../contract/routes.ts';
import { UnavailableError } from '../../../core/errors.ts';
import type { EventHandler } from '../../../lab/emulator/lambda-server.ts';
import type { SynthesisedFunction } from '../../../lab/local/from-synth/stack-contents.ts';
import type { SynthesisedDeployment } from '../../../lab/local/from-synth/synthesised-deployment.ts';
import {
  type AwsClients,
  createAwsClients,
  toVariables,
} from '../../../lab/support/aws-clients.ts';
import { lambdaContext, type ProxyRequest, proxyEvent } from '../../../lab/support/proxy-event.ts';
import { type CanaryHandler, createCanaryHandler } from '../../../lambda/canary/function.ts';
import {
  createDeploymentCheckHandler,
  type DeploymentCheckHandler,
} from '../../../lambda/deployment-check/function.ts';
import { createDiscoveryHandler } from '../../../lambda/discovery/function.ts';
import { createJwksHandler } from '../../../lambda/jwks/function.ts';
import type { RunRotation } from '../../../lambda/key-rotation/function.ts';
import { createKeyRotationHandler } from '../../../lambda/key-rotation/function.ts';
import type { HttpFunction } from '../../../lambda/shared/http-function.ts';
import { createTokenHandler, type TokenFunction } from '../../../lambda/token/function.ts';
import { authenticateOperator, rotationInvocation } from '../../support/caller-proof.ts';
import { recordTelemetry } from '../../support/recorded-telemetry.ts';

/** A clock that only `sleep` moves. Milliseconds. */
export interface VirtualClock {
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

interface Surroundings {
  readonly clock: VirtualClock;
  /** Options of AWS clients with the access key of a function. */
  readonly awsOf: (functionName: string) => AwsClientOptions;
  /** Receives what custom resources answer to CloudFormation. */
  readonly onAnswer: (answer: CustomResourceAnswer) => void;
}

interface HttpFunctions {
  readonly jwks: HttpFunction;
  readonly discovery: HttpFunction;
  readonly token: TokenFunction;
}

/**
 * The functions of a synthesis, in this process, each with the environment and the access key of
 * its own function. Nothing waits for the clock of the machine.
 */
export class DeployedFunctions {
  readonly #deployment: SynthesisedDeployment;
  readonly #surroundings: Surroundings;
  readonly #closing: (() => void)[] = [];
  readonly #http: HttpFunctions;
  readonly #canary: CanaryHandler;
  readonly #rotation: RunRotation;
  readonly #check: DeploymentCheckHandler;

  constructor(deployment: SynthesisedDeployment, surroundings: Surroundings) {
    this.#deployment = deployment;
    this.#surroundings = surroundings;
    this.#http = this.#createHttp();
    this.#canary = this.#createCanary();
    this.#rotation = this.#createRotation();
    this.#check = createDeploymentCheckHandler(
      this.#environmentOf('deployment-check'),
      this.#clientsOf('deployment-check').openDynamoDb(() => undefined).own,
      {
        ...this.#runs(),
        readVariables: this.#readVariables('deployment-check'),
        // The config reserves nothing, so the role may not ask.
        readConcurrency: () => Promise.reject(new Error('nothing is reserved')),
        readQuota: () => Promise.reject(new Error('AWS gives as much to each account')),
      },
    );
  }

  /** Functions that others invoke, by their names in AWS. */
  get eventHandlers(): ReadonlyMap<string, EventHandler> {
    return new Map<string, EventHandler>([
      [this.#nameOf('canary'), this.#canary],
      [this.#nameOf('token'), (event) => this.#http.token(event as never, lambdaContext())],
    ]);
  }

  requestToken(request: ProxyRequest) {
    return this.#http.token(this.#event(request), lambdaContext());
  }

  /** Invokes the function of a custom resource, as CloudFormation does. */
  async invokeByStack(name: 'deployment-check' | 'key-rotation', event: object): Promise<void> {
    const end = this.#surroundings.clock.now() + this.#deployed(name).timeoutMs;
    const getRemainingTimeInMillis = () => end - this.#surroundings.clock.now();
    const context = { ...rotationInvocation, getRemainingTimeInMillis };
    await (name === 'key-rotation' ? this.#rotation : this.#check)(event, context);
  }

  close(): void {
    for (const close of this.#closing) close();
  }

  #nameOf(name: FunctionName): string {
    return functionName(this.#deployment.config.name, name);
  }

  #deployed(name: FunctionName): SynthesisedFunction {
    const found = this.#deployment.contents.functions.get(this.#nameOf(name));
    if (found === undefined) throw new Error(`the templates have no function ${name}`);
    return found;
  }

  #environmentOf<F extends FunctionName>(name: F): Settings<F> {
    return readSettings(name, this.#deployed(name).variables);
  }

  #clientsOf(name: FunctionName): AwsClients {
    const options = this.#surroundings.awsOf(this.#nameOf(name));
    const clients = createAwsClients({ ...options, profile: 'background' });
    this.#closing.push(
      () => clients.dynamodb.destroy(),
      () => clients.kms.destroy(),
    );
    return clients;
  }

  #readVariables(name: FunctionName): ReadVariables {
    const client = createLambdaClient(this.#surroundings.awsOf(this.#nameOf(name)));
    this.#closing.push(() => client.destroy());
    return createReadVariables(client);
  }

  #jsonClientsOf(name: FunctionName): AwsJsonClients {
    const options = this.#surroundings.awsOf(this.#nameOf(name));
    const clients = createAwsJsonClients(toVariables(options));
    this.#closing.push(clients.close);
    return clients;
  }

  /** What functions that no request starts have in common. */
  #runs() {
    const { clock, onAnswer } = this.#surroundings;
    return {
      telemetry: { report: () => {} },
      now: () => Math.floor(clock.now() / 1000),
      sleep: clock.sleep,
      sendAnswer: async (_: string, answer: CustomResourceAnswer) => onAnswer(answer),
    };
  }

  #event(request: ProxyRequest) {
    return proxyEvent({ receivedAt: this.#surroundings.clock.now(), ...request });
  }

  #createHttp(): HttpFunctions {
    const options = { ...recordTelemetry(), clock: this.#surroundings.clock.now };
    return {
      jwks: createJwksHandler(this.#environmentOf('jwks'), this.#jsonClientsOf('jwks'), options),
      discovery: createDiscoveryHandler(this.#environmentOf('discovery'), options),
      token: createTokenHandler(this.#environmentOf('token'), this.#jsonClientsOf('token'), {
        ...options,
        loadFederation: () => import('../../../lambda/token/federated.ts'),
        loadProofs: () => import('../../../lambda/token/proofs.ts'),
      }),
    };
  }

  #createCanary(): CanaryHandler {
    const { jwks, discovery } = this.#http;
    const lambda = createLambdaClient(this.#surroundings.awsOf(this.#nameOf('canary')));
    this.#closing.push(() => lambda.destroy());
    return createCanaryHandler(this.#environmentOf('canary'), this.#clientsOf('canary'), {
      ...this.#runs(),
      selfTest: createSelfTestCall(
        createInvokeFunction(lambda),
        this.#environmentOf('canary').tokenFunction,
      ),
      fetchDocument: async (uri) => {
        const { pathname: path } = new URL(uri);
        const serve = path === jwksPath ? jwks : discovery;
        const { statusCode, body } = await serve(this.#event({ path }), lambdaContext());
        if (statusCode !== 200) throw new UnavailableError(`${path} answers ${statusCode}`);
        return JSON.parse(body);
      },
    });
  }

  #createRotation(): RunRotation {
    const lambda = createLambdaClient(this.#surroundings.awsOf(this.#nameOf('key-rotation')));
    this.#closing.push(() => lambda.destroy());
    const invoke = createInvokeFunction(lambda);
    return createKeyRotationHandler(
      this.#environmentOf('key-rotation'),
      this.#clientsOf('key-rotation'),
      {
        ...this.#runs(),
        authenticateCaller: authenticateOperator,
        selfTest: createSelfTestCall(invoke, this.#nameOf('token')),
        checkKey: createCheckKey(invoke, this.#nameOf('canary')),
        publishKey: createPublishKey(invoke, this.#nameOf('canary')),
      },
    );
  }
}
