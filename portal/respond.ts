import type { Appearance } from './appearance.ts';
import type { Fields } from './forms/problems.ts';
import { type Html, type HtmlValue, html } from './html/html.ts';
import { layout, plainLayout } from './html/layout.ts';
import { pageHeader } from './html/parts.ts';
import { type ErrorText, errorPage, retryForm, sendAgain } from './pages/errors/error-page.ts';
import type { PortalOptions } from './portal-options.ts';
import type { Href, RequestContext, RouteResult } from './request-context.ts';

/** What a portal knows when it responds. */
export interface RespondOptions extends PortalOptions {
  readonly appearance: Appearance;
}

function htmlResponse(body: Html, status: number): Response {
  return new Response(body.toString(), {
    status,
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
  });
}

/** The response: a page with the navigation around it, a redirect, or a file. */
export function toResponse(
  options: RespondOptions,
  context: RequestContext,
  answer: RouteResult,
): Response {
  if ('redirectTo' in answer) {
    return new Response(null, { status: 303, headers: { Location: answer.redirectTo } });
  }
  if ('csv' in answer) {
    return new Response(answer.csv, {
      headers: {
        'Content-Type': 'text/csv; charset=utf-8; header=present',
        'Content-Disposition': `attachment; filename="${answer.fileName}"`,
      },
    });
  }
  const { appearance, signOut } = options;
  const { problems, status = problems?.status ?? 200 } = answer;
  const page = { ...answer, status };
  const frame = { appearance, canSignOut: signOut !== undefined };
  return htmlResponse(layout(context, page, frame), status);
}

interface Sent {
  readonly request: Request;
  /** Of a POST. */
  readonly form: Fields | undefined;
  /** Where an unknown user signs in to send it again. */
  readonly signInAddress?: string | undefined;
}

function addressOf({ request }: Sent): string {
  const { pathname, search } = new URL(request.url);
  return pathname + search;
}

/** What an unknown user can do. A form that was sent can be sent again after the login. */
function signInPart({ signInHint, ...options }: PortalOptions, home: string, sent: Sent): Html {
  const signInAddress = sent.signInAddress ?? options.signInAddress;
  const hint =
    signInAddress === undefined
      ? html`<p>${signInHint ?? 'Sign in, then open the portal again.'}</p>`
      : html`<p><a href="${signInAddress}" target="_blank">Open the login in a new tab</a></p>`;
  return sent.form === undefined
    ? html`${hint}<p><a href="${home}">Try again</a></p>`
    : html`${hint}${retryForm(addressOf(sent), sent.form, sendAgain)}`;
}

/** A page without navigation. */
export function plainPage(
  { basePath = '', appearance }: Pick<RespondOptions, 'basePath' | 'appearance'>,
  page: {
    readonly status: number;
    readonly title: string;
    readonly text: HtmlValue;
    readonly more?: Html;
  },
): Response {
  const { status, title, text, more } = page;
  const body = html`${pageHeader({ title, lead: text === '' ? undefined : text })}${more}`;
  const document = plainLayout(title, body, { appearance, href: createHref(basePath) });
  return htmlResponse(document, status);
}

/** An error page. For unknown users, it has no navigation. */
export function errorResponse(
  options: RespondOptions,
  context: RequestContext | undefined,
  error: ErrorText,
  sent: Sent,
): Response {
  if (context !== undefined) {
    return toResponse(options, context, errorPage(error, addressOf(sent), sent.form));
  }
  const { status, title, text } = error;
  const { basePath = '', origins } = options;
  const href = createHref(basePath);
  const [origin] = origins;
  const more =
    status === 421
      ? html`<p>Open <a href="${origin}${href('/')}">${origin}</a>.</p>`
      : status === 401
        ? signInPart(options, href('/'), sent)
        : html`<p><a href="${href('/')}">To the portal</a></p>`;
  return plainPage(options, { status, title, text, more });
}

/** Addresses of pages, with the path of the mount point. Undefined parameters are omitted. */
export function createHref(basePath: string): Href {
  return (path, query = {}) => {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) parameters.set(name, String(value));
    }
    const text = parameters.toString();
    return `${basePath}${path}${text === '' ? '' : `?${text}`}`;
  };
}
