import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'aws-lambda';
import { rememberFound } from '../../../adapters/dynamodb/stores/remember-found.ts';
import {
  type RevocationOptions,
  readRevocationOptions,
  reportWithoutLookup,
} from '../../../adapters/revocation-options.ts';
import type { OnLookupFailure } from '../../../contract/revocation-check.ts';
import { UnavailableError } from '../../../core/errors.ts';
import type { PortOptions } from '../../../core/port.ts';
import { seconds } from '../../../core/time.ts';
import { BearerRefusal } from '../../../core/verifier/bearer-refusal.ts';
import { bearerErrorResponse } from '../../../core/verifier/challenge.ts';
import { verifyBearer } from '../../../core/verifier/verify-bearer.ts';
import { createTestKeys } from '../../../lab/support/verifier-world.ts';
import { createAuthorizerFunction } from '../../../lambda/authorizer/function.ts';
import { createDecisionLog } from '../../../verifier/forward-auth/decision-log.ts';
import { createHandler } from '../../../verifier/forward-auth/handler.ts';
import type { Verifier } from '../../../verifier/verifier.ts';
import { authorizerEvent } from '../../lambda/authorizer/authorizer-world.ts';
import { recordTelemetry } from '../recorded-telemetry.ts';
import { audience, issuer, publicJwk } from './issuers.ts';
import type { Region, RevocationWorld } from './world.ts';

export type Outcome = 'accepted' | 'accepted_without_lookup' | 'refused' | 'unavailable';

interface CheckOptions {
  readonly kind: keyof typeof kinds;
  readonly region: Region;
  readonly cacheSeconds: number;
  readonly onLookupFailure: OnLookupFailure;
}

export interface Check extends CheckOptions {
  present(token: string): Promise<Outcome>;
}

const settings = {
  issuer,
  jwksUri: `${issuer}/.well-known/jwks.json`,
  audiences: [audience],
  defaultAudience: audience,
};

function outcomeOf(error: unknown): Outcome {
  if (error instanceof BearerRefusal) return 'refused';
  if (error instanceof UnavailableError) return 'unavailable';
  throw error;
}

/** What all checks share: the look-ups of a region, with their cache. */
function createPorts(
  world: RevocationWorld,
  { region, cacheSeconds, onLookupFailure }: CheckOptions,
) {
  const replica = world.replica(region);
  const find = (id: string, options?: PortOptions) => replica.findClient(id, options);
  const clients = { findClient: rememberFound(find, cacheSeconds, () => world.time.now) };
  let reported = false;
  const options: RevocationOptions =
    onLookupFailure === 'refuse'
      ? { clients, onLookupFailure }
      : {
          clients,
          onLookupFailure,
          onAcceptedWithoutLookup() {
            reported = true;
          },
        };
  const report = reportWithoutLookup(options) ?? ((verified) => verified);
  return {
    ports: {
      jwks: createTestKeys({ now: 0 }, async () => ({ keys: [publicJwk] })),
      revocation: readRevocationOptions(options),
    },
    report,
    /** Whether the last token was accepted without a look-up. */
    takeReported() {
      const was = reported;
      reported = false;
      return was;
    },
  };
}

type Made = ReturnType<typeof createPorts>;
type Present = Check['present'];

function createVerifierOf(world: RevocationWorld, { ports, report }: Made): Verifier {
  return {
    verify: async ({ authorization = [] }, requiredScopes = []) =>
      report(
        await verifyBearer(
          {
            authorization: typeof authorization === 'string' ? [authorization] : authorization,
            sourceAddress: undefined,
            requiredScopes,
            now: seconds(world.time.now),
          },
          ports,
          settings,
        ),
      ),
    toResponse: (error) => bearerErrorResponse(error),
    preload: async () => undefined,
  };
}

function library(world: RevocationWorld, made: Made): Present {
  const verifier = createVerifierOf(world, made);
  return async (token) => {
    try {
      await verifier.verify({ authorization: `Bearer ${token}` });
      return made.takeReported() ? 'accepted_without_lookup' : 'accepted';
    } catch (error) {
      return outcomeOf(error);
    }
  };
}

const statuses: ReadonlyMap<number, Outcome> = new Map([
  [200, 'accepted'],
  [401, 'refused'],
  [503, 'unavailable'],
]);

function forwardAuth(world: RevocationWorld, made: Made): Present {
  const handle = createHandler({
    verifier: createVerifierOf(world, made),
    log: createDecisionLog('none', () => undefined),
    clientAddressHeader: undefined,
    notReady: () => undefined,
  });
  return async (token) => {
    const request = { url: '/verify/-', rawHeaders: ['Authorization', `Bearer ${token}`] };
    const status = await new Promise<number>((resolve) => {
      let given = 0;
      const response = {
        writeHead(code: number) {
          given = code;
          return response;
        },
        end: () => resolve(given),
      };
      handle(request as IncomingMessage, response as unknown as ServerResponse);
    });
    const outcome = statuses.get(status);
    if (outcome === undefined) throw new Error(`forward-auth answered ${status}`);
    return outcome === 'accepted' && made.takeReported() ? 'accepted_without_lookup' : outcome;
  };
}

function authorizer(world: RevocationWorld, { ports }: Made): Present {
  const { reports, telemetry } = recordTelemetry();
  const authorize = createAuthorizerFunction(
    {
      issuer,
      jwksUri: `${issuer}/.well-known/jwks.json`,
      accessTokenType: 'at+jwt',
      audiences: [audience],
      defaultAudience: audience,
      clientsTable: 'clients',
      apiKeysTable: 'api-keys',
      identityProvidersTable: 'identity-providers',
      requiredScopes: { 'GET /messages': '' },
      resultCacheTtl: 0,
    },
    ports,
    { clock: () => world.time.now, telemetry },
  );
  return async (token) => {
    const event = authorizerEvent({ authorization: `Bearer ${token}` });
    const allowed = await authorize(event, {} as Context).then(
      () => true,
      () => false,
    );
    const report = reports.pop();
    if (allowed) {
      return report?.measures?.has('AcceptedWithoutLookup') === true
        ? 'accepted_without_lookup'
        : 'accepted';
    }
    return report?.outcome === 'temporarily_unavailable' ? 'unavailable' : 'refused';
  };
}

export const kinds = { library, 'forward-auth': forwardAuth, authorizer } as const;

/** One of the real checks, on a region's replica. */
export function createCheck(world: RevocationWorld, options: CheckOptions): Check {
  return { ...options, present: kinds[options.kind](world, createPorts(world, options)) };
}
