import { createHash } from 'node:crypto';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { loginFetch } from '../../adapters/https/login-fetch.ts';
import type { Management } from '../../adapters/management.ts';
import type { ReadSecret, Secret } from '../../adapters/secrets/secret-reader.ts';
import { securityHeaders } from '../../contract/error-body.ts';
import type { PortalFunctionConfig } from '../../contract/function-settings.ts';
import { describeError, ServiceUnavailableError } from '../../core/errors.ts';
import { type Clock, seconds } from '../../core/time.ts';
import { createLoginProvider } from '../../portal/login/login-provider.ts';
import { createLoginPortal } from '../../portal/login/login-sessions.ts';
import type { SealingKeys } from '../../portal/login/sealing.ts';
import { sessionTimes } from '../../portal/login/session.ts';
import type { Portal } from '../../portal/portal-options.ts';
import {
  createTelemetry,
  type LogFields,
  type RequestReport,
  type Telemetry,
} from '../shared/telemetry.ts';

/** What happens next to the operations, for the log. */
interface PortalReports {
  readonly onMalformedRecord: (error: Error) => void;
  readonly onAuditGap: () => void;
}

interface PortalFunctionOptions {
  readonly config: PortalFunctionConfig;
  /** The management through the alias `portal`. */
  readonly createManagement: (reports: PortalReports) => Management;
  readonly readSecret: ReadSecret;
  readonly sessionKeySecret: string;
  readonly clock?: Clock;
  /** Standard output if left out. */
  readonly telemetry?: Telemetry;
}

type PortalHandler = (
  event: APIGatewayProxyEvent,
  context: Context,
) => Promise<APIGatewayProxyResult>;

/** What a request did, for its log line. An instance of the function has one request at a time. */
class Notes {
  outcome = 'served';
  fields: Record<string, LogFields[string]> = {};
  error: unknown;
  /** Whether the error is one of the service, and not of a login. */
  isFault = false;

  begin(): void {
    this.outcome = 'served';
    this.fields = {};
    this.error = undefined;
    this.isFault = false;
  }

  addFault(error: unknown): void {
    this.error = error;
    this.isFault = true;
  }
}

function levelOf(status: number): RequestReport['level'] {
  if (status >= 500) return status === 503 ? 'warn' : 'error';
  return 'info';
}

/** The addresses that API Gateway saw. No header decides: a request can have any. */
type SourceAddresses = WeakMap<Request, string>;

function createPortal(
  options: PortalFunctionOptions,
  notes: Notes,
  { clock, sources }: { readonly clock: Clock; readonly sources: SourceAddresses },
): Portal {
  const { config, readSecret, sessionKeySecret } = options;
  const { login, people, sessionEpoch: epoch, look, domain } = config;
  const { acceptsPromptLogin, scopes, idTokenAlgorithm, issuer, clientId } = login;
  const origin = `https://${domain.name}`;
  const note = (error: unknown) => notes.addFault(error);
  return createLoginPortal({
    management: options.createManagement({
      onMalformedRecord: note,
      onAuditGap: () => note(new Error('the outcome of a change is missing in the audit')),
    }),
    origins: [origin],
    callerAddressOf: (request) => sources.get(request),
    provider: createLoginProvider({
      issuer,
      clientId,
      clientSecret: async () => {
        const secret = await readSecret(login.clientSecretArn, 'AWSCURRENT');
        // A file that was put there ends with a line break.
        if (secret !== undefined) return secret.text.trim();
        throw new ServiceUnavailableError('Secrets Manager', 'the client secret has no version');
      },
      redirectUri: `${origin}/login/callback`,
      fetch: loginFetch,
      scopes,
      idTokenAlgorithm,
      acceptsPromptLogin,
      recentLogin: sessionTimes.recentLoginOfForm,
      clock,
    }),
    keys: createSessionKeys(readSecret, { arn: sessionKeySecret, clock, onFailure: note }),
    people,
    epoch,
    look,
    clock,
    onLogin: ({ outcome, subject, error }) => {
      notes.outcome = outcome;
      notes.fields['subject'] = subject;
      notes.error = error;
    },
    onRequest: ({ route, person }) => {
      notes.fields['route'] = route;
      notes.fields['person'] = person;
    },
    onFault: note,
  });
}

/** A request that no browser sends. */
function refuseRequest(): Response {
  return new Response('This request cannot be read.', {
    status: 400,
    headers: { ...securityHeaders, 'Content-Type': 'text/plain; charset=utf-8' },
  });
}

/**
 * The portal function: the same pages as everywhere, behind an API of its own. It has no table and
 * no key of KMS. Everything that it shows and changes goes through the management function, for a
 * person who signed in.
 */
