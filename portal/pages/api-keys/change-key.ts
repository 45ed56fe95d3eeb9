import type { ApiKey } from '../../../adapters/management.ts';
import { noProblems, type Problems } from '../../forms/problems.ts';
import { submit } from '../../forms/submit.ts';
import { readVersion } from '../../forms/version.ts';
import { checkbox, hiddenField } from '../../html/field.ts';
import { postForm } from '../../html/form.ts';
import { type Html, html } from '../../html/html.ts';
import { pageHeader } from '../../html/parts.ts';
import type { Handler, Page, RequestContext } from '../../request-context.ts';
import { nameField } from '../clients/client-fields.ts';
import { keyPage } from './key-details.ts';
import { sourcesSummary } from './key-row.ts';

/** A page about one key, under the page of the key. */
export function underKey(
  context: RequestContext,
  key: ApiKey,
  page: {
    readonly title: string;
    readonly lead?: Html | string;
    readonly problems: Problems;
    readonly body: Html;
  },
): Page {
  const { href } = context;
  return {
    status: page.problems.status,
    title: page.title,
    section: 'api-keys',
    body: html`${pageHeader({
      title: page.title,
      crumbs: [
        { text: 'API keys', href: href('/api-keys') },
        { text: key.name, href: href(`/api-keys/${key.keyId}`) },
      ],
      lead: page.lead,
    })}${page.body}`,
  };
}

interface Editing {
  readonly key: ApiKey;
  readonly name: string;
  readonly enabled: boolean;
  readonly version: number;
  readonly problems: Problems;
}

function showForm(
  context: RequestContext,
  { key, name, enabled, version, problems }: Editing,
): Page {
  const address = context.href(`/api-keys/${key.keyId}`);
  const isConflict = problems.status === 409;
  const form = postForm(
    { action: address, problems, labels: { name: 'Name' }, submit: 'Save', cancel: address },
    [
      hiddenField('ifVersion', isConflict ? key.version : version),
      nameField(name, problems, isConflict ? key.name : undefined),
      checkbox({
        name: 'enabled',
        label: 'Enabled',
        hint: 'A disabled key is refused. It can be enabled again.',
        isOn: enabled,
      }),
    ],
  );
  return underKey(context, key, { title: `Edit ${key.name}`, problems, body: form });
}

export const editApiKey: Handler = async (context) => {
  context.require('renameApiKey');
  const key = await context.management.findApiKey(context.id('keyId'));
  const { name, enabled, version } = key;
  return showForm(context, { key, name, enabled, version, problems: noProblems });
};

export const updateApiKey: Handler = async (context) => {
  const { management, form, href } = context;
  const keyId = context.id('keyId');
  const [name, enabled, version] = [form.text('name'), form.isOn('enabled'), readVersion(form)];
  return submit(
    async () => {
      const renamed = await management.renameApiKey(keyId, name, { ifVersion: version });
      await management.setApiKeyEnabled(keyId, enabled, { ifVersion: renamed.version });
      return { redirectTo: href(`/api-keys/${keyId}`, { done: 'saved' }) };
    },
    async (problems) => {
      const key = await management.findApiKey(keyId);
      return showForm(context, { key, name, enabled, version, problems });
    },
  );
};

function setEnabled(enabled: boolean): Handler {
  return async (context) => {
    const { management, form, href } = context;
    const keyId = context.id('keyId');
    return submit(
      async () => {
        // Stopping wins: a version that is out of date does not hold it up.
        const options = enabled ? { ifVersion: readVersion(form) } : {};
        await management.setApiKeyEnabled(keyId, enabled, options);
        const done = enabled ? 'key-enabled' : 'key-disabled';
        return { redirectTo: href(`/api-keys/${keyId}`, { done }) };
      },
      async (problems) => keyPage(context, await management.findApiKey(keyId), problems),
    );
  };
}

export const enableApiKey = setEnabled(true);
export const disableApiKey = setEnabled(false);

function showConfirmation(context: RequestContext, key: ApiKey, problems: Problems): Page {
  const { href } = context;
  const form = postForm(
    {
      action: href(`/api-keys/${key.keyId}/delete`),
      problems,
      labels: {},
      submit: 'Delete API key',
      submitKind: 'danger',
      cancel: href(`/api-keys/${key.keyId}`),
    },
    [
      hiddenField('ifVersion', key.version),
      html`<ul class="consequences"><li>${
        key.enabled
          ? html`Requests with the key are refused, at once. It is usable from ${sourcesSummary(key)} now.`
          : 'The key is disabled and does not work at present.'
      }</li><li>It acts for the trunk group <code>${key.serviceTrunkGroup}</code>. Other keys of the group keep working.</li><li>It cannot be undone. To stop it for a while, disable it.</li></ul>`,
    ],
  );
  return underKey(context, key, {
    title: `Delete ${key.name}?`,
    lead: html`<code>${key.keyId}</code>`,
    problems,
    body: form,
  });
}

export const confirmDeleteApiKey: Handler = async (context) => {
  context.require('deleteApiKey');
  return showConfirmation(
    context,
    await context.management.findApiKey(context.id('keyId')),
    noProblems,
  );
};

export const deleteApiKey: Handler = async (context) => {
  const { management, form, href } = context;
  const keyId = context.id('keyId');
  return submit(
    async () => {
      await management.deleteApiKey(keyId, { ifVersion: readVersion(form) });
      return { redirectTo: href('/api-keys', { done: 'key-deleted' }) };
    },
    async (problems) => showConfirmation(context, await management.findApiKey(keyId), problems),
  );
};
