import { doneNotice } from '../../html/done.ts';
import { html } from '../../html/html.ts';
import { dataTable } from '../../html/list.ts';
import { code, emptyState, pageHeader } from '../../html/parts.ts';
import { HttpError } from '../../http-error.ts';
import type { Handler } from '../../request-context.ts';
import { readPages } from '../read-pages.ts';
import { providerCrumbs } from './provider-details.ts';

const section = 'identity-providers';

/** Reads of the page, each of 500 hosts. */
const maxReads = 20;

/** The client ids at a provider that are granted. A customer sees those of its trunk groups. */
export const showGrants: Handler = async (context) => {
  const { management, query, person } = context;
  const issuer = query.text('issuer');
  const { grants } = await management.findSubjectGrants(issuer);
  const isStaff = person.trunkGroups === undefined;
  return {
    title: `Grants at ${issuer}`,
    section,
    body: html`${pageHeader({
      title: 'Grants',
      crumbs: providerCrumbs(context, issuer),
      lead: isStaff
        ? 'Which trunk groups may create clients with which ids at this provider. An id that ends at / or : stands for every id that begins with it. The staff needs no grant.'
        : 'With which ids your trunk groups may create clients at this provider. An id that ends at / or : stands for every id that begins with it.',
    })}${doneNotice(query)}${
      grants.length === 0
        ? emptyState(
            'Nothing is granted yet',
            isStaff
              ? 'Without a grant, a customer creates no client here.'
              : 'Until the platform’s staff grants client ids, you can create no client here.',
          )
        : dataTable(
            'Grants',
            [{ text: 'Client ids' }, { text: 'Trunk groups' }],
            grants.map(({ value, trunkGroups }) => [code(value), trunkGroups.join(', ')]),
          )
    }`,
  };
};

/** The issuers that trunk groups may register for themselves, at every host. For the staff. */
export const showIssuerGrants: Handler = async (context) => {
  const { management, query, href, person } = context;
  context.require('listGrants');
  if (person.trunkGroups !== undefined) throw new HttpError(404);
  const { items, nextCursor } = await readPages(
    (cursor) => management.listGrants({ kind: 'issuer', cursor }),
    maxReads,
  );
  const grants = items.flatMap((list) => list.grants);
  return {
    title: 'Granted issuers',
    section,
    body: html`${pageHeader({
      title: 'Granted issuers',
      crumbs: [{ text: 'Identity providers', href: href('/identity-providers') }],
      lead: 'Which trunk groups may register which issuers for themselves, with those below their paths.',
    })}${doneNotice(query)}${
      nextCursor !== undefined &&
      html`<p class="notice notice-warn">Not all were read. <code>authctl provider grants</code> lists all.</p>`
    }${
      grants.length === 0
        ? emptyState('Nothing is granted yet', 'Without a grant, a customer registers no issuer.')
        : dataTable(
            'Granted issuers',
            [{ text: 'Issuer' }, { text: 'Trunk groups' }],
            grants.map(({ value, trunkGroups }) => [code(value), trunkGroups.join(', ')]),
          )
    }`,
  };
};
