import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { DynamoDbDocuments } from '../../adapters/dynamodb/clients/dynamodb-calls.ts';
import { createDynamoDbClientStore } from '../../adapters/dynamodb/stores/client-store.ts';
import type {
  FetchServiceDocument,
  PostTokenRequest,
} from '../../adapters/https/service-requests.ts';
import type { Settings } from '../../contract/function-settings.ts';
import { syntheticMetrics } from '../../contract/synthetic-check.ts';
import {
  runSyntheticCheck,
  SyntheticCheckError,
  type SyntheticCheckOutcome,
  type SyntheticCheckPorts,
  type SyntheticStep,
  verifyByDiscovery,
} from '../../core/synthetic-check/run-synthetic-check.ts';
import { type Clock, seconds } from '../../core/time.ts';
import { createRunTelemetry, type RunTelemetry } from '../shared/run-telemetry.ts';

/** How the check calls the public endpoints. Tests and the local run pass their own. */
export interface SyntheticCheckHttp {
  readonly postTokenRequest: PostTokenRequest;
  readonly fetchDocument: FetchServiceDocument;
}

interface SyntheticCheckOptions {
  readonly telemetry: RunTelemetry;
  readonly clock: Clock;
}

/** The result for an operator who invokes the function by hand. */
interface SyntheticCheckResult {
  readonly ok: boolean;
  readonly token_latency_ms?: number;
  /** The step that failed in this region, and why. */
  readonly step?: SyntheticStep;
  readonly reason?: string;
  /** Why the name of the issuer does not lead to its keys. */
  readonly issuer_reason?: string;
}

type SyntheticCheckHandler = () => Promise<SyntheticCheckResult>;

/** @returns what `run` returns, or why a step failed. Any other error is not caught. */
async function findOutcome<T>(run: () => Promise<T>): Promise<T | SyntheticCheckError> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof SyntheticCheckError) return error;
    throw error;
  }
}

interface Findings {
  readonly region: SyntheticCheckOutcome | SyntheticCheckError;
  readonly issuer: SyntheticCheckError | undefined;
  /** Whether the issuer has another name than the region. */
  readonly hasOwnName: boolean;
}

function report(
  { region, issuer, hasOwnName }: Findings,
  telemetry: RunTelemetry,
): SyntheticCheckResult {
  const failed = region instanceof SyntheticCheckError;
  const ok = !failed && issuer === undefined;
  const result = {
    ...(failed
      ? { step: region.step, reason: region.message }
      : { token_latency_ms: region.tokenLatency }),
    ...(issuer && { issuer_reason: issuer.message }),
  };
  telemetry.report({
    level: ok ? 'info' : 'warn',
    outcome: ok ? 'passed' : 'failed',
    fields: result,
    metrics: {
      [syntheticMetrics.passed]: Number(!failed),
      ...(hasOwnName && { [syntheticMetrics.issuerPassed]: Number(issuer === undefined) }),
    },
  });
  return { ok, ...result };
}

/**
 * The synthetic check. Every few minutes it acts as a client of its own region and as a platform
 * API, on the public addresses of the region and then on the name of the issuer. It has no stored
 * secret.
 */
export function createSyntheticCheckHandler(
  settings: Settings<'synthetic-check'>,
  aws: { readonly dynamodb: DynamoDbDocuments },
  http: SyntheticCheckHttp,
  overrides: Partial<SyntheticCheckOptions> = {},
): SyntheticCheckHandler {
  const telemetry = overrides.telemetry ?? createRunTelemetry('synthetic-check');
  const clock = overrides.clock ?? Date.now;
  const { host } = new URL(settings.tokenEndpoint);
  const hasOwnName = new URL(settings.issuer).host !== host;
  const ports: SyntheticCheckPorts = {
    clients: createDynamoDbClientStore(aws.dynamodb, settings.clientsTable, {
      consistentRead: true,
    }),
    drawBytes: randomBytes,
    postTokenRequest: (credentials) => http.postTokenRequest(settings.tokenEndpoint, credentials),
    wait: (milliseconds) => wait(milliseconds),
    fetchJwks: () => http.fetchDocument(settings.jwksUri),
    clock,
  };
  return async () => {
    const region = await findOutcome(() => runSyntheticCheck(ports, settings));
    const token = region instanceof SyntheticCheckError ? undefined : region.token;
    const issuer = await findOutcome(() =>
      verifyByDiscovery(token, http, settings, seconds(clock())),
    );
    return report({ region, issuer: issuer ?? undefined, hasOwnName }, telemetry);
  };
}
