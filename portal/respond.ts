import { assetUrls } from './assets.ts';
import type { Fields } from './forms/fields.ts';
import { createHref } from './href.ts';
import { type Html, html } from './html/html.ts';
import { layout, plainLayout } from './html/layout.ts';
import { pageHeader } from './html/parts.ts';
import { type ErrorText, errorPage } from './pages/errors/error-page.ts';
import type { PortalOptions } from './portal-options.ts';
import type { RequestContext, RouteResult } from './request-context.ts';

function htmlResponse(body: Html, status: number): Response {
  return new Response(body.toString(), {
    status,
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
  });
}

/** The response: a page with the navigation around it, or a redirect. */
export function toResponse(
  options: PortalOptions,
  context: RequestContext,
  answer: RouteResult,
): Response {
  if ('redirectTo' in answer) {
    return new Response(null, { status: 303, headers: { Location: answer.redirectTo } });
  }
  const canSignOut = options.signOut !== undefined;
  const page = layout(context, answer, assetUrls(context.href), canSignOut);
  return htmlResponse(page, answer.status ?? 200);
}

/** An error page for a known user. */
export function errorResponse(
  options: PortalOptions,
  context: RequestContext,
  error: ErrorText,
  sent: { readonly request: Request; readonly form: Fields | undefined },
): Response {
  const { request, form } = sent;
  const { pathname, search } = new URL(request.url);
  return toResponse(options, context, errorPage(error, pathname + search, form));
}

/** An error page for unknown users. It has no navigation. */
export function plainErrorResponse(
  { basePath = '', origins, signInHint }: PortalOptions,
  { status, title, text }: ErrorText,
): Response {
  const href = createHref(basePath);
  const [origin] = origins;
  const more =
    status === 421
      ? html`<p>Open <a href="${origin}${href('/')}">${origin}</a>.</p>`
      : status === 401
        ? html`<p>${signInHint ?? 'Sign in, then open the portal again.'}</p><p><a href="${href('/')}">Try again</a></p>`
        : html`<p><a href="${href('/')}">To the portal</a></p>`;
  const body = html`${pageHeader({ title, lead: text === '' ? undefined : text })}${more}`;
  return htmlResponse(plainLayout(title, body, assetUrls(href)), status);
}
