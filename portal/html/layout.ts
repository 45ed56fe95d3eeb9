import type { OperationName } from '../../adapters/management.ts';
import type { Page, RequestContext, Section } from '../request-context.ts';
import { type Html, html } from './html.ts';

export interface AssetUrls {
  readonly style: string;
  readonly script: string;
  readonly icon: string;
}

interface NavigationItem {
  readonly section: Section;
  readonly path: string;
  readonly text: string;
  /** Shown to users with this permission. */
  readonly needs: OperationName;
}

const navigation: readonly NavigationItem[] = [
  { section: 'overview', path: '/', text: 'Overview', needs: 'listClients' },
  { section: 'clients', path: '/clients', text: 'Clients', needs: 'listClients' },
  { section: 'api-keys', path: '/api-keys', text: 'API keys', needs: 'listApiKeys' },
  {
    section: 'identity-providers',
    path: '/identity-providers',
    text: 'Identity providers',
    needs: 'listProviders',
  },
  {
    section: 'signing-keys',
    path: '/signing-keys',
    text: 'Signing keys',
    needs: 'listSigningKeys',
  },
  { section: 'explain', path: '/explain', text: 'Why refused?', needs: 'explainToken' },
  { section: 'audit', path: '/audit', text: 'Audit', needs: 'listAudit' },
];

/** A whole document. The order is that of reading: if, what, then everything else. */
export function document(title: string, assets: AssetUrls, body: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${assets.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${assets.style}">
<script src="${assets.script}" defer></script>
</head>
<body>
${body}
</body>
</html>
`;
}

function navigationList({ may, href }: RequestContext, current: Section | undefined): Html {
  const items = navigation.filter(({ needs }) => may(needs));
  return html`<ul>${items.map(
    ({ section, path, text }) =>
      html`<li><a href="${href(path)}"${section === current ? html` aria-current="page"` : ''}>${text}</a></li>`,
  )}</ul>`;
}

const roleTexts = {
  viewer: 'Viewer',
  manager: 'Manager',
  administrator: 'Administrator',
} as const;

function account({ person, href }: RequestContext, canSignOut: boolean): Html {
  const groups = person.trunkGroups;
  return html`<div class="account"><p class="account-name">${person.name}</p><p class="muted">${roleTexts[person.role]}${
    groups === undefined ? '' : html`, ${groups.join(', ') || 'no trunk group'}`
  }</p>${
    canSignOut
      ? html`<form method="post" action="${href('/sign-out')}"><button class="link" type="submit">Sign out</button></form>`
      : ''
  }</div>`;
}

/** A page with the navigation around it. */
export function layout(
  context: RequestContext,
  page: Page,
  assets: AssetUrls,
  canSignOut: boolean,
): Html {
  const { deployment, href } = context;
  const isError = [409, 422].includes(page.status ?? 200);
  const title = `${isError ? 'Error: ' : ''}${page.title} · ${deployment.name}`;
  const regions = deployment.regions.map(({ id }) => id).join(', ');
  return document(
    title,
    assets,
    html`<a class="skip" href="#main">Skip to content</a>
<div class="frame">
<header class="sidebar">
<a class="brand" href="${href('/')}"><img src="${assets.icon}" alt="" width="28" height="28"><span class="brand-name">Authorization server</span><span class="brand-deployment">${deployment.name} <span class="muted">${regions}</span></span></a>
<details class="menu"><summary>Menu</summary><nav aria-label="Menu">${navigationList(context, page.section)}</nav>${account(context, canSignOut)}</details>
<nav class="nav" aria-label="Main">${navigationList(context, page.section)}</nav>
<div class="nav-foot">${account(context, canSignOut)}</div>
</header>
<main id="main" tabindex="-1">${page.body}</main>
</div>`,
  );
}

/** A page for unknown users, or when nothing can be read. */
export function plainLayout(title: string, body: Html, assets: AssetUrls): Html {
  return document(title, assets, html`<main id="main" class="plain">${body}</main>`);
}
