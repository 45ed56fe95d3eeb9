import type { Management } from '../adapters/management.ts';
import type { Person } from './access/person.ts';

/** One request, for the log. It holds no query, no form and no credential. */
export interface PortalRequest {
  readonly method: string;
  /** The route, e.g. `/clients/:clientId`; undefined for other addresses. */
  readonly route: string | undefined;
  readonly status: number;
  /** Who it was; undefined for those who are not known. */
  readonly person: string | undefined;
  readonly milliseconds: number;
}

export interface PortalOptions {
  /** The operations, without limits: the portal limits them for each person. */
  readonly management: Management;
  /**
   * Who sends this request, and what may they do? A response, e.g. one that leads to a login, is
   * sent as it is; undefined refuses the request.
   */
  readonly identify: (request: Request) => Promise<Person | Response | undefined>;
  /** How the portal is reached, e.g. `https://portal.example.com`. Other names are refused. */
  readonly origins: readonly [string, ...string[]];
  /** Where it is mounted, e.g. `/portal`; the root if left out. */
  readonly basePath?: string | undefined;
  /** Ends the session of a request. The pages have a button for it if it is given. */
  readonly signOut?: ((request: Request) => Promise<Response>) | undefined;
  /** What the page for those who are not known tells them to do. */
  readonly signInHint?: string | undefined;
  readonly onRequest?: ((request: PortalRequest) => void) | undefined;
  /** Told of what should not have happened. The page says no more than that. */
  readonly onFault?: ((error: unknown) => void) | undefined;
  /** Milliseconds since the epoch. */
  readonly clock?: (() => number) | undefined;
}

/** The portal as a function of the Fetch standard: any server can run it. */
export interface Portal {
  readonly fetch: (request: Request) => Promise<Response>;
}
