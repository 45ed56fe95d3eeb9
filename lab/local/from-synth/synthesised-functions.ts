import * as v from 'valibot';
import { createAwsJsonClients } from '../../../adapters/aws-json-clients.ts';
import { rotationReportSchema } from '../../../contract/function-events.ts';
import { type FunctionName, functionName } from '../../../contract/function-names.ts';
import type { Settings } from '../../../contract/function-settings.ts';
import { settingsVariable, settingsVariables } from '../../../contract/read-settings.ts';
import type { GatewayRoute } from '../../emulator/gateway/gateway-route.ts';
import { localApi } from '../../emulator/gateway/request-context.ts';
import type { EventHandler } from '../../emulator/lambda-server.ts';
import { toVariables } from '../../support/aws-clients.ts';
import { createExampleRoute } from '../example-api.ts';
import type { LocalFunctions } from '../functions.ts';
import { createLocalTelemetry } from '../local-telemetry.ts';
import type { LogFile } from '../log-file.ts';
import type { Surroundings } from '../program.ts';
import { type Access, createCallers } from './access.ts';
import { createLambdaFunction } from './lambda-function.ts';
import type { SynthesisedFunction } from './stack-contents.ts';
import type { SynthesisedDeployment } from './synthesised-deployment.ts';

const traceActions = ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'];
const logActions = ['logs:CreateLogStream', 'logs:PutLogEvents'];

/** Its log group is named after the function. The stream is the resource of both actions. */
function logStream(awsRegion: string, functionName: string): string {
  const group = `/aws/lambda/${functionName}`;
  return `arn:aws:logs:${awsRegion}:${localApi.accountId}:log-group:${group}:log-stream:local`;
}

/** The calls that Lambda makes for a function, with the function's role. */
function createLambdaService(awsRegion: string, access: Access) {
  return {
    /** Whether the function's log accepts lines. CloudWatch drops those of other functions. */
    mayLog: async (name: string) => {
      const allowed = await Promise.all(
        logActions.map((action) => access.mayService(name, action, logStream(awsRegion, name))),
      );
      return allowed.every(Boolean);
    },
    /** Sends a trace to X-Ray if the role allows it. Otherwise the function runs without tracing. */
    trace: (name: string) => {
      for (const action of traceActions) void access.mayService(name, action, '*');
    },
  };
}

/** What the SDK in a function needs to find this machine's services, with the function's own key. */
function sdkVariables(
  name: string,
  surroundings: Surroundings,
  access: Access,
): Readonly<Record<string, string>> {
  const { clientOptions, lambdaEndpoint, caPath } = surroundings;
  const accessKey = access.functionKeys.get(name);
  return {
    AWS_ACCESS_KEY_ID: accessKey?.accessKeyId ?? '',
    AWS_SECRET_ACCESS_KEY: accessKey?.secretAccessKey ?? '',
    AWS_ENDPOINT_URL_DYNAMODB: clientOptions.endpointDynamoDb ?? '',
    AWS_ENDPOINT_URL_KMS: clientOptions.endpointKms ?? '',
    AWS_ENDPOINT_URL_LAMBDA: lambdaEndpoint,
    AWS_ENDPOINT_URL_STS: clientOptions.endpointSts ?? '',
    AUTH_ALLOW_LOOPBACK_PROVIDERS: '1',
    ...(caPath === undefined ? {} : { NODE_EXTRA_CA_CERTS: caPath }),
  };
}

/**
 * The function, which may also fetch from providers on this machine. The functions that read
 * `AUTH_ALLOW_LOOPBACK_PROVIDERS` are others.
 */
function withLocalVariables(fn: SynthesisedFunction): SynthesisedFunction {
  const { [settingsVariable]: text = '{}' } = fn.variables;
  const own = JSON.parse(text) as Settings<'token'>;
  if (typeof own.federatedClients !== 'object') return fn;
  const federatedClients = { ...own.federatedClients, allowLoopback: true } as const;
  const variables = { ...fn.variables, ...settingsVariables({ ...own, federatedClients }) };
  return { ...fn, variables };
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
  access: Access,
) {
  const service = createLambdaService(contents.awsRegion, access);
  return new Map(
    [...contents.functions].map(([name, fn]) => [
      name,
      createLambdaFunction(withLocalVariables(fn), {
        awsRegion: contents.awsRegion,
        variables: sdkVariables(name, surroundings, access),
        onInvocation: fn.isTraced ? service.trace : () => {},
        onLine: (from: string, line: string) => {
          void service.mayLog(from).then((may) => {
            if (may) writeLine(surroundings.log, from, line);
          });
        },
      }),
    ]),
  );
}

/** The example API is not part of a stack, so it runs from the sources. */
function createExample(deployment: SynthesisedDeployment, surroundings: Surroundings) {
  const { issuer, clientOptions, log, ca } = surroundings;
  const aws = createAwsJsonClients(toVariables(clientOptions));
  const telemetry = createLocalTelemetry('authorizer', log);
  const route = createExampleRoute({ config: deployment.config, issuer, aws, telemetry, ca });
  return { route, close: aws.close };
}

/** The functions of a synthesis. Each runs the code that would be uploaded, in its own process. */
export function createSynthesisedFunctions(
  deployment: SynthesisedDeployment,
  surroundings: Surroundings,
): LocalFunctions {
  const { config, contents } = deployment;
  const { access } = surroundings;
  if (access === undefined) throw new Error('functions from templates need their policies');
  const functions = startFunctions(deployment, surroundings, access);
  const callers = createCallers(deployment, access);
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
      handler: async (event) => {
        await callers.fromApi(path, event.httpMethod);
        return invoke(name, event);
      },
    }),
  );
  const example = createExample(deployment, surroundings);
  return {
    routes: [...routes, example.route],
    eventHandlers: new Map<string, EventHandler>(
      [...functions].map(([name, fn]) => [
        name,
        (event, { functionArn }) => fn.invoke(event, functionArn),
      ]),
    ),
    environments: new Map(
      [...deployment.contents.functions].map(([name, fn]) => [name, fn.variables]),
    ),
    rotateKeys: async (event) => {
      // CloudFormation invokes it with the permissions of the deployment.
      if (event.action !== 'deploy') await callers.fromSchedule('key-rotation');
      return v.parse(rotationReportSchema, await invokeOwn('key-rotation', event));
    },
    checkKeys: async () => {
      await callers.fromSchedule('canary');
      return invokeOwn('canary', {});
    },
    close: async () => {
      example.close();
      await Promise.all([...functions.values()].map((fn) => fn.close()));
    },
  };
}
