import { createPortal } from '../create-portal.ts';
import { html } from '../html/html.ts';
import { linkButton } from '../html/parts.ts';
import { createAppearance } from '../look/appearance.ts';
import type { Portal, PortalOptions } from '../portal-options.ts';
import { plainPage } from '../respond.ts';
import { LoginContext, type LoginOptions } from './login-context.ts';
import type { LoginPage } from './login-pages.ts';
import { LoginSessions } from './login-sessions.ts';

export interface LoginPortalOptions
  extends Omit<LoginOptions, 'support'>,
    Pick<
      PortalOptions,
      'management' | 'look' | 'origins' | 'basePath' | 'onRequest' | 'onFault' | 'clock'
    > {}

/** The portal with a login by the company's OpenID provider, as a function of the Fetch standard. */
export function createLoginPortal(options: LoginPortalOptions): Portal {
  const { management, look, origins, basePath = '', onRequest, onFault, clock } = options;
  const appearance = createAppearance(look);
  const show = ({ status, title, text, action }: LoginPage) => {
    const more =
      action === undefined
        ? undefined
        : html`<div class="form-actions">${linkButton(action[0], action[1], 'primary')}</div>`;
    return plainPage({ basePath, appearance }, { status, title, text, more });
  };
  const place = { origin: origins[0], basePath };
  const sessions = new LoginSessions(
    new LoginContext({ ...options, support: look?.support }, place, show),
  );
  const portal = createPortal({
    management,
    look,
    origins,
    basePath,
    onRequest,
    onFault,
    clock,
    identify: (request) => sessions.identify(request),
    signOut: (request) => sessions.signOut(request),
    signInAddress: sessions.signInAddress,
    findLoginForCredential: (request) => sessions.findLoginForCredential(request),
  });
  return {
    fetch: async (request) => sessions.addRenewal(request, await portal.fetch(request)),
  };
}
