import type { PeopleMapping } from '../../../contract/portal-config.ts';
import type { LoginEvent } from '../../../portal/login/login-context.ts';
import {
  LoginError,
  type LoginProvider,
  type LoginRequest,
} from '../../../portal/login/login-provider.ts';
import {
  createLoginPortal,
  type LoginPortalOptions,
} from '../../../portal/login/login-sessions.ts';
import type { Claims } from '../../../portal/login/people.ts';
import type { SealingKeys } from '../../../portal/login/sealing.ts';
import type { Portal } from '../../../portal/portal-options.ts';
import { createWorld, type World } from '../../adapters/management/world.ts';

export const origin = 'https://portal.example.com';
export const issuer = 'https://login.example.com';

export const people: PeopleMapping = {
  role: { claim: 'groups', viewer: ['readers'], manager: ['managers'], administrator: ['staff'] },
  trunkGroups: { claim: 'trunk_groups' },
  administrators: true,
};

export const ada: Claims = {
  sub: 'ada',
  email: 'ada@example.com',
  groups: ['managers'],
  trunk_groups: ['tg-1001'],
};

/** A provider in memory: it answers for one person, and can fail. */
interface ScriptedProvider extends LoginProvider {
  claims: Claims;
  failure: LoginError['problem'] | undefined;
  /** Requests, the newest last. */
  readonly requests: LoginRequest[];
}

function createProvider(): ScriptedProvider {
  const codes = new Map<string, LoginRequest>();
  const fail = ({ failure }: ScriptedProvider) => {
    if (failure !== undefined) throw new LoginError(failure);
  };
  const provider: ScriptedProvider = {
    issuer,
    claims: ada,
    failure: undefined,
    requests: [],
    authorizationUrl: async (request) => {
      if (provider.failure === 'unavailable') fail(provider);
      provider.requests.push(request);
      codes.set(request.state, request);
      return `${issuer}/authorize?state=${request.state}`;
    },
    finish: async (url, request) => {
      fail(provider);
      const state = url.searchParams.get('state') ?? '';
      const begun = codes.get(state);
      codes.delete(state);
      if (begun?.codeVerifier !== request.codeVerifier) throw new LoginError('invalid');
      return provider.claims;
    },
    endSessionUrl: async (returnTo) => {
      fail(provider);
      return `${issuer}/end?return=${encodeURIComponent(returnTo)}`;
    },
  };
  return provider;
}

/** A browser: it keeps cookies, and follows nothing by itself. */
export class Browser {
  readonly cookies = new Map<string, string>();
  portal: Portal;

  constructor(portal: Portal) {
    this.portal = portal;
  }

  async #send(request: Request): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = new Headers(request.headers);
    if (cookie !== '') headers.set('cookie', cookie);
    const response = await this.portal.fetch(new Request(request, { headers }));
    for (const text of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = text.split('; ');
      const [name = '', value = ''] = pair.split('=');
      if (attributes.includes('Max-Age=0')) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.#send(new Request(origin + path, { headers }));
  }

  post(path: string, form: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.#send(
      new Request(origin + path, {
        method: 'POST',
        headers: { origin, 'sec-fetch-site': 'same-origin' },
        body: new URLSearchParams(form),
      }),
    );
  }

  /** The address that the provider sends the browser back to. */
  callback(response: Response, code = 'code'): string {
    const location = new URL(response.headers.get('location') ?? '');
    return `/login/callback?code=${code}&state=${location.searchParams.get('state') ?? ''}`;
  }

  /** Signs in, and returns the response to the callback. */
  async signIn(path = '/clients'): Promise<Response> {
    return this.get(this.callback(await this.get(path)));
  }
}

export interface LoginWorld extends World {
  readonly provider: ScriptedProvider;
  readonly browser: Browser;
  readonly events: LoginEvent[];
  /** The browser's next requests go to a portal with other options. */
  readonly restart: (options: Partial<LoginPortalOptions>) => void;
}

export const sealingKey = (byte: number) => new Uint8Array(32).fill(byte);

export async function createLoginWorld(
  given: Partial<LoginPortalOptions> = {},
): Promise<LoginWorld> {
  const world = await createWorld();
  const provider = createProvider();
  const events: LoginEvent[] = [];
  const create = (options: Partial<LoginPortalOptions>) =>
    createLoginPortal({
      management: world.management,
      origins: [origin],
      provider,
      keys: async () => [sealingKey(1)] as SealingKeys,
      people,
      epoch: 1,
      look: { support: 'support@example.com' },
      onLogin: (event) => events.push(event),
      clock: () => world.now * 1000,
      ...given,
      ...options,
    });
  const browser = new Browser(create({}));
  return Object.assign(world, {
    provider,
    browser,
    events,
    restart: (options: Partial<LoginPortalOptions>) => {
      browser.portal = create(options);
    },
  });
}
