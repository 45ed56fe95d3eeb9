import { type Html, html } from '../../../portal/html/html.ts';
import { localPeople } from './people.ts';

/** A page of the local provider. It loads nothing from other hosts. */
function page(title: string, body: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}: local OpenID provider</title>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`.toString();
}

/** The page on which a person is chosen. It stands for a password form. */
export function choosePersonPage(action: string): string {
  return page(
    'Sign in',
    html`<p>This is the OpenID provider of the local run. It takes your word for who you are.</p>
<form method="post" action="${action}">
<ul>${localPeople.map(
      ({ id, description, claims }) =>
        html`
          <li>
            <button type="submit" name="person" value="${id}">${String(claims['name'])}
            </button> ${description}
          </li>
        `,
    )}</ul>
</form>`,
  );
}

/** The page that ends the session at the provider. @param formId the id of its form. */
export function signOutPage(formId: string): string {
  return page(
    'Sign out',
    html`
      <p>Sign out of the local OpenID provider as well?</p>
<p>
        <button type="submit" form="${formId}" name="logout" value="yes">
          Yes, sign me out</button> <button type="submit" form="${formId}">No, stay signed in
        </button>
      </p>
    `,
  );
}

export function providerErrorPage(error: string): string {
  return page('Something went wrong', html`<p><code>${error}</code></p>`);
}
