import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { AwsClients } from '../../adapters/aws-clients.ts';
import { createDynamoDbClientStore } from '../../adapters/dynamodb/client-store.ts';
import type { FetchServiceDocument } from '../../adapters/https/fetch-service-document.ts';
import type { PostTokenRequest } from '../../adapters/https/post-token-request.ts';
import { defaultAccessTokenType } from '../../contract/access-token-type.ts';
import type { Environment } from '../../contract/environment.ts';
import { syntheticMetrics } from '../../contract/synthetic-check.ts';
import type { Clock } from '../../core/clock.ts';
import {
  runSyntheticCheck,
  type SyntheticCheckPorts,
} from '../../core/synthetic-check/run-synthetic-check.ts';
import {
  SyntheticCheckError,
  type SyntheticStep,
} from '../../core/synthetic-check/synthetic-check-error.ts';
import { createRunTelemetry, type RunTelemetry } from '../shared/run-telemetry.ts';

/** How the check calls the public endpoints. Tests and the local run pass their own. */
export interface SyntheticCheckHttp {
  readonly postTokenRequest: PostTokenRequest;
  readonly fetchJwks: FetchServiceDocument;
}

export interface SyntheticCheckOptions {
  readonly telemetry: RunTelemetry;
  readonly clock: Clock;
}

/** The result for an operator who invokes the function by hand. */
export type SyntheticCheckResult =
  | { readonly ok: true; readonly token_latency_ms: number }
  | { readonly ok: false; readonly step: SyntheticStep; readonly reason: string };

export type SyntheticCheckHandler = () => Promise<SyntheticCheckResult>;

function report(result: SyntheticCheckResult, telemetry: RunTelemetry): SyntheticCheckResult {
  telemetry.report({
    level: result.ok ? 'info' : 'warn',
    outcome: result.ok ? 'passed' : 'failed',
    fields: result.ok
      ? { token_latency_ms: result.token_latency_ms }
      : { step: result.step, reason: result.reason },
    metrics: {
      [syntheticMetrics.passed]: Number(result.ok),
      ...(result.ok && { [syntheticMetrics.tokenLatency]: result.token_latency_ms }),
    },
  });
  return result;
}

/**
 * The synthetic check. Every few minutes it acts as a client of its own region and as a platform
 * API, on the public addresses. It has no stored secret.
 */
export function createSyntheticCheckHandler(
  environment: Environment<'synthetic-check'>,
  aws: Pick<AwsClients, 'dynamodb'>,
  http: SyntheticCheckHttp,
  given: Partial<SyntheticCheckOptions> = {},
): SyntheticCheckHandler {
  const telemetry = given.telemetry ?? createRunTelemetry('synthetic-check');
  const settings = {
    issuer: environment.AUTH_ISSUER,
    regionId: environment.AUTH_REGION_ID,
    accessTokenType: environment.AUTH_ACCESS_TOKEN_TYPE ?? defaultAccessTokenType,
  };
  const ports: SyntheticCheckPorts = {
    clients: createDynamoDbClientStore(aws.dynamodb, environment.AUTH_CLIENTS_TABLE, {
      consistentRead: true,
    }),
    drawBytes: randomBytes,
    postTokenRequest: (credentials) =>
      http.postTokenRequest(environment.AUTH_TOKEN_ENDPOINT, credentials),
    wait: (milliseconds) => wait(milliseconds),
    fetchJwks: () => http.fetchJwks(environment.AUTH_JWKS_URI),
    clock: given.clock ?? Date.now,
  };
  return async () => {
    try {
      const { tokenLatency } = await runSyntheticCheck(ports, settings);
      return report({ ok: true, token_latency_ms: tokenLatency }, telemetry);
    } catch (error) {
      if (!(error instanceof SyntheticCheckError)) throw error;
      return report({ ok: false, step: error.step, reason: error.message }, telemetry);
    }
  };
}
