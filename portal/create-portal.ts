import { randomUUID } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { maxPortalFormBytes, maxTrunkGroupsOfReach } from '../contract/bounds.ts';
import { readBytes } from '../core/read-bytes.ts';
import {
  ForbiddenError,
  guardManagement,
  mayUse,
  type Person,
} from './access/guarded-management.ts';
import { rememberOffer } from './access/offer.ts';
import { createAppearance } from './appearance.ts';
import { readPathPart } from './client-path.ts';
import { Fields } from './forms/problems.ts';
import { isOwnHost, withSecurityHeaders } from './guards/security-headers.ts';
import { HttpError, LoginNeededError, TooManyTrunkGroupsError } from './http-error.ts';
import { describeError } from './pages/errors/error-page.ts';
import type { Portal, PortalOptions } from './portal-options.ts';
import type { RequestContext } from './request-context.ts';
import { createHref, errorResponse, type RespondOptions, toResponse } from './respond.ts';
import { type Route, routes } from './routes.ts';

export type { Person, Role } from './access/guarded-management.ts';
export type { Portal, PortalOptions, PortalRequest } from './portal-options.ts';

interface Environment {
  readonly Variables: {
    context?: RequestContext;
    route?: string;
    form?: Fields;
    signInAddress?: string;
  };
}

type PortalContext = Context<Environment>;

/** Common properties of every request of a known user. The route adds the rest. */
async function createRequestContext(
  options: PortalOptions,
  request: Request,
  person: Person,
): Promise<RequestContext> {
  const { management, basePath = '', clock = Date.now, look = {} } = options;
  const count = person.trunkGroups?.length ?? 0;
  if (count > maxTrunkGroupsOfReach) throw new TooManyTrunkGroupsError(count);
  const guarded = guardManagement(management, person);
  const deployment = await guarded.describeDeployment();
  // The config can restrict a person further than the login does.
  const { trunkGroups = person.trunkGroups } = deployment.reach ?? {};
  const reaching: Person = { ...person, trunkGroups };
  return {
    person: reaching,
    management: guarded,
    deployment,
    api: look,
    id: () => '',
    query: new Fields(new URL(request.url).searchParams),
    form: new Fields(),
    callerAddress: options.callerAddressOf?.(request),
    now: Math.floor(clock() / 1000),
    href: createHref(basePath),
    ...rememberOffer({ management: guarded, person: reaching, deployment }),
    may: (operation) => mayUse(reaching, operation),
    require: (operation) => {
      if (!mayUse(reaching, operation)) throw new ForbiddenError(operation, reaching);
    },
    newRequestId: randomUUID,
  };
}

/** The last step of every response: it adds the portal's headers and writes a log line. */
function finish(options: PortalOptions) {
  const { clock = Date.now, onRequest } = options;
  return async (c: PortalContext, next: () => Promise<void>) => {
    const start = clock();
    await next();
    const response = withSecurityHeaders(c.res);
    c.res = undefined;
    c.res = response;
    const { actor, name } = c.get('context')?.person ?? {};
    onRequest?.({
      method: c.req.method,
      route: c.get('route'),
      status: c.res.status,
      // A name could not be erased from a log.
      person: actor === undefined ? name : await actor(),
      milliseconds: clock() - start,
    });
  };
}

/** Checks before the user is known. */
function guard({ origins }: PortalOptions) {
  return async (c: PortalContext, next: () => Promise<void>) => {
    if (!isOwnHost(c.req.raw, origins)) throw new HttpError(421);
    if (!isSameOrigin(c.req.raw, origins)) throw new HttpError(403);
    await next();
  };
}

