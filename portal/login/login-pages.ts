import { type Html, html } from '../html/html.ts';
import type { LoginError } from './login-provider.ts';
import type { NoAccess } from './people.ts';

/** A page for a person who is not signed in. */
export interface LoginPage {
  readonly status: number;
  readonly title: string;
  readonly text: Html | string;
  /** The address of a button below the text, and its text. */
  readonly action?: readonly [href: string, text: string] | undefined;
}

/** Addresses that the pages lead to. */
export interface LoginLinks {
  /** Signs in and returns to a page. */
  readonly signIn: string;
  /** Signs in, and asks for credentials in any case. */
  readonly signInAgain: string;
}

export function idlePage({ signInAgain }: LoginLinks): LoginPage {
  return {
    status: 401,
    title: 'Sign in again',
    text: 'You were signed out because there was no request for 30 minutes.',
    action: [signInAgain, 'Sign in'],
  };
}

const loginErrors: Readonly<
  Record<LoginError['problem'], readonly [status: number, title: string, text: string]>
> = {
  unavailable: [
    503,
    'The login does not answer',
    'The company’s login service did not answer in time. People who are signed in can go on.',
  ],
  refused: [403, 'The login was refused', 'The login service refused to sign you in.'],
  needs_person: [
    401,
    'Sign in again',
    'A session ends after 30 minutes, and the login service asks you to sign in again.',
  ],
  no_login_time: [
    403,
    'The portal creates no credentials here',
    'The login service does not tell when you signed in, and takes no pushed authorization requests. So the portal cannot know that you signed in just now. Ask the person who manages the portal.',
  ],
  invalid: [
    400,
    'This login cannot be completed',
    'The response of the login service does not belong to this login. Sign in again.',
  ],
};

export function loginErrorPage({ problem }: LoginError, { signIn }: LoginLinks): LoginPage {
  const [status, title, text] = loginErrors[problem];
  return {
    status,
    title,
    text,
    action: [signIn, problem === 'unavailable' ? 'Try again' : 'Sign in'],
  };
}

export function oldAttemptPage({ signIn }: LoginLinks): LoginPage {
  return {
    status: 400,
    title: 'This login is over',
    text: 'It was completed before, it began more than ten minutes ago, or it began in another browser.',
    action: [signIn, 'Sign in'],
  };
}

const reasons: Readonly<Record<NoAccess['refused'], string>> = {
  'no role': 'The login service gave you none of the groups that the portal has a role for.',
  'no trunk group': 'The login service gave you no service trunk group.',
  'claim not sent':
    'You are in so many groups that the login service did not send them. It can be set to send only those of the portal.',
  'too many trunk groups':
    'The login service gave you more than 100 service trunk groups. The portal shows at most 100.',
};

/** Who signed in, and whom they can ask. */
interface RefusedPerson {
  readonly name: string;
  readonly support: string | undefined;
  readonly links: LoginLinks;
}

/** The provider may sign in the same person again without a question, so the page offers another. */
function refusedPage(
  title: string,
  reason: string,
  { name, support, links }: RefusedPerson,
): LoginPage {
  return {
    status: 403,
    title,
    text: html`
      You are signed in as <strong>
      ${name}</strong>. ${reason} Ask ${support ?? 'the person who manages the portal'}.
    `,
    action: [links.signInAgain, 'Sign in as another person'],
  };
}

export function noAccessPage({ refused }: NoAccess, person: RefusedPerson): LoginPage {
  return refusedPage('You have no access', reasons[refused], person);
}

export function tooLargePage(person: RefusedPerson): LoginPage {
  const reason = 'The names of your service trunk groups are longer than a browser’s cookie.';
  return refusedPage('You have too many trunk groups', reason, person);
}

export function notRecentPage({ signInAgain }: LoginLinks): LoginPage {
  return {
    status: 403,
    title: 'Sign in again',
    text: 'To create a credential, you must have signed in within the last ten minutes. The login service did not ask you to.',
    action: [signInAgain, 'Sign in'],
  };
}

export function signedInPage(): LoginPage {
  return {
    status: 200,
    title: 'You are signed in',
    text: 'Go back to the page that you came from and send it again. You can close this one.',
  };
}

export function signedOutPage(
  { signIn }: LoginLinks,
  provider: 'ended' | 'unknown' | 'leaving',
): LoginPage {
  const texts = {
    ended: '',
    unknown: 'The session at the login service may go on. Sign out there as well.',
    leaving: 'The login service ends its session next.',
  };
  return {
    status: 200,
    title: 'You are signed out',
    text: texts[provider],
    action: [signIn, 'Sign in'],
  };
}
