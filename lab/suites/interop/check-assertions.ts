import type { LocalRun } from '../../local/start-local.ts';
import { trustAuthorities } from '../../support/loopback-https.ts';
import { assertionForms, bodyOf, type FormName } from '../../support/platforms/hostile-world.ts';
import { type PlatformCopy, startPlatformCopies } from '../../support/platforms/platform-copies.ts';
import { trustVariables } from '../../support/runtimes.ts';
import { trustService, withLocalService } from '../../support/with-local-service.ts';
import { authctl } from '../examples/world.ts';
import type { TokenAnswer } from './check-client.ts';
import { clients, type TokenClient } from './clients.ts';
import { type Library, libraries } from './libraries.ts';
import { startProgram } from './running-program.ts';
import { checkEach, say, titleOf } from './tables.ts';

const audience = 'https://api.example.com';
const scope = 'messaging:view';
const seconds = () => Math.floor(Date.now() / 1000);

/** A copy whose issuer is registered, with a client. */
interface Ready {
  readonly copy: PlatformCopy;
  readonly clientId: string;
}

async function register(service: LocalRun, copy: PlatformCopy): Promise<Ready> {
  const { issuer, discoveryUrl, platform } = copy;
  const { choices, client } = platform;
  const patterns = choices.allowClientPatterns === true ? ['--allow-client-patterns'] : [];
  const claim = ['--client-id-claim', choices.clientIdClaim ?? ''];
  await authctl(service, 'provider', 'register', discoveryUrl, ...claim, ...patterns);
  const conditions = (client.requiredClaims ?? []).flatMap(({ claim: name, values }) =>
    values.flatMap((value) => ['--require-claim', `${name}=${value}`]),
  );
  const named = ['--name', platform.name, '--trunk-group', 'demo', '--scope', scope];
  const at = ['--provider', issuer, '--external-client-id', client.externalClientId];
  const more = ['--audience', audience, ...conditions];
  const clientId = await authctl(service, 'client', 'create', ...named, ...at, ...more);
  return { copy, clientId };
}

async function exchange(service: LocalRun, { copy }: Ready, form: FormName): Promise<string> {
  const assertion = await copy.createToken(service.issuer, seconds());
  const response = await fetch(service.tokenUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: bodyOf(form, assertion),
  });
  const { access_token: token } = (await response.json()) as { readonly access_token?: string };
  if (token === undefined) throw new Error(`${copy.platform.name}: ${response.status} for ${form}`);
  return token;
}

function tell(title: string, done: string, problems: readonly string[]): number {
  say(`${problems.length === 0 ? 'ok' : 'FAILED'}  ${title}: ${done}`);
  for (const problem of problems) say(`    problem: ${problem}`);
  return problems.length;
}

type IsWanted = (title: string) => boolean;

/** Libraries that know one issuer: each gets the token of every platform. */
async function checkVerifiers(
  service: LocalRun,
  ready: readonly Ready[],
  isWanted: IsWanted,
): Promise<number> {
  const named = libraries.filter(({ name, typ }) => /^(PyJWT|Spring Boot)/.test(name) && !typ);
  const trust = { caPath: service.caPath ?? '', directory: service.paths.directory };
  const jwks = await (await fetch(service.jwksUri)).text();
  const tokens: (readonly [name: string, token: string])[] = [];
  for (const one of ready) {
    for (const form of assertionForms) {
      tokens.push([one.copy.platform.name, await exchange(service, one, form)]);
    }
  }
  let problems = 0;
  const wanted = named.filter((each) => isWanted(titleOf(each)));
  const prepare = (library: Library) => library.prepare(trust);
  await checkEach(wanted, prepare, async (library, { open }) => {
    const verifier = await open('RS256', {
      ISSUER: service.issuer,
      AUDIENCE: audience,
      JWKS_URI: service.jwksUri,
      ...trustVariables(trust.caPath),
    });
    const refused: string[] = [];
    for (const [name, token] of tokens) {
      const { ok, why = '' } = await verifier.ask({ token, jwks });
      if (!ok) refused.push(`${name}: ${why}`);
    }
    // An assertion is for the token endpoint, and no token for an API.
    for (const { copy } of ready) {
      const token = await copy.createToken(service.issuer, seconds());
      if ((await verifier.ask({ token, jwks })).ok) refused.push('accepted an assertion');
    }
    await verifier.close();
    problems += tell(titleOf(library), `${tokens.length} tokens for assertions`, refused);
  });
  return problems;
}

/** Libraries as published: they call a protected server. */
async function checkClients(
  service: LocalRun,
  { copy, clientId }: Ready,
  isWanted: IsWanted,
): Promise<number> {
  let problems = 0;
  const trust = { caPath: service.caPath ?? '', directory: service.paths.directory };
  const wanted = clients.filter((each) => each.assertions && isWanted(titleOf(each)));
  const build = (client: TokenClient) => client.runtime('client', trust);
  await checkEach(wanted, build, async (client, { command: built }) => {
    for (const form of client.assertions ?? []) {
      const program = startProgram<object, TokenAnswer>([...built, client.program, form], {
        ...service.environment,
        ...trustVariables(trust.caPath),
        AUDIENCE: audience,
        CLIENT_ID: clientId,
        CLIENT_SECRET: '',
        ASSERTION: await copy.createToken(service.issuer, seconds()),
      });
      const { token, why = 'no token' } = await program.ask({});
      await program.close();
      const headers = { authorization: `Bearer ${token}` };
      const { status } = await fetch(service.exampleUrl, { headers });
      const failed = token === undefined ? [why] : status === 200 ? [] : [`the API: ${status}`];
      problems += tell(titleOf(client), `a token by ${form}, and a protected server`, failed);
    }
  });
  return problems;
}

/**
 * Every platform's copy gets tokens without a secret, and who knows only this issuer accepts them.
 *
 * @returns the number of problems.
 */
export async function checkAssertions(isWanted: IsWanted): Promise<number> {
  const copies = await startPlatformCopies();
  const options = { https: true, authorizationEndpoint: true, federatedClients: {} } as const;
  try {
    return await withLocalService(options, async (service) => {
      trustAuthorities(copies.ca);
      trustService(service);
      const ready: Ready[] = [];
      for (const copy of copies.copies) ready.push(await register(service, copy));
      const [first] = ready as [Ready];
      return (
        (await checkVerifiers(service, ready, isWanted)) +
        (await checkClients(service, first, isWanted))
      );
    });
  } finally {
    await copies.close();
  }
}
