import { createAwsClients } from '../adapters/aws-clients.ts';
import { createDynamoDbClientStore } from '../adapters/dynamodb/client-store.ts';
import { addressesOf } from '../contract/addresses.ts';
import type { DeploymentConfig } from '../contract/deployment-config.ts';
import { readEnvironment } from '../contract/environment.ts';
import {
  discoveryEnvironment,
  type EnvironmentSource,
  jwksEnvironment,
  keyRotationEnvironment,
  tokenEnvironment,
} from '../contract/function-environments.ts';
import { selfTestEvent } from '../contract/function-events.ts';
import { functionName, roleName } from '../contract/function-names.ts';
import { kmsKeyPolicy } from '../contract/kms-key-policy.ts';
import { type HttpFunctionName, routes } from '../contract/routes.ts';
import { tableName } from '../contract/tables.ts';
import type { ClientStore } from '../core/client/client-store.ts';
import { createDiscoveryHandler } from '../lambda/discovery/create-discovery-handler.ts';
import { createJwksHandler } from '../lambda/jwks/create-jwks-handler.ts';
import { createKeyRotationHandler } from '../lambda/key-rotation/create-key-rotation-handler.ts';
import { createTokenHandler } from '../lambda/token/create-token-handler.ts';
import type { Backends } from './backends.ts';
import type { GatewayRoute, ProxyHandler } from './gateway/gateway-route.ts';
import { buildLambdaContext } from './gateway/lambda-context.ts';
import { localAccountId } from './kms/kms-key.ts';
import { localRegion } from './local-deployment.ts';
import { createLocalTelemetry } from './local-telemetry.ts';
import type { LogFile } from './log-file.ts';

/** The functions of the deployment, as Lambda would run them, in this process. */
export interface LocalFunctions {
  readonly routes: readonly GatewayRoute[];
  readonly clients: ClientStore;
  /** What the stack's trigger does at deployment: makes sure that a signing key exists and signs. */
  deploySigningKey(): Promise<void>;
  close(): Promise<void>;
}

/** Milliseconds that the deployment's trigger has in AWS. Here it takes one look. */
const deploymentTime = 14 * 60_000;

function describeDeployment(config: DeploymentConfig, issuer: string): EnvironmentSource {
  const principal = (name: string): string => `arn:aws:iam::${localAccountId}:${name}`;
  const role = (name: 'token' | 'canary' | 'key-rotation'): string =>
    principal(`role/${roleName(config.name, localRegion.id, name)}`);
  return {
    config,
    regionId: localRegion.id,
    addresses: addressesOf(config, issuer),
    kmsKeyPolicy: kmsKeyPolicy({
      account: principal('root'),
      rotationRole: role('key-rotation'),
      signingRoles: [role('token'), role('canary')],
    }),
    toJson: JSON.stringify,
  };
}

function toRoutes(
  deploymentName: string,
  handlers: Readonly<Record<HttpFunctionName, ProxyHandler>>,
): readonly GatewayRoute[] {
  return routes.map((route) => ({
    path: route.path,
    functionName: functionName(deploymentName, route.function),
    handler: handlers[route.function],
  }));
}

/** Builds every function with the environment that the stack would give it. */
export function createFunctions(
  config: DeploymentConfig,
  issuer: string,
  backends: Backends,
  log: LogFile,
): LocalFunctions {
  const source = describeDeployment(config, issuer);
  const aws = createAwsClients(backends.clientOptions);
  const background = createAwsClients({ ...backends.clientOptions, profile: 'background' });
  const telemetry = (name: HttpFunctionName) => ({ telemetry: createLocalTelemetry(name, log) });
  const token = createTokenHandler(
    readEnvironment('token', tokenEnvironment(source)),
    aws,
    telemetry('token'),
  );
  const discovery = createDiscoveryHandler(
    readEnvironment('discovery', discoveryEnvironment(source)),
    telemetry('discovery'),
  );
  const jwks = createJwksHandler(
    readEnvironment('jwks', jwksEnvironment(source)),
    aws,
    telemetry('jwks'),
  );
  const context = () =>
    buildLambdaContext(functionName(config.name, 'token'), 'local', Date.now() + deploymentTime);
  const rotation = createKeyRotationHandler(
    readEnvironment('key-rotation', keyRotationEnvironment(source)),
    background,
    { selfTest: () => token(selfTestEvent, context()), proveKey: () => Promise.resolve([]) },
  );
  return {
    routes: toRoutes(config.name, { token, discovery, jwks }),
    clients: createDynamoDbClientStore(background.dynamodb, tableName(config.name, 'clients'), {
      consistentRead: true,
    }),
    deploySigningKey: async () => {
      await rotation({ action: 'deploy' }, context());
    },
    close: async () => {
      for (const { dynamodb, kms } of [aws, background]) {
        dynamodb.destroy();
        kms.destroy();
      }
    },
  };
}
