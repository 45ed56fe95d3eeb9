import { randomUUID } from 'node:crypto';
import type { BackgroundClients } from '../../adapters/background-clients.ts';
import { createDynamoDbRotationStore } from '../../adapters/dynamodb/stores/rotation-store.ts';
import type { FetchServiceDocument } from '../../adapters/https/service-requests.ts';
import { inspectKey } from '../../adapters/kms/kms-keys.ts';
import { createKmsSign } from '../../adapters/kms/sign-with-key.ts';
import { type ClockOptions, createCheckedClock } from '../../adapters/record-server-dates.ts';
import { discoveryUriBeside } from '../../contract/addresses.ts';
import {
  type CanaryResult,
  type PublicationRequest,
  type PublicationResult,
  parseCanaryEvent,
  type SelfTestResult,
} from '../../contract/function-events.ts';
import type { Settings } from '../../contract/function-settings.ts';
import { keyMetrics, missedRotationMinutes } from '../../contract/key-metrics.ts';
import type { RegionId } from '../../contract/regions.ts';
import { UnavailableError } from '../../core/errors.ts';
import { type CanaryPorts, checkKey, regionsInService } from '../../core/key-rotation/canary.ts';
import { publishKey } from '../../core/key-rotation/publish-key.ts';
import type { RotationStore } from '../../core/key-rotation/rotation-ports.ts';
import type { SigningKey } from '../../core/signing-key/signing-key.ts';
import { seconds } from '../../core/time.ts';
import { createRunTelemetry, type RunTelemetry } from '../shared/run-telemetry.ts';

/** Seconds after which the alarm on missed runs fires for a region. */
const silence = missedRotationMinutes * 60;

export type CanaryHandler = (event: unknown) => Promise<CanaryResult | PublicationResult>;

export interface CanaryOptions extends ClockOptions {
  readonly fetchDocument: FetchServiceDocument;
  /** Invokes the token function's self-test, which signs a token for no client and verifies it. */
  readonly selfTest: () => Promise<SelfTestResult>;
  /** Standard output if left out. */
  readonly telemetry?: RunTelemetry;
}

/**
 * The canary function: signs a token that authorises nothing, and verifies it with the JWKS of each
 * region. It also publishes a new key, if only the service can sign with it. It is a separate
 * function because the rotation must neither sign nor publish.
 */
export function createCanaryHandler(
  settings: Settings<'canary'>,
  { kms, openDynamoDb }: BackgroundClients,
  options: CanaryOptions,
): CanaryHandler {
  const clock = createCheckedClock(settings.leeway, kms, options);
  const surroundings: Surroundings = {
    settings,
    kms,
    store: createDynamoDbRotationStore(openDynamoDb(clock.record).own, settings.signingKeysTable),
    telemetry: options.telemetry ?? createRunTelemetry('canary'),
    selfTest: options.selfTest,
  };
  return async (input) => {
    const event = parseCanaryEvent(input);
    clock.begin();
    return 'action' in event
      ? publish(event, clock.now, surroundings)
      : check(event.kid, options.fetchDocument, surroundings);
  };
}

interface Surroundings extends Pick<CanaryOptions, 'selfTest'> {
  readonly settings: Settings<'canary'>;
  readonly kms: BackgroundClients['kms'];
  readonly store: RotationStore;
  readonly telemetry: RunTelemetry;
}

async function publish(
  request: PublicationRequest,
  now: () => number,
  { settings, kms, store, telemetry }: Surroundings,
): Promise<PublicationResult> {
  const result = await publishKey(request, settings, {
    store,
    inspectKey: (arn) => inspectKey(kms, arn),
    now,
  });
  const isRefused = result.faults.length > 0;
  telemetry.report({
    level: isRefused ? 'error' : 'info',
    outcome: isRefused ? 'not_published' : 'published',
    fields: { slot: request.slot, ...result },
    metrics: isRefused ? { [keyMetrics.keyRefused]: 1 } : {},
  });
  return result;
}

async function check(
  kid: string | undefined,
  fetchDocument: FetchServiceDocument,
  surroundings: Surroundings,
): Promise<CanaryResult> {
  const { settings, kms, store, telemetry } = surroundings;
  const { regionId: own, regionalJwksUris: uris } = settings;
  const uriOf = (regionId: RegionId): string => {
    const uri = uris[regionId];
    if (uri !== undefined) return uri;
    throw new UnavailableError(`the config of ${own} does not know ${regionId}: deploy it again`);
  };
  const ports: CanaryPorts = {
    sign: createKmsSign(kms),
    fetchJwks: async (regionId) => fetchDocument(uriOf(regionId)),
    fetchMetadata: async (regionId) => fetchDocument(discoveryUriBeside(uriOf(regionId))),
  };
  const now = seconds(Date.now());
  const keys = selectKeys(await store.listSigningKeys(), own, kid);
  const configured = Object.keys(uris) as RegionId[];
  const heartbeats = await store.listHeartbeats();
  const regions = regionsInService({ own, configured, heartbeats, silence });
  const found = keys.map((key) => checkKey(key, regions, ports, { now, jti: randomUUID() }));
  const findings = (await Promise.all(found)).flat();
  const failures = findings.filter(({ ok }) => !ok);
  const problem = failures.map(({ region, reason }) => `${region}: ${reason}`).join('; ');
  // Of a requested key, which does not sign yet, the rotation records what it needs.
  const recorded = kid === undefined && (await record(problem || undefined, now, surroundings));
  telemetry.report({
    level: failures.length > 0 ? 'warn' : 'info',
    outcome: failures.length > 0 ? 'not_verified' : 'verified',
    fields: { findings, ...recorded },
    metrics: { [keyMetrics.canaryFailure]: failures.length },
  });
  return { findings };
}

/** Runs the token function's self-test, and records both results. No failure of it ends the run. */
async function record(
  problem: string | undefined,
  now: number,
  { settings: { regionId }, store, selfTest }: Surroundings,
): Promise<Readonly<Record<string, string | undefined>>> {
  const { ok, reason } = await selfTest().catch((error) => ({ ok: false, reason: String(error) }));
  const selfTestProblem = ok ? undefined : (reason ?? 'it gives no reason');
  const put = store.putCanaryRun({ regionId, at: now, problem, selfTestProblem });
  const notRecorded = await put.then(() => undefined, String);
  return { self_test_problem: selfTestProblem, not_recorded: notRecorded };
}

/** The requested key, or the key that signs in this region now. */
function selectKeys(
  keys: readonly SigningKey[],
  own: RegionId,
  kid: string | undefined,
): readonly SigningKey[] {
  return keys.filter(
    (key) =>
      key.regionId === own && (kid === undefined ? key.state === 'current' : key.kid === kid),
  );
}
