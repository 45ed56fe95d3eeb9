import { type Html, html } from '../../html/html.ts';
import { panel } from '../../html/parts.ts';

/** A credential, in the only response that shows it. */
export function shownOnce(part: {
  readonly title: string;
  readonly label: string;
  readonly value: string;
  readonly more?: Html | undefined;
}): Html {
  return panel(
    { title: part.title, id: 'once' },
    html`
      <div class="once">
        <p class="once-warning">
          Copy it now and keep it in a safe place. It is not stored here and cannot be shown again.
        </p>
        <p class="once-value">
          <code data-secret data-copy="${part.label}">${part.value}</code></p>
        ${part.more ?? ''}
      </div>
    `,
  );
}

/** The text for a repeated request whose response was already sent. */
export function shownBefore(part: {
  readonly what: string;
  readonly deleteLink: Html;
  readonly backLink: Html;
  /** What a person does who did not see it. */
  readonly cure?: string;
}): Html {
  const { cure = 'delete it and create another one' } = part;
  return html`
    <div class="notice notice-warn" role="status">
      <p>
        <strong>${part.what} was created, and its value was sent to your browser before.</strong>
      </p>
      <p>
        It is sent once: a reload, a second click or a form that is sent again does not show it
        again. If you did not see it, ${cure}.
      </p>
      <div class="form-actions">${part.backLink}${part.deleteLink}</div>
    </div>
  `;
}
