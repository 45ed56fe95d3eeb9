import type { Management } from '../adapters/management.ts';
import type { PortalLook } from '../contract/portal-look.ts';
import type { Person } from './access/guarded-management.ts';
/** One request, for the log. It contains no query, form or credential. */
export interface PortalRequest {
  readonly method: string;
  /** The route, e.g. `/clients/:clientId`; undefined for other addresses. */
  readonly route: string | undefined;
  readonly status: number;
  /** The actor of the user, or the name without one; undefined if the user is not known. */
  readonly person: string | undefined;
  readonly milliseconds: number;
}

/** What a portal works with, and who its users are. */
export interface PortalOptions {
  /** The operations on every trunk group. The portal restricts them for each user. */
  readonly management: Management;
  /**
   * Returns the user who sends a request. A response, such as a redirect to a login, is sent as it
   * is. Undefined refuses the request.
   */
  readonly identify: (request: Request) => Promise<Person | Response | undefined>;
  /** The origins of the portal, e.g. `https://portal.example.com`. Other names are refused. */
  readonly origins: readonly [string, ...string[]];
  /** The path of the mount point, e.g. `/portal`. The default is the root. */
  readonly basePath?: string | undefined;
  /** Ends the session of a request. If it is given, pages have a button for it. */
  readonly signOut?: ((request: Request) => Promise<Response>) | undefined;
  /** The instruction on the page for unknown users. */
  readonly signInHint?: string | undefined;
  /** Where an unknown user signs in, in a new tab, to send a form again whose session ended. */
  readonly signInAddress?: string | undefined;
  /**
   * Called before a credential is created, and before its form is shown. It returns the address of
   * a login if the user's login is too old.
   */
  readonly findLoginForCredential?: ((request: Request) => Promise<string | undefined>) | undefined;
  /**
   * The address from which a request came, as the server saw it and no header says. Forms for subnets
   * then have a button that adds it.
   */
  readonly callerAddressOf?: ((request: Request) => string | undefined) | undefined;
  /** The company's name, logo, colour, support address and notice. */
  readonly look?: Partial<PortalLook> | undefined;
  readonly onRequest?: ((request: PortalRequest) => void) | undefined;
  /** Receives unexpected errors. The page shows no details of them. */
  readonly onFault?: ((error: unknown) => void) | undefined;
  /** Milliseconds since the epoch. */
  readonly clock?: (() => number) | undefined;
}

/** The portal as a function of the Fetch standard: any server can run it. */
export interface Portal {
  readonly fetch: (request: Request) => Promise<Response>;
}
