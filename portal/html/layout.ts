import type { Appearance, AssetUrls } from '../appearance.ts';
import type { Fields } from '../forms/problems.ts';
import type { Href, HtmlPage, RequestContext } from '../request-context.ts';
import { errorSummary } from './form.ts';
import { type Html, html } from './html.ts';
import { type NavigationItem, pageHeader, type Section, sections } from './parts.ts';

const navigation: readonly (readonly [string, NavigationItem])[] = Object.entries(sections);

/** Messages after a change. The address contains only the name of the message. */
const sentences: ReadonlyMap<string, string> = new Map([
  ['client-created', 'The client was created. Now give it a secret.'],
  [
    'client-existed',
    'This form was sent before, and created this client then. No other one was created. Open a new form to create another client.',
  ],
  ['provider-client-created', 'The client was created. It authenticates at its provider.'],
  ['saved', 'Saved.'],
  ['client-enabled', 'The client is enabled. Its secrets work again.'],
  ['client-disabled', 'The client is disabled. It gets no new tokens.'],
  ['tokens-revoked', 'The tokens of the client were revoked. New ones are accepted.'],
  ['client-deleted', 'The client was deleted.'],
  ['secret-disabled', 'Disabled. The others of the client still work.'],
  ['secret-enabled', 'Enabled. It works again.'],
  ['secret-deleted', 'Deleted. It no longer works.'],
  ['key-added', 'The public key was added. The client can sign with its private key now.'],
  ['key-enabled', 'The API key is enabled.'],
  ['key-disabled', 'The API key is disabled. It no longer works.'],
  ['key-deleted', 'The API key was deleted.'],
  ['subnet-added', 'The subnet was added.'],
  [
    'subnet-added-cut',
    'The subnet was added as the network that its netmask says. The rest of the address was cut.',
  ],
  ['subnet-removed', 'The subnet was removed.'],
  ['limits-saved', 'The limits were saved. They hold for the next change.'],
  ['provider-registered', 'The provider is registered.'],
  ['provider-assigned', 'The trunk groups of the provider were changed.'],
  ['grant-saved', 'The grant was saved. It holds for the next change.'],
  ['grant-withdrawn', 'The grant was withdrawn. What exists goes on.'],
  ['provider-deleted', 'The provider was deleted.'],
]);

function doneNotice(query: Fields): Html | '' {
  const sentence = sentences.get(query.text('done'));
  return sentence === undefined ? '' : html`<p class="notice" role="status">${sentence}</p>`;
}

/** A value, because the lines of a template are joined. */
const lineBreak = '\n';

/** A whole document. The order is that of reading: if, what, then everything else. */
function document(title: string, assets: AssetUrls, body: Html): Html {
  return html`<!doctype html>${lineBreak}
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${assets.icon}" type="image/svg+xml">
${assets.styles.map(
  (style) => html`<link rel="stylesheet" href="${style}">
`,
)}<script src="${assets.script}" defer></script>
</head>
<body>${body}</body>
</html>
`;
}

function navigationList({ may, href }: RequestContext, current: Section | undefined): Html {
  const items = navigation.filter(([, { needs }]) => may(needs));
  return html`<ul>${items.map(
    ([section, { text }]) =>
      html`
        <li>
          <a href="${href(section === 'overview' ? '/' : `/${section}`)}"${section === current ? html` aria-current="page"` : ''}>
          ${text}</a>
        </li>
      `,
  )}</ul>`;
}

const roleTexts = { viewer: 'Viewer', manager: 'Manager', administrator: 'Administrator' } as const;

/** The last part of an ARN, which is too long for the corner of a page. */
function shortName(name: string): string {
  return name.startsWith('arn:') ? (name.split(/[/:]/).at(-1) ?? name) : name;
}

function account({ person, href }: RequestContext, canSignOut: boolean): Html {
  const groups = person.trunkGroups;
  return html`
    <div class="account">
      <p class="account-name" title="${person.name}">${shortName(person.name)}</p>
      <p class="muted">
        ${roleTexts[person.role]}${groups && html`, ${groups.join(', ') || 'no trunk group'}`}
      </p>
      ${
        canSignOut &&
        html`
          <form method="post" action="${href('/sign-out')}">
            <button class="link" type="submit">Sign out</button>
          </form>
        `
      }
    </div>
  `;
}

function supportLink({ support }: Appearance): Html | '' {
  if (support === undefined) return '';
  const address = support.startsWith('https://') ? support : `mailto:${support}`;
  return html`<p class="support">Help: <a href="${address}">${support}</a></p>`;
}

const noticeLine = ({ notice }: Appearance) =>
  notice !== undefined && html`<aside class="site-notice" aria-label="Notice">${notice}</aside>`;

function head({ href }: RequestContext, page: HtmlPage): Html {
  const { section, crumbs } = page;
  if (section === undefined || crumbs === undefined) return pageHeader(page);
  return pageHeader(page, [{ text: sections[section].text, href: href(`/${section}`) }, ...crumbs]);
}

/** A page with the navigation around it. */
export function layout(
  context: RequestContext,
  page: HtmlPage,
  { appearance, canSignOut }: { readonly appearance: Appearance; readonly canSignOut: boolean },
): Html {
  const { deployment, href } = context;
  const assets = appearance.urls(href);
  const isError = [409, 422].includes(page.status ?? 200);
  const title = `${isError ? 'Error: ' : ''}${page.title} · ${appearance.name}`;
  const regions = deployment.regions.map(({ id }) => id).join(', ');
  return document(
    title,
    assets,
    html`
      <a class="skip" href="#main">Skip to content</a>
${noticeLine(appearance)}
      <div class="frame">
<header class="sidebar">
<a class="brand" href="${href('/')}">
          <img src="${assets.icon}" alt="" height="28"><span class="brand-name">
          ${appearance.name}</span><span class="brand-deployment">
          ${deployment.name} <span class="muted">${regions}</span></span></a>
<details class="menu">
            <summary>Menu</summary>
            <nav aria-label="Menu">${navigationList(context, page.section)}</nav>
            ${account(context, canSignOut)}${supportLink(appearance)}
          </details>
<nav class="nav" aria-label="Main">${navigationList(context, page.section)}</nav>
<div class="nav-foot">${account(context, canSignOut)}${supportLink(appearance)}</div>
</header>
<main id="main" tabindex="-1">
${head(context, page)}${doneNotice(context.query)}${page.problems && errorSummary(page.problems, page.labels ?? {})}${page.body}</main>
</div>
    `,
  );
}

/** A page for unknown users, or when nothing can be read. */
export function plainLayout(
  title: string,
  body: Html,
  { appearance, href }: { readonly appearance: Appearance; readonly href: Href },
): Html {
  const assets = appearance.urls(href);
  return document(
    `${title} · ${appearance.name}`,
    assets,
    html`
      ${noticeLine(appearance)}
      <header class="plain-brand">
        <img src="${assets.icon}" alt="" height="28"><span class="brand-name">
        ${appearance.name}</span>
      </header>
      <main id="main" class="plain">${body}${supportLink(appearance)}</main>
    `,
  );
}
