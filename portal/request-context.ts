import type { OperationName } from '../adapters/management.ts';
import type { PortalLook } from '../contract/portal-look.ts';
import type { Deployment, Person, PortalManagement } from './access/guarded-management.ts';
import type { Offer } from './access/offer.ts';
import type { Fields, Problems } from './forms/problems.ts';
import type { Labels } from './html/form.ts';
import type { HtmlValue } from './html/html.ts';
import type { PageHead, Section } from './html/parts.ts';
/** One request of a known user: everything that a page needs. */
export interface RequestContext extends Offer {
  readonly person: Person;
  readonly deployment: Deployment;
  /** Of the company's look: the first call of an API, and the description of the APIs. */
  readonly api: Pick<PortalLook, 'apiUrl' | 'documentation'>;
  readonly management: PortalManagement;
  /** The part of the path that a route names, decoded. */
  readonly id: (name: string) => string;
  readonly query: Fields;
  /** Of a POST; empty otherwise. */
  readonly form: Fields;
  /** The address from which the request came, as the server of the portal saw it; if it knows. */
  readonly callerAddress: string | undefined;
  /** Seconds since the epoch. */
  readonly now: number;
  /** The address of a page of the portal, with the path of the mount point. */
  readonly href: Href;
  /** Whether the user's role allows an operation. */
  readonly may: (operation: OperationName) => boolean;
  /** @throws {ForbiddenError} if it does not: for a form that would be refused when it is sent. */
  readonly require: (operation: OperationName) => void;
  /** For a form: when it is sent twice with the same id, the change is made once. */
  readonly newRequestId: () => string;
}

export type Href = (
  path: string,
  query?: Readonly<Record<string, string | number | undefined>>,
) => string;

/** A page, below its head, the message about a change, and the summary of its problems. */
export interface HtmlPage extends PageHead {
  /** That of the problems by default. */
  readonly status?: number | undefined;
  readonly section?: Section | undefined;
  readonly problems?: Problems | undefined;
  /** Of the fields with a problem. */
  readonly labels?: Labels | undefined;
  readonly body: HtmlValue;
}

export interface Redirect {
  readonly redirectTo: string;
}

export type RouteResult = HtmlPage | Redirect | Download;

/** A table as a file. */
export interface Download {
  readonly fileName: string;
  readonly csv: string;
}

/** The handler of a route. It throws errors that the error pages know. */
export type Handler = (context: RequestContext) => Promise<RouteResult>;
