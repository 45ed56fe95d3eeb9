import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { Secret, SecretStage } from '../../../adapters/secrets/secret-reader.ts';
import {
  type DeploymentConfig,
  parseDeploymentConfig,
} from '../../../contract/deployment-config.ts';
import {
  formatPortalConfig,
  type PortalFunctionConfig,
} from '../../../contract/function-settings.ts';
import { ServiceUnavailableError } from '../../../core/errors.ts';
import {
  type Deviation,
  loginClient,
  TestOpenIdProvider,
} from '../../../lab/support/openid-provider.ts';
import { portalConfig } from '../../../lab/support/portal-config.ts';
import { createPortalHandler } from '../../../lambda/portal/function.ts';
import type { RequestReport } from '../../../lambda/shared/telemetry.ts';
import type { Portal } from '../../../portal/portal-options.ts';
import { createWorld, type World } from '../../adapters/management/world.ts';
import { Browser, origin } from '../../portal/login/login-world.ts';
import { testConfig } from '../../support/management.ts';
import { createTestFunction } from '../../support/management-function.ts';

export const redirectUri = `${origin}/login/callback`;

/** An event as API Gateway makes it of a request. */
export async function toEvent(request: Request): Promise<APIGatewayProxyEvent> {
  const { pathname, searchParams, host } = new URL(request.url);
  const multiValueHeaders: Record<string, string[]> = { Host: [host] };
  for (const [name, value] of request.headers) {
    multiValueHeaders[name === 'host' ? 'Host' : name] = [value];
  }
  const query: Record<string, string[]> = {};
  for (const [name, value] of searchParams) (query[name] ??= []).push(value);
  const body = await request.text();
  return {
    resource: '/{proxy+}',
    path: pathname,
    httpMethod: request.method,
    headers: {},
    multiValueHeaders,
    queryStringParameters: null,
    multiValueQueryStringParameters: query,
    pathParameters: null,
    stageVariables: null,
    body: body === '' ? null : body,
    isBase64Encoded: false,
    requestContext: {
      requestId: 'request-1',
      identity: { sourceIp: '203.0.113.7' },
    } as APIGatewayProxyEvent['requestContext'],
  };
}

type PortalFunction = ReturnType<typeof createPortalHandler>;

/** Responses of the function so far. */
export const answers = { refused: 0, accepted: 0 };

/** The function as a browser reaches it. */
function behindGateway(handler: PortalFunction): Portal {
  return {
    fetch: async (request) => {
      const result = await handler(await toEvent(request), {} as Context);
      answers[result.statusCode < 400 ? 'accepted' : 'refused'] += 1;
      const headers = new Headers();
      for (const [name, values] of Object.entries(result.multiValueHeaders ?? {})) {
        for (const value of values) headers.append(name, String(value));
      }
      const body = result.body === '' ? null : result.body;
      return new Response(body, { status: result.statusCode, headers });
    },
  };
}

export const sessionKeyArn =
  'arn:aws:secretsmanager:us-west-2:111122223333:secret:session-key-AbCdEf';

/** Secrets Manager in memory. */
class Secrets {
  readonly versions = new Map<string, Secret>();
  fails = false;

  readonly read = async (arn: string, stage: SecretStage): Promise<Secret | undefined> => {
    if (this.fails) throw new ServiceUnavailableError('Secrets Manager', 'it gives no secret');
    return this.versions.get(`${arn} ${stage}`);
  };

  put(arn: string, text: string, createdAt: number): void {
    const current = this.versions.get(`${arn} AWSCURRENT`);
    if (current !== undefined) this.versions.set(`${arn} AWSPREVIOUS`, current);
    this.versions.set(`${arn} AWSCURRENT`, { text, createdAt });
  }
}

export interface PortalWorld extends World {
  readonly openid: TestOpenIdProvider;
  readonly secrets: Secrets;
  readonly reports: RequestReport[];
  readonly handler: PortalFunction;
  readonly browser: Browser;
  readonly openBrowser: (config?: Partial<PortalFunctionConfig>) => Browser;
  /** Signs a person in: the response to the callback. */
  readonly signIn: (browser?: Browser, path?: string) => Promise<Response>;
  /** What follows after `/login?…` or a redirect to the provider. */
  readonly comeBack: (browser: Browser, away: Response) => Promise<Response>;
}

/** The portal function with a real provider on loopback, and the management function behind it. */
export async function createPortalWorld(
  openid: TestOpenIdProvider,
  limits: DeploymentConfig['management'] = testConfig.management,
): Promise<PortalWorld> {
  const world = await createWorld();
  world.now = Math.floor(Date.now() / 1000);
  const secrets = new Secrets();
  secrets.put(sessionKeyArn, 'k'.repeat(64), world.now - 86_400);
  secrets.put(portalConfig.login.clientSecretArn, loginClient.clientSecret, world.now - 86_400);
  const reports: RequestReport[] = [];
  const { people } = portalConfig;
  const role = { ...people.role, administrator: ['staff'] };
  const { portal, management: config } = parseDeploymentConfig({
    regions: { slc: { awsRegion: 'us-west-2' } },
    defaultAudience: 'https://api.example.com',
    management: testConfig.management,
    scopes: testConfig.scopes,
    portal: {
      ...portalConfig,
      people: { ...people, role },
      look: { support: 'support@example.com' },
    },
  });
  if (portal === undefined) throw new Error('the config has a portal');
  const given = JSON.parse(formatPortalConfig(portal, config)) as PortalFunctionConfig;
  const management = createTestFunction({
    ...world.context,
    config: { ...testConfig, management: limits },
  }).through('portal');
  const create = (changes: Partial<PortalFunctionConfig>) =>
    createPortalHandler({
      config: { ...given, login: { ...given.login, issuer: openid.issuer }, ...changes },
      createManagement: () => management,
      readSecret: secrets.read,
      sessionKeySecret: sessionKeyArn,
      clock: () => world.now * 1000,
      telemetry: { report: (report) => reports.push(report) },
    });
  const handler = create({});
  const browser = new Browser(behindGateway(handler));
  const comeBack = (who: Browser, away: Response) => {
    const { pathname, search } = openid.authorize(away.headers.get('location') ?? '');
    return who.get(pathname + search);
  };
  return Object.assign(world, {
    openid,
    secrets,
    reports,
    handler,
    browser,
    openBrowser: (changes: Partial<PortalFunctionConfig> = {}) =>
      new Browser(behindGateway(create(changes))),
    comeBack,
    signIn: async (who = browser, path = '/clients') => comeBack(who, await who.get(path)),
  });
}

/** The claims of a manager of one trunk group. */
export const ada = {
  sub: 'ada',
  email: 'ada@example.com',
  groups: ['managers'],
  trunk_groups: ['tg-1001'],
};

/** A provider for the tests of a file, and the portal for Ada, who signs in there. */
export function usePortalFunction() {
  const openid = new TestOpenIdProvider(redirectUri);
  beforeAll(() => openid.start());
  afterAll(() => openid.close());
  afterEach(() => {
    openid.deviation = {};
  });
  /** @param claims of the ID token that are others than Ada's. */
  const open = (claims: Deviation['claims'] = {}): Promise<PortalWorld> => {
    openid.deviation = { claims: { ...ada, ...claims } };
    return createPortalWorld(openid);
  };
  return { openid, open };
}
