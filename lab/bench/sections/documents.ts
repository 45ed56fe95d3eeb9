import { jwksPath, openidConfigurationPath } from '../../../contract/routes.ts';
import { buildFunction, buildUsualWay } from '../build.ts';
import { asOfNow, expectStatus, start, type Target } from '../measure.ts';
import type { SampleOptions } from '../sample.ts';
import { backendEnvironment, createEvent, environments } from '../scenario.ts';

/** What a function answers, for a handler that knows it beforehand. */
async function responseOf(target: Target, runtime: string): Promise<unknown> {
  const process = await start(target, runtime);
  const { payload } = await process.invoke(asOfNow(target.event));
  await process.close();
  return payload;
}

/** Each document, and a handler that returns the same as a constant. */
export async function createDocumentTargets({
  backend,
  runtime,
}: Pick<SampleOptions, 'backend' | 'runtime'>) {
  const shared = backendEnvironment(backend);
  const check = expectStatus(200);
  const get = (path: string) => createEvent({ method: 'GET', path });
  const discovery = {
    bundle: buildFunction('discovery'),
    environment: { ...shared, ...environments.discovery },
    event: get(openidConfigurationPath),
    check,
  };
  const jwks = {
    bundle: buildFunction('jwks'),
    environment: { ...shared, ...environments.jwks },
    event: get(jwksPath),
    check,
  };
  const constant = buildUsualWay('constant', 'lab/bench/reference/constant-handler.ts');
  const constantOf = async (target: Target): Promise<Target> => {
    const response = JSON.stringify(await responseOf(target, runtime));
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
