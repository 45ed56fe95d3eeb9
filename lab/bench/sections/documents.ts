import { settingsVariables } from '../../../contract/read-settings.ts';
import { jwksPath, openidConfigurationPath } from '../../../contract/routes.ts';
import { buildFunction, buildUsualWay } from '../build.ts';
import { expectStatus, invokeOnce, type Target } from '../measure.ts';
import type { SampleOptions } from '../sample.ts';
import { backendEnvironment, createEvent, settings } from '../scenario.ts';

/** Each document, and a handler that returns the same as a constant. */
export async function createDocumentTargets({
  backend,
  runtime,
}: Pick<SampleOptions, 'backend' | 'runtime'>) {
  const shared = backendEnvironment(backend);
  const targetOf = (name: 'discovery' | 'jwks', path: string): Target => ({
    bundle: buildFunction(name),
    environment: { ...shared, ...settingsVariables(settings[name]) },
    event: createEvent({ method: 'GET', path }),
    check: expectStatus(200),
  });
  const discovery = targetOf('discovery', openidConfigurationPath);
  const jwks = targetOf('jwks', jwksPath);
  const constant = buildUsualWay('constant', 'lab/bench/reference/constant-handler.ts');
  const constantOf = async (target: Target): Promise<Target> => {
    const response = JSON.stringify(await invokeOnce(target, runtime));
    const environment = { ...target.environment, BENCH_RESPONSE: response };
    return { ...target, bundle: constant, environment };
  };
  return {
    discovery,
    discoveryConstant: await constantOf(discovery),
    jwks,
    jwksConstant: await constantOf(jwks),
  };
}
