import * as v from 'valibot';
import { exactly, givenList, oneOf, secretText, text, wrong } from './fields.ts';
import { page } from './inputs.ts';
import * as rule from './rules.ts';

/** What is asked of `explain`, of the audit and of histories. */

export const tokenQuestion = exactly({
  clientId: text('the id of a client'),
  /** The `scope` parameter; left out if the request has none. */
  scope: v.optional(text('scopes with a space between')),
  resource: v.optional(text('an absolute URI')),
});

const assertionForms = ['client_assertion', 'jwt_bearer'] as const;

/** How an assertion comes to the token endpoint: RFC 7523 §2.2 and §2.1. */
export type AssertionForm = (typeof assertionForms)[number];

export const requestQuestion = exactly({
  /** The credential as it follows `Bearer `, or an assertion. A secret. */
  credential: secretText('a bearer credential'),
  sourceAddress: v.optional(text('an IP address')),
  /** Scopes that the request would require; none if left out. */
  scopes: v.optional(givenList(text('a scope'))),
  /** The audience of the called API. The default is the deployment's default audience. */
  audience: v.optional(text('the name of an API')),
  /** Needed if the deployment config has no issuer, as without a domain. */
  issuer: v.optional(text('a URL')),
  /** The credential is an assertion for the token endpoint, which comes there so. */
  assertion: v.optional(oneOf(assertionForms)),
  /** `client_id` of the token request with the assertion; none if left out. */
  clientId: v.optional(text('the client_id of a request')),
});

/** Filters of the changes of a day. A change must meet all of them. */
export const auditFilter = exactly({
  ...page,
  /** UTC day, e.g. `2026-11-21`; today if left out. */
  day: v.optional(rule.day),
  /**
   * Text in the actor, the action by its name or in words, the subject, or the record's name or
   * client id, in any case.
   */
  text: v.optional(rule.searched),
});

/** Which part of a history. */
export const historyFilter = exactly({
  /**
   * The first UTC day, e.g. `2026-11-21`. The default is the day on which the client or API key was
   * created, or 400 days ago if it no longer exists.
   */
  since: v.optional(rule.day),
  cursor: v.optional(rule.cursor),
});

/** Longest subject of an audit record: the issuer of a provider. */
const maxSubjectLength = 2048;

export const historySubject = text(
  'the id of a client, a secret or an API key, or an issuer',
  (value) => (value.length <= maxSubjectLength ? value : wrong),
);
