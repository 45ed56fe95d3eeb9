import type { IdentityProvider } from '../../../adapters/management.ts';
import { parseServiceTrunkGroup } from '../../../core/management/input-fields.ts';
import type { Granted } from '../../access/granted.ts';
import {
  type ClientValues,
  clientChecks,
  newClientValues,
  readClientValues,
  readRequiredClaims,
  toClientChanges,
} from '../../forms/client-form.ts';
import { isDenied, noProblems, type Problems } from '../../forms/problems.ts';
import { nextRequestId } from '../../forms/request-id.ts';
import { requireFields } from '../../forms/required.ts';
import { submit } from '../../forms/submit.ts';
import { hiddenField } from '../../html/field.ts';
import { postForm } from '../../html/form.ts';
import { html } from '../../html/html.ts';
import { pageHeader } from '../../html/parts.ts';
import type { Handler, Page, RequestContext } from '../../request-context.ts';
import { chooseTrunkGroup, nothingPage } from '../choose-trunk-group.ts';
import {
  changeableFields,
  clientLabels,
  providerFields,
  trunkGroupField,
} from './client-fields.ts';

/** The registered providers; undefined if the AWS identity may not list them. Asked before `granted`. */
async function findProviders({ listProviders }: RequestContext, group: string) {
  try {
    return await listProviders([group]);
  } catch (error) {
    if (isDenied(error)) return undefined;
    throw error;
  }
}

/** A person with every group types the group later. Management decides. */
function isOpenTo(group: string, { issuer, owner }: IdentityProvider, granted: Granted): boolean {
  const own = owner?.trunkGroups ?? [];
  if (own.length > 0) return group === '' || own.includes(group);
  return granted.providers?.includes(issuer) ?? true;
}

interface ShownForm {
  readonly values: ClientValues;
  readonly requestId: string;
  readonly providers: Awaited<ReturnType<typeof findProviders>>;
  readonly problems: Problems;
}

async function showForm(
  context: RequestContext,
  { values, requestId, providers, problems }: ShownForm,
): Promise<Page> {
  const { href } = context;
  const group = values.serviceTrunkGroup.trim();
  const granted = await context.granted(group);
  const open = providers
    ?.filter((provider) => isOpenTo(group, provider, granted))
    .map(({ issuer }) => issuer);
  const form = postForm(
    {
      action: href('/clients'),
      problems,
      labels: clientLabels,
      submit: 'Create client',
      cancel: href('/clients'),
    },
    [
      hiddenField('requestId', requestId),
      trunkGroupField(context, values.serviceTrunkGroup, problems),
      changeableFields(context, { values, problems, granted }),
      providerFields(open, values, problems),
    ],
  );
  return {
    status: problems.status,
    title: 'New client',
    section: 'clients',
    body: html`${pageHeader({
      title: 'New client',
      crumbs: [{ text: 'Clients', href: href('/clients') }],
      lead: 'A program that requests access tokens. You create its secret in the next step.',
    })}${form}`,
  };
}

export const newClient: Handler = async (context) => {
  context.require('createClient');
  const { query, deployment } = context;
  const provider = query.text('provider');
  const creation = {
    title: 'New client',
    section: 'clients',
    path: '/clients/new',
    query: { provider: provider || undefined },
  } as const;
  const group = await chooseTrunkGroup(context, creation);
  if (typeof group !== 'string') return group;
  const providers = await findProviders(context, group);
  const { maxTokenLifetime = Infinity, maxClients } = await context.granted(group);
  if (maxClients === 0) {
    return nothingPage(creation, {
      title: `No clients are allowed in ${group}`,
      text: 'Ask the person who manages the portal.',
    });
  }
  const tokenLifetime = Math.min(deployment.tokenLifetime.default, maxTokenLifetime);
  const values = { ...newClientValues(tokenLifetime, group), provider };
  const requestId = context.newRequestId();
  return showForm(context, { values, requestId, providers, problems: noProblems });
};

export const createClient: Handler = async (context) => {
  const { form, management, href } = context;
  const values = readClientValues(form);
  const requestId = form.text('requestId');
  return submit(
    async () => {
      const required = {
        serviceTrunkGroup: 'Say which trunk group the client belongs to.',
        name: 'Give the client a name.',
        scopes: 'Choose one scope or more.',
      };
      requireFields(form, required, [
        () => parseServiceTrunkGroup(values.serviceTrunkGroup.trim()),
        ...clientChecks(values, context.deployment),
      ]);
      const { client, existed } = await management.createClient({
        ...toClientChanges(values),
        serviceTrunkGroup: values.serviceTrunkGroup.trim(),
        provider: values.provider || undefined,
        externalClientId: values.externalClientId.trim() || undefined,
        requiredClaims: readRequiredClaims(values),
        allowUserTokens: values.allowsUserTokens || undefined,
        idempotencyKey: requestId || undefined,
      });
      const done = existed ? 'client-existed' : 'client-created';
      return { redirectTo: href(`/clients/${client.clientId}`, { done }) };
    },
    async (problems) =>
      showForm(context, {
        values,
        requestId: nextRequestId(context, requestId, problems),
        providers: await findProviders(context, values.serviceTrunkGroup.trim()),
        problems,
      }),
  );
};
