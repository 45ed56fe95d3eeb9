import { settingsVariables } from '../../../contract/read-settings.ts';
import { tokenPath } from '../../../contract/routes.ts';
import { formatClientSecret } from '../../../core/credential/credential-value.ts';
import type { Backend, CallCounts, Delays } from '../backend/backend.ts';
import { buildFunction, buildUsualWay } from '../build.ts';
import { asOfNow, expectStatus, start, type Target } from '../measure.ts';
import { type Figures, type SampleOptions, sampleTargets } from '../sample.ts';
import {
  backendEnvironment,
  clientId,
  createEvent,
  createItems,
  usualDelays as delays,
  kmsKeyArn,
  settings,
  tokenRequestBody,
  tokenRequestHeaders,
} from '../scenario.ts';

export interface TokenSection {
  readonly ours: Figures;
  /** A handler with only the two calls of a token: no other one can take less. */
  readonly twoCalls: Figures;
  readonly delays: Delays;
  /** Calls to the backends, by what was asked of the function. */
  readonly calls: Readonly<Record<string, CallCounts>>;
}

export const tokenEvent = (headers = tokenRequestHeaders(), body = tokenRequestBody) =>
  createEvent({ method: 'POST', path: tokenPath, headers, body });

/** Counts what a cold process, and then the same one warm, asks of the backends. */
export async function countCalls(
  target: Target,
  { runtime, backend }: Pick<SampleOptions, 'runtime' | 'backend'>,
): Promise<Record<string, CallCounts>> {
  const wrong = tokenRequestHeaders(formatClientSecret(new Uint8Array(32).fill(9)));
  const requests: readonly (readonly [string, unknown, number])[] = [
    ['first token of a process', tokenEvent(), 200],
    ['token', tokenEvent(), 200],
    ['wrong secret', tokenEvent(wrong), 401],
    ['malformed request', tokenEvent(undefined, 'grant_type='), 400],
    ['no credentials', tokenEvent(tokenRequestHeaders().slice(2)), 401],
  ];
  const process = await start(target, runtime);
  await backend.command({});
  const counts: Record<string, CallCounts> = {};
  for (const [name, event, status] of requests) {
    const { payload } = await process.invoke(asOfNow(event));
    expectStatus(status)(payload);
    counts[name] = await backend.command({});
  }
  await process.close();
  return counts;
}

/** The token function and the floor, with the same event. */
export function createTokenTargets(backend: Backend) {
  const environment = { ...backendEnvironment(backend), ...settingsVariables(settings.token) };
  const common = { environment, event: tokenEvent(), check: expectStatus(200) };
  return {
    ours: { ...common, bundle: buildFunction('token') },
    twoCalls: {
      ...common,
      environment: { ...environment, BENCH_CLIENT_ID: clientId, BENCH_KMS_KEY: kmsKeyArn(0) },
      bundle: buildUsualWay('two-calls', 'lab/bench/reference/two-calls-handler.ts'),
    },
  };
}

export async function runTokenSection(options: SampleOptions): Promise<TokenSection> {
  const { backend } = options;
  await backend.command({ items: createItems(backend) });
  const targets = createTokenTargets(backend);
  const figures = await sampleTargets(targets, { ...options, delays });
  const calls = await countCalls(targets.ours, options);
  return { ...figures, delays, calls };
}
