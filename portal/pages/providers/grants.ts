import type { Grant } from '../../../core/identity-provider/grant.ts';
import { textField } from '../../html/field.ts';
import { type Html, html } from '../../html/html.ts';
import { dataTable } from '../../html/list.ts';
import { code, emptyState, linkButton } from '../../html/parts.ts';
import { HttpError } from '../../http-error.ts';
import type { Handler, RequestContext } from '../../request-context.ts';
import { joinPages } from '../join-pages.ts';
import { ofProvider } from './provider-pages.ts';

const section = 'identity-providers';

/** Reads of the page, each of 500 hosts. */
const maxReads = 20;

/** Grants are the staff's. */
const maySet = ({ person, may }: RequestContext) =>
  person.trunkGroups === undefined && may('setSubjectGrant');

type Form = readonly [page: string, query: Readonly<Record<string, string>>];

/** @param formOf the pages of a grant's forms. */
function grantTable(
  context: RequestContext,
  grants: readonly Grant[],
  formOf: (grant: Grant) => Form,
): Html {
  const link = (grant: Grant, form: string, text: string, kind?: 'danger') => {
    const [page, query] = formOf(grant);
    return linkButton(context.href(`/identity-providers/${page}/${form}`, query), text, kind);
  };
  return dataTable(
    'Grants',
    [
      ['Granted', ({ value }) => code(value)],
      ['Trunk groups', ({ trunkGroups }) => trunkGroups.join(', ')],
      maySet(context) && [
        'Change it',
        (grant) =>
          html`${link(grant, 'edit', 'Change')} ${link(grant, 'withdraw', 'Withdraw…', 'danger')}`,
      ],
    ],
    grants,
  );
}

/** Which issuer a new grant is for. A query: the form then shows what its host has. */
function issuerQuery({ href }: RequestContext): Html {
  return html`
    <form class="sheet" method="get" action="${href('/identity-providers/issuer-grants/edit')}">
      ${textField({
        name: 'issuer',
        label: 'Issuer to grant',
        hint: 'With the path of the customer, such as https://sso.example.com/realms/acme.',
        value: '',
        type: 'url',
        required: true,
        isCode: true,
      })}
      <div class="form-actions">
        <button class="button button-primary" type="submit">Grant…</button>
      </div>
    </form>
  `;
}

/** The client ids at a provider that are granted. A customer sees those of its trunk groups. */
export const showGrants: Handler = async (context) => {
  const { management, query, href, person } = context;
  const issuer = query.text('issuer');
  const { grants } = await management.findSubjectGrants(issuer);
  const isStaff = person.trunkGroups === undefined;
  return {
    title: `Grants at ${issuer}`,
    heading: 'Grants',
    ...ofProvider(context, issuer),
    lead: isStaff
      ? 'Which trunk groups may create clients with which ids at this provider. An id that ends at / or : stands for every id that begins with it. The staff needs no grant.'
      : 'With which ids your trunk groups may create clients at this provider. An id that ends at / or : stands for every id that begins with it.',
    actions:
      maySet(context) &&
      linkButton(
        href('/identity-providers/grants/edit', { issuer }),
        'Grant client ids',
        'primary',
      ),
    body:
      grants.length === 0
        ? emptyState(
            'Nothing is granted yet',
            isStaff
              ? 'Without a grant, a customer creates no client here.'
              : 'Until the platform’s staff grants client ids, you can create no client here.',
          )
        : grantTable(context, grants, ({ value }) => ['grants', { issuer, value }]),
  };
};

/** The issuers that trunk groups may register for themselves, at every host. For the staff. */
export const showIssuerGrants: Handler = async (context) => {
  const { management, person } = context;
  context.require('listGrants');
  if (person.trunkGroups !== undefined) throw new HttpError(404);
  const { items, nextCursor } = await joinPages(
    (cursor) => management.listGrants({ kind: 'issuer', cursor }),
    maxReads,
  );
  const grants = items.flatMap((list) => list.grants);
  return {
    title: 'Granted issuers',
    section,
    crumbs: [],
    lead: 'Which trunk groups may register which issuers for themselves, with those below their paths.',
    body: html`${
      nextCursor !== undefined &&
      html`<p class="notice notice-warn">Not all were read. <code>authctl provider grants</code> lists all.</p>`
    }${
      grants.length === 0
        ? emptyState('Nothing is granted yet', 'Without a grant, a customer registers no issuer.')
        : grantTable(context, grants, ({ value }) => ['issuer-grants', { issuer: value }])
    }${maySet(context) && issuerQuery(context)}`,
  };
};
