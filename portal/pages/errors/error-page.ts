import {
  AwsCallerError,
  InputError,
  MalformedRecordError,
  NotFoundError,
  UnavailableError,
} from '../../../adapters/management.ts';
import { maxTrunkGroupsOfReach } from '../../../contract/bounds.ts';
import { ownValue } from '../../../contract/own-value.ts';
import { ServiceUnavailableError } from '../../../core/errors.ts';
import { ForbiddenError } from '../../access/guarded-management.ts';
import type { Fields } from '../../forms/problems.ts';
import { hiddenField } from '../../html/field.ts';
import { type Html, type HtmlValue, html } from '../../html/html.ts';
import {
  HttpError,
  type HttpStatus,
  LoginNeededError,
  TooManyTrunkGroupsError,
} from '../../http-error.ts';
import type { HtmlPage } from '../../request-context.ts';

type Text = readonly [title: string, text: string];

const statusTexts: Readonly<Record<HttpStatus, Text>> = {
  400: [
    'This request is not complete',
    'A part of the form is missing. Go back, load the page again, and repeat the request.',
  ],
  401: ['You are not signed in', ''],
  403: [
    'This request was refused',
    'It did not come from a page of the portal. Repeat it in the portal.',
  ],
  404: [
    'There is nothing here',
    'The address may be wrong. Or what was here was deleted, or it belongs to another trunk group.',
  ],
  405: ['This is not a page', 'Forms are sent to this address. Open the page that the form is on.'],
  413: ['The form is too large', 'The portal accepts at most 16 KiB.'],
  415: ['This form cannot be read', 'The portal accepts only forms of its own pages.'],
  421: ['This is not the address of the portal', ''],
};

interface Retry {
  readonly button: string;
  /** Above the button, if a form is sent again. */
  readonly note: string;
}

/** After a failure, it is not known whether a change was made. */
const tryAgain: Retry = {
  button: 'Try again',
  note: 'What you typed is kept. The change may have been made or not: sending it again does not make it twice.',
};

/** After a refusal, nothing was done. */
export const sendAgain: Retry = {
  button: 'Send again',
  note: 'What you typed is kept on this page. Nothing was changed. Sign in, then send it again.',
};

export interface ErrorText {
  readonly status: number;
  readonly title: string;
  readonly text: HtmlValue;
  /** The button that sends the same request again; undefined if it would not help. */
  readonly retry?: Retry | undefined;
  /** Whether it is a fault, for the log. */
  readonly isFault?: boolean;
}

function describeStatus(status: HttpStatus): ErrorText {
  const [title, text] = statusTexts[status];
  return { status, title, text };
}

/** Services that the portal needs, in words for people who do not know them. */
const outages: Readonly<Record<string, Text>> = {
  DynamoDB: [
    'The database does not answer',
    'DynamoDB, where clients and keys are kept, did not answer in time. Tokens may be affected too.',
  ],
  'Secrets Manager': [
    'The portal cannot read its own secrets',
    'AWS Secrets Manager, which has the key of the sessions and the secret of the login, did not answer. Clients, API keys and tokens are not affected.',
  ],
  Lambda: [
    'The management function does not answer',
    'The function that reads and changes clients and keys did not answer in time. Tokens are not affected.',
  ],
  STS: [
    'AWS does not confirm the portal',
    'AWS STS, which says to the management function who asks, did not answer in time. Tokens are not affected.',
  ],
};

function describeOutage(error: UnavailableError): ErrorText {
  const service = error instanceof ServiceUnavailableError ? error.service : '';
  const [title, text] = ownValue(outages, service) ?? [
    'The portal cannot answer now',
    'A service that it needs did not answer in time.',
  ];
  return { status: 503, title, text, retry: tryAgain };
}

/** The text of an error page. For an unknown error, the page has no details. */
export function describeError(error: unknown): ErrorText {
  if (error instanceof HttpError) return describeStatus(error.status);
  if (error instanceof LoginNeededError) {
    const link = html`<a href="${error.address}" target="_blank">Sign in again in a new tab</a>`;
    const text = html`
      A credential is created only by a person who signed in within the last ten minutes. ${link}.
    `;
    return { status: 401, title: 'Sign in again', text, retry: sendAgain };
  }
  if (error instanceof TooManyTrunkGroupsError) {
    const text = `You have ${error.count} service trunk groups. The portal shows at most ${maxTrunkGroupsOfReach}. Ask the person who manages the portal.`;
    return { status: 403, title: 'You have too many trunk groups', text };
  }
  // An invalid id in an address is handled like an unknown one.
  if (error instanceof NotFoundError || error instanceof InputError) return describeStatus(404);
  if (error instanceof ForbiddenError) {
    const text = `This needs the role “${error.needed}”. Ask the person who manages the portal.`;
    return { status: 403, title: 'You may not do this', text };
  }
  if (error instanceof UnavailableError) return describeOutage(error);
  if (error instanceof AwsCallerError) {
    const isAllowed = error.problem !== 'access_denied';
    const text = isAllowed
      ? html`AWS refused the portal: ${error.message}.`
      : html`
        AWS refused it: the AWS identity that the portal runs as lacks a permission (
        ${error.awsError}).
      `;
    return {
      status: isAllowed ? 502 : 403,
      title: isAllowed ? 'AWS refused the portal' : 'AWS does not allow this',
      text,
      retry: tryAgain,
    };
  }
  if (error instanceof MalformedRecordError) {
    const text = 'The stored record cannot be read. It is refused everywhere until it is repaired.';
    return { status: 500, title: 'This record is damaged', text, isFault: true };
  }
  const text = 'It is recorded in the log of the portal.';
  return { status: 500, title: 'Something went wrong', text, retry: tryAgain, isFault: true };
}

/** Fields that a page never repeats. */
const secretFields = new Set(['credential', 'publicKey']);

/** The same form again, with its content. */
export function retryForm(action: string, form: Fields, { button, note }: Retry): Html {
  const fields = form.entries().filter(([name]) => !secretFields.has(name));
  return html`
    <form method="post" action="${action}" data-once>
      ${fields.map(([name, value]) => hiddenField(name, value))}
      <p>${note}</p>
      <div class="form-actions">
        <button class="button button-primary" type="submit">${button}</button>
      </div>
    </form>
  `;
}

/**
 * A page about an error.
 *
 * @param address of the request, to repeat it.
 * @param form that was sent, of a POST.
 */
export function errorPage(
  { status, title, text, retry }: ErrorText,
  address: string,
  form: Fields | undefined,
): HtmlPage {
  const again =
    retry === undefined
      ? ''
      : form === undefined
        ? html`
          <div class="form-actions">
            <a class="button button-primary" href="${address}">${retry.button}</a>
          </div>
        `
        : retryForm(address, form, retry);
  return { status, title, lead: text, body: again };
}