/** Of a form for a credential, the login that it needs, so that one login is enough to send it again. */
async function signInAddressFor(
  { basePath = '', signInAddress, findLoginForCredential }: PortalOptions,
  request: Request,
  form: Fields,
): Promise<string | undefined> {
  const path = new URL(request.url).pathname.slice(basePath.length);
  const isForCredential = routes.some(
    (route) =>
      route.method === 'POST' &&
      new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`).test(path) &&
      route.isForCredential?.(form) === true,
  );
  return (isForCredential ? await findLoginForCredential?.(request) : undefined) ?? signInAddress;
}

/** Identifies the user. From here on, pages know the user. */
function identify(options: PortalOptions) {
  return async (c: PortalContext, next: () => Promise<void>) => {
    const found = await options.identify(c.req.raw);
    if (found instanceof Response) return found;
    if (found === undefined) {
      // A session can end while a long form is open. Its content is not lost.
      if (c.req.method === 'POST') {
        const form = new Fields(await readForm(c.req.raw));
        c.set('form', form);
        c.set('signInAddress', await signInAddressFor(options, c.req.raw, form));
      }
      throw new HttpError(401);
    }
    c.set('context', await createRequestContext(options, c.req.raw, found));
    return next();
  };
}

function handle(options: RespondOptions, route: Route) {
  return async (c: PortalContext) => {
    const context = c.get('context');
    if (context === undefined) throw new HttpError(401);
    c.set('route', route.path);
    const form = route.method === 'POST' ? new Fields(await readForm(c.req.raw)) : context.form;
    if (route.method === 'POST') c.set('form', form);
    if (route.isForCredential?.(route.method === 'POST' ? form : context.query) === true) {
      const address = await options.findLoginForCredential?.(c.req.raw);
      if (address !== undefined && route.method === 'GET') return c.redirect(address, 303);
      if (address !== undefined) throw new LoginNeededError(address);
    }
    const id = (name: string) => {
      const part = c.req.param(name) ?? '';
      return name === 'clientId' ? readPathPart(part) : part;
    };
    return toResponse(options, context, await route.handle({ ...context, id, form }));
  };
}

function fail(options: RespondOptions, error: unknown, c: PortalContext): Response {
  const text = describeError(error);
  if (text.isFault === true) options.onFault?.(error);
  const sent = { request: c.req.raw, form: c.get('form'), signInAddress: c.get('signInAddress') };
  return errorResponse(options, c.get('context'), text, sent);
}

/**
 * The web portal: every page over the management operations. It does not listen and does not know
 * how users sign in: a server calls `fetch`, and `identify` returns the sender of a request.
 *
 * @example
 * const { fetch } = createPortal({
 *   management,
 *   identify: async (request) => ({ name: await nameOf(request), role: 'viewer' }),
 *   origins: ['https://portal.example.com'],
 * });
 */
export function createPortal(portal: PortalOptions): Portal {
  const appearance = createAppearance(portal.look);
  const options: RespondOptions = { ...portal, appearance };
  const { basePath = '', signOut } = options;
  // Hono's strict router does not find the first page below a base path.
  const app = new Hono<Environment>({ strict: false }).basePath(basePath || '/');
  app.onError((error, c) => fail(options, error, c));
  app.notFound((c) => fail(options, new HttpError(404), c));
  app.use('*', finish(options), guard(options));
  app.get('/assets/:name', async (c, next) => {
    return appearance.findAsset(`/assets/${c.req.param('name')}`) ?? next();
  });
  app.use('*', identify(options));
  if (signOut !== undefined) app.post('/sign-out', (c) => signOut(c.req.raw));
  for (const route of routes) app.on(route.method, route.path, handle(options, route));
  for (const { path } of routes) {
    app.all(path, () => {
      throw new HttpError(405);
    });
  }
  return { fetch: async (request) => app.fetch(request) };
}

const formType = 'application/x-www-form-urlencoded';

/**
 * Reads the form of a request.
 *
 * @throws {HttpError} 415 for another type of content, 413 if it is too large.
 */
async function readForm(request: Request): Promise<URLSearchParams> {
  const [type = ''] = (request.headers.get('content-type') ?? '').split(';');
  if (type.trim().toLowerCase() !== formType) throw new HttpError(415);
  const body: AsyncIterable<Uint8Array> | null = request.body;
  const bytes = body === null ? new Uint8Array() : await readBytes(body, maxPortalFormBytes);
  if (bytes === undefined) throw new HttpError(413);
  return new URLSearchParams(new TextDecoder().decode(bytes));
}

const safeMethods: readonly string[] = ['GET', 'HEAD'];

/**
 * Whether a request that changes something comes from a page of the portal. Every browser sends
 * both headers; a request without them is refused.
 */
function isSameOrigin(request: Request, origins: readonly string[]): boolean {
  if (safeMethods.includes(request.method)) return true;
  const origin = request.headers.get('origin');
  return (
    origin !== null &&
    origins.includes(origin) &&
    new URL(origin).host === new URL(request.url).host &&
    request.headers.get('sec-fetch-site') === 'same-origin'
  );
}
