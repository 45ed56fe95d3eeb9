import { html } from '../html/html.ts';
import { type Fact, factList, linkButton, panel } from '../html/parts.ts';
import type { HtmlPage, RequestContext } from '../request-context.ts';

/** What a form has made. Its response is the only one that shows the value. */
interface MadeCredential extends Pick<HtmlPage, 'section' | 'crumbs' | 'title'> {
  /** Undefined if the form was sent before, and the value was in that response. */
  readonly value: string | undefined;
  readonly kind: string;
  /** The kind in a sentence. */
  readonly label: string;
  /** The page of what has it. */
  readonly address: string;
  readonly facts: readonly (Fact | false)[];
  /** For a value that was sent before. */
  readonly before: {
    readonly title: string;
    readonly what: string;
    readonly back: string;
    /** Where a person goes who did not see it, and what it is for. */
    readonly again: readonly [address: string, text: string];
    readonly cure: string;
  };
}

export function madeCredentialPage({ href }: RequestContext, made: MadeCredential): HtmlPage {
  const { title, section, crumbs, value, label, before } = made;
  const page = { section, crumbs };
  const link = (text: string) => linkButton(href(made.address), text, 'primary');
  if (value !== undefined) {
    const once = html`
      <div class="once">
        <p class="once-warning">
          Copy it now and keep it in a safe place. It is not stored here and cannot be shown again.
        </p>
        <p class="once-value"><code data-secret data-copy="${label}">${value}</code></p>
        ${factList(made.facts)}
      </div>
    `;
    const body = html`
      ${panel({ title: made.kind, id: 'once' }, once)}
      <div class="form-actions">${link('I have copied it')}</div>
    `;
    return { ...page, title, body };
  }
  const [again, text] = before.again;
  const body = html`
    <div class="notice notice-warn" role="status">
      <p>
        <strong>${before.what} was created, and its value was sent to your browser before.</strong>
      </p>
      <p>
        It is sent once: a reload, a second click or a form that is sent again does not show it
        again. If you did not see it, ${before.cure}.
      </p>
      <div class="form-actions">${link(before.back)}${linkButton(href(again), text)}</div></div>
  `;
  return { ...page, title: before.title, body };
}
