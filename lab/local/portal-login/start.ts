import { randomBytes } from 'node:crypto';
import { loginFetch } from '../../../adapters/https/login-fetch.ts';
import { createManagement, type Management } from '../../../adapters/management.ts';
import { createLoginProvider } from '../../../portal/login/login-provider.ts';
import { createLoginPortal } from '../../../portal/login/login-sessions.ts';
import { sessionTimes } from '../../../portal/login/session.ts';
import { serveLoopback } from '../../../portal/serve-on-loopback.ts';
import { type LocalPortalOptions, openPortalManagement } from '../local-portal.ts';
import { customers, localMapping, ownIssuers } from './people.ts';
import { startLocalLogin } from './provider.ts';

/** How the customers' portal of this run looks: none of it is the portal's own. */
const look = {
  name: 'Example Telephony',
  accentColour: '#6b2f8a',
  support: 'linus@platform.example',
  documentation: 'https://docs.platform.example/apis',
  notice: 'This is a portal on your own machine. Nothing here reaches a customer.',
};

/** {@link startLoginPortal}, which a run gets as a value: it needs packages of its own. */
export type StartLoginPortal = typeof startLoginPortal;

/**
 * What the platform's staff gives each customer: a client, so that its list is not empty, and an
 * issuer that it may register itself. Each is given once, so that a person can take it away.
 */
async function seedCustomers(management: Management): Promise<void> {
  for (const [name, serviceTrunkGroup] of Object.entries(customers)) {
    await management.createClient({
      name: `Billing of ${name}`,
      serviceTrunkGroup,
      scopes: ['messaging:view'],
      idempotencyKey: `portal-login-${name}`,
    });
    const limits = await management.findTrunkGroupLimits(serviceTrunkGroup);
    if (limits.version === 0) {
      await management.setTrunkGroupLimits(serviceTrunkGroup, { ownProviders: 1 });
    }
    const issuer = ownIssuers[serviceTrunkGroup];
    const granted = await management.findIssuerGrants(issuer);
    if (granted.version === 0) {
      await management.setIssuerGrant(issuer, { trunkGroups: [serviceTrunkGroup] });
    }
  }
}

/**
 * Management as the deployed portal uses it, with the ceilings of trunk groups. It names people by an
 * issuer with https, which the provider on loopback does not have.
 */
function openManagement(options: Omit<LocalPortalOptions, 'port'>): Management {
  const management = openPortalManagement(options, 'portal');
  return {
    ...management,
    forCaller: ({ actor, ...caller }) =>
      management.forCaller({
        ...caller,
        actor: actor && (async () => (await actor()).replace(/^http:/, 'https:')),
      }),
  };
}

/**
 * Starts the portal with a login on the management function of the local run, and a real OpenID
 * provider for two customers. Both are on loopback.
 */
export async function startLoginPortal(options: Omit<LocalPortalOptions, 'port'>) {
  const { config, aws, log } = options;
  const management = openManagement(options);
  await seedCustomers(createManagement({ config, aws, alias: 'administrator' }));
  const clientSecret = randomBytes(32).toString('base64url');
  const keys: [Uint8Array] = [randomBytes(32)];
  let login: Awaited<ReturnType<typeof startLocalLogin>> | undefined;
  const server = await serveLoopback(
    { port: 0, hint: 'Open the address that npm start printed.' },
    async ({ origin, basePath }) => {
      const place = origin + basePath;
      const client = { clientId: 'portal', clientSecret, redirectUri: `${place}/login/callback` };
      login = await startLocalLogin({ ...client, signedOutUri: `${place}/signed-out` });
      return createLoginPortal({
        management,
        origins: [origin],
        basePath,
        // Every request comes from this machine.
        callerAddressOf: () => '127.0.0.1',
        provider: createLoginProvider({
          ...client,
          issuer: login.issuer,
          clientSecret: async () => clientSecret,
          fetch: loginFetch,
          recentLogin: sessionTimes.recentLoginOfForm,
          allowHttp: true,
        }),
        keys: async () => keys,
        people: {
          ...localMapping,
          administrators: config.management.portalReach?.administrators ?? false,
        },
        epoch: 1,
        look,
        onLogin: (event) => log.write({ level: 'INFO', service: 'portal', login: event }),
        onRequest: (request) => log.write({ level: 'INFO', service: 'portal', ...request }),
        onFault: (error) => log.writeError('portal', error),
      });
    },
  );
  return {
    url: `${server.origin}${server.basePath}/`,
    close: async () => {
      await server.close();
      await login?.close();
    },
  };
}