export function createPortalHandler(options: PortalFunctionOptions): PortalHandler {
  const { clock = Date.now, telemetry = createTelemetry('portal', {}) } = options;
  const notes = new Notes();
  const sources: SourceAddresses = new WeakMap();
  const portal = createPortal(options, notes, { clock, sources });
  const origin = `https://${options.config.domain.name}`;
  return async (event, context) => {
    const startedAt = clock();
    notes.begin();
    const request = toRequest(event, origin);
    if (request !== undefined) sources.set(request, event.requestContext.identity.sourceIp);
    const response = request === undefined ? refuseRequest() : await portal.fetch(request);
    const result = await toResult(response);
    const { statusCode } = result;
    const { outcome, fields, error, isFault } = notes;
    const { requestId, identity } = event.requestContext;
    telemetry.report(
      {
        level: isFault ? 'error' : levelOf(statusCode),
        outcome,
        statusCode,
        latency: clock() - startedAt,
        fields: {
          http_method: event.httpMethod,
          source_ip: identity.sourceIp,
          request_id: requestId,
          ...fields,
          ...describeError(error),
        },
      },
      context,
    );
    return result;
  };
}

/** Characters of a secret: 43 of base64url are 256 bits. */
const leastLength = 43;

/** Seconds for which the keys are kept. */
const refreshAfter = 60;

/**
 * Seconds from the creation of a new key to its first use. By then each instance of the function
 * has read it, so none refuses a cookie that another one sealed.
 */
const useAfter = 5 * refreshAfter;

function keyOf({ text }: Secret): Uint8Array {
  if (text.length >= leastLength) return createHash('sha256').update(text).digest();
  throw new RangeError(
    `the session key: received a text of ${text.length} characters; allowed: ${leastLength} random characters or more`,
  );
}

/**
 * The keys of cookies, from a secret that is rotated: the version before is still read. If Secrets
 * Manager does not answer, the last keys stay, so people who are signed in go on.
 *
 * @param onFailure hears when the keys could not be read again.
 */
function createSessionKeys(
  readSecret: ReadSecret,
  {
    arn,
    clock,
    onFailure,
  }: { readonly arn: string; readonly clock: Clock; readonly onFailure: (error: unknown) => void },
): () => Promise<SealingKeys> {
  let kept: { readonly at: number; readonly keys: SealingKeys } | undefined;
  const read = async (now: number): Promise<SealingKeys> => {
    const [current, previous] = await Promise.all([
      readSecret(arn, 'AWSCURRENT'),
      readSecret(arn, 'AWSPREVIOUS'),
    ]);
    if (current === undefined) throw new RangeError('the session key: received no current version');
    if (previous === undefined) return [keyOf(current)];
    const [newer, older] = [keyOf(current), keyOf(previous)];
    return now - current.createdAt < useAfter ? [older, newer] : [newer, older];
  };
  return async () => {
    const now = seconds(clock());
    if (kept !== undefined && now - kept.at < refreshAfter) return kept.keys;
    try {
      kept = { at: now, keys: await read(now) };
    } catch (error) {
      if (kept === undefined) throw error;
      onFailure(error);
      kept = { ...kept, at: now };
    }
    return kept.keys;
  };
}

type Query = APIGatewayProxyEvent['multiValueQueryStringParameters'];

/** API Gateway decodes the query, so it is encoded again. */
function queryOf(parameters: Query): string {
  const pairs = Object.entries(parameters ?? {}).flatMap(([name, values]) =>
    (values ?? []).map((value) => [name, value] as [string, string]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

function headersOf({ multiValueHeaders }: APIGatewayProxyEvent): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(multiValueHeaders ?? {})) {
    for (const value of values ?? []) headers.append(name, value);
  }
  return headers;
}

function bodyOf({ httpMethod, body, isBase64Encoded }: APIGatewayProxyEvent): Buffer | null {
  if (httpMethod === 'GET' || httpMethod === 'HEAD' || body === null) return null;
  return Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
}

/**
 * The request of a REST API's proxy event (payload version 1.0). Its address has the portal's own
 * origin. What the client called the host is only in its header.
 *
 * @returns undefined if the Fetch standard has no such request: a method such as TRACE, or a header
 *   with other characters than bytes.
 */
function toRequest(event: APIGatewayProxyEvent, origin: string): Request | undefined {
  const path = event.path.startsWith('/') ? event.path : `/${event.path}`;
  try {
    return new Request(origin + path + queryOf(event.multiValueQueryStringParameters), {
      method: event.httpMethod,
      headers: headersOf(event),
      body: bodyOf(event),
    });
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/**
 * The result of a proxy integration. Everything that the portal sends is text. Its host has only
 * https, which browsers are told.
 */
async function toResult(response: Response): Promise<APIGatewayProxyResult> {
  const multiValueHeaders: Record<string, string[]> = {
    'strict-transport-security': [securityHeaders['Strict-Transport-Security']],
  };
  for (const [name, value] of response.headers) {
    if (name !== 'set-cookie') multiValueHeaders[name] = [value];
  }
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) multiValueHeaders['set-cookie'] = cookies;
  return { statusCode: response.status, multiValueHeaders, body: await response.text() };
}
