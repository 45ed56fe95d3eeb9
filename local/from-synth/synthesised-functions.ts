import * as v from 'valibot';
import { createLeanClients, toVariables } from '../../adapters/lean-clients.ts';
import type { FunctionName } from '../../contract/environment.ts';
import { rotationReportSchema } from '../../contract/function-events.ts';
import { functionName } from '../../contract/function-names.ts';
import type { GatewayRoute } from '../../emulator/gateway/gateway-route.ts';
import type { EventHandler } from '../../emulator/lambda-server.ts';
import { createExampleRoute } from '../example-api.ts';
import type { LocalFunctions } from '../functions.ts';
import { createLocalTelemetry } from '../local-telemetry.ts';
import type { LogFile } from '../log-file.ts';
import type { Surroundings } from '../surroundings.ts';
import { LambdaFunction } from './lambda-function.ts';
import type { SynthesisedDeployment } from './synthesised-deployment.ts';

/** What the SDK in the functions needs to find this machine's services. */
function sdkVariables(surroundings: Surroundings): Readonly<Record<string, string>> {
  const { clientOptions, lambdaEndpoint, caPath } = surroundings;
  return {
    AWS_ACCESS_KEY_ID: clientOptions.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: clientOptions.credentials.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: clientOptions.endpointDynamoDb ?? '',
    AWS_ENDPOINT_URL_KMS: clientOptions.endpointKms ?? '',
    AWS_ENDPOINT_URL_LAMBDA: lambdaEndpoint,
    AWS_ENDPOINT_URL_STS: clientOptions.endpointSts ?? '',
    ...(caPath === undefined ? {} : { NODE_EXTRA_CA_CERTS: caPath }),
  };
}

/** A function's log is JSON; other lines, such as those of a crash, are kept as they are. */
function writeLine(log: LogFile, service: string, line: string): void {
  try {
    log.write({ service, ...(JSON.parse(line) as object) });
  } catch {
    log.write({ service, message: line });
  }
}

function startFunctions(
  { contents }: SynthesisedDeployment,
  surroundings: Surroundings,
): ReadonlyMap<string, LambdaFunction> {
  const processSurroundings = {
    awsRegion: contents.awsRegion,
    variables: sdkVariables(surroundings),
    onLine: (name: string, line: string) => writeLine(surroundings.log, name, line),
  };
  return new Map(
    [...contents.functions].map(([name, fn]) => [
      name,
      new LambdaFunction(fn, processSurroundings),
    ]),
  );
}

/** The example API is no part of a stack, so that it runs from the sources. */
function createExample(deployment: SynthesisedDeployment, surroundings: Surroundings) {
  const { issuer, clientOptions, log, ca } = surroundings;
  const aws = createLeanClients(toVariables(clientOptions));
  const telemetry = createLocalTelemetry('authorizer', log);
  const route = createExampleRoute({ config: deployment.config, issuer, aws, telemetry, ca });
  const close = () => {
    aws.dynamodb.close();
    aws.kms.close();
  };
  return { route, close };
}

/** The functions of a synthesis, each the code that would be uploaded, in its own process. */
export function createSynthesisedFunctions(
  deployment: SynthesisedDeployment,
  surroundings: Surroundings,
): LocalFunctions {
  const { config, contents } = deployment;
  const functions = startFunctions(deployment, surroundings);
  const invoke = (name: string, event: unknown): Promise<unknown> => {
    const fn = functions.get(name);
    if (fn === undefined) throw new Error(`there is no function ${name} in the templates`);
    return fn.invoke(event);
  };
  const invokeOwn = (name: FunctionName, event: unknown) =>
    invoke(functionName(config.name, name), event);
  const routes = [...contents.routes].map(
    ([path, name]): GatewayRoute => ({
      path,
      functionName: name,
      handler: (event) => invoke(name, event),
    }),
  );
  const example = createExample(deployment, surroundings);
  return {
    routes: [...routes, example.route],
    eventHandlers: new Map<string, EventHandler>(
      [...functions].map(([name, fn]) => [name, (event) => fn.invoke(event)]),
    ),
    rotateKeys: async (event) =>
      v.parse(rotationReportSchema, await invokeOwn('key-rotation', event)),
    checkKeys: () => invokeOwn('canary', {}),
    close: async () => {
      example.close();
      await Promise.all([...functions.values()].map((fn) => fn.close()));
    },
  };
}
