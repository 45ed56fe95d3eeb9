import assert from 'node:assert/strict';
import { createAwsJsonClient } from '../../../adapters/aws-json/aws-json-client.ts';
import { callProfiles } from '../../../adapters/call-profile.ts';
import singleRegion from '../../../config/single-region.json' with { type: 'json' };
import type { DeploymentConfigInput } from '../../../contract/deployment-config.ts';
import { sendRequest } from '../../emulator/http-exchange.ts';
import { loadCertificate } from '../../local/certificate.ts';
import type { Cloud, Outputs } from '../../ministack/cloud.ts';
import {
  createClient,
  getToken,
  policyOf,
  say,
  sayLeftOut,
  signingKeyPolicy,
} from '../../ministack/proof.ts';
import { createHostedZone } from '../../ministack/regions.ts';
import { loginClient, TestOpenIdProvider } from '../../support/openid-provider.ts';
import { portalConfig } from '../../support/portal-config.ts';
import { ServiceInUse } from '../redeploy/service-in-use.ts';

const awsRegion = 'us-west-2';
const serviceStack = 'AuthorizationServer-slc';
const portalStack = 'AuthorizationServer-portal';
const { name: portalHost, hostedZoneName: zone } = portalConfig.domain;
const origin = `https://${portalHost}`;

export const portalNames = [`*.execute-api.${awsRegion}.amazonaws.com`, portalHost];

const service: DeploymentConfigInput = {
  ...(singleRegion as DeploymentConfigInput),
  signingKeyPolicy,
  // One client asks for a token in every round, far above what a real one needs.
  fairShare: { mode: 'count' },
};

/** Puts the client secret where the portal reads it. @returns its ARN. */
async function createSecret(cloud: Cloud): Promise<string> {
  const secrets = createAwsJsonClient({
    service: 'secretsmanager',
    protocol: { contentType: 'application/x-amz-json-1.1', targetPrefix: 'secretsmanager' },
    environment: cloud.deployerEnvironment(awsRegion),
    profile: callProfiles.background,
    maxSockets: 1,
  });
  const secret = { Name: 'portal-login', SecretString: loginClient.clientSecret };
  const { ARN } = (await secrets.call('CreateSecret', secret)) as { readonly ARN: string };
  secrets.close();
  return ARN;
}

type Portal = NonNullable<DeploymentConfigInput['portal']>;

async function describePortal(cloud: Cloud, issuer: string): Promise<Portal> {
  const { clientId } = loginClient;
  return {
    ...portalConfig,
    domain: { ...portalConfig.domain, hostedZoneId: await createHostedZone(cloud, zone) },
    login: { issuer, clientId, clientSecretArn: await createSecret(cloud) },
  };
}

const ofOwnForm = {
  origin,
  'sec-fetch-site': 'same-origin',
  'content-type': 'application/x-www-form-urlencoded',
};

/** A person's browser: it keeps cookies, and follows nothing by itself. */
class Person {
  readonly #cookies = new Map<string, string>();

  /** Not by `fetch`, which says of each request that it comes from a script. */
  async ask(path: string, form?: Readonly<Record<string, string>>): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const body = form === undefined ? '' : new URLSearchParams(form).toString();
    const options = {
      method: form === undefined ? 'GET' : 'POST',
      headers: {
        cookie,
        'sec-fetch-mode': 'navigate',
        ...(form && { ...ofOwnForm, 'content-length': body.length }),
      },
    };
    const { status, headers, body: received } = await sendRequest(origin + path, options, body);
    for (const text of headers['set-cookie'] ?? []) {
      const [pair = '', ...attributes] = text.split('; ');
      const [name = '', value = ''] = pair.split('=');
      if (attributes.includes('Max-Age=0')) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return new Response(received.toString(), {
      status,
      headers: { location: headers.location ?? '' },
    });
  }

  async signIn(openid: TestOpenIdProvider, path: string): Promise<void> {
    const away = await this.ask(path);
    assert.equal(away.status, 303, await away.text());
    const { pathname, search } = openid.authorize(away.headers.get('location') ?? '');
    const back = await this.ask(pathname + search);
    assert.equal(back.status, 303, await back.text());
  }
}

async function usePortal(openid: TestOpenIdProvider, person: Person): Promise<void> {
  await person.signIn(openid, '/clients');
  const list = await person.ask('/clients');
  const page = await list.text();
  assert.equal(list.status, 200, page);
  assert.match(page, /Billing/);
  const created = await person.ask('/clients', {
    name: 'Dialer',
    serviceTrunkGroup: 'tg-1',
    tokenLifetime: '1h',
    scopes: 'messaging:view',
    requestId: 'a-request-of-a-form',
  });
  assert.equal(created.status, 303, await created.text());
  const foreign = await person.ask('/clients', { name: 'x', serviceTrunkGroup: 'tg-2' });
  assert.equal(foreign.status, 404);
}

/**
 * Deploys the portal next to a service that is in use, signs in at a provider, creates a client,
 * updates the portal and removes it.
 *
 * @param certificates folder of the certificate that deployed functions trust.
 */
export async function provePortal(cloud: Cloud, certificates: string): Promise<void> {
  const openid = new TestOpenIdProvider(`${origin}/login/callback`);
  await openid.start(await loadCertificate(certificates, Date.now(), portalNames));
  openid.deviation = { claims: { groups: ['managers'], trunk_groups: ['tg-1'] } };
  try {
    await provePortalWith(cloud, openid);
  } finally {
    await openid.close();
  }
}

async function provePortalWith(cloud: Cloud, openid: TestOpenIdProvider): Promise<void> {
  await cloud.bootstrap(awsRegion);
  const configPath = cloud.writeConfig(service);
  const alone = await cloud.synthesiseConfig('service', service);
  const outputs = await cloud.deploy(alone, serviceStack);
  const { Issuer, TokenUrl } = outputs[serviceStack] as Outputs;
  const authctl = cloud.authctl(configPath, awsRegion, policyOf('client-operator'));
  const client = await createClient(authctl);
  await getToken(String(TokenUrl), client);
  const deployed = { issuer: String(Issuer), audience: service.defaultAudience };
  const use = new ServiceInUse(deployed, client);
  const portal = await describePortal(cloud, openid.issuer);
  const synthesise = (changes: Partial<Portal> = {}) =>
    cloud.synthesiseConfig('portal', { ...service, portal: { ...portal, ...changes } });
  const deploy = async (changes?: Partial<Portal>) => {
    const assembly = await synthesise(changes);
    await cloud.deploy(assembly, portalStack);
    return assembly;
  };
  const ada = new Person();
  const first = await use.during(async () => {
    sayLeftOut((await deploy()).leftOut);
    await usePortal(openid, ada);
  });
  say(`the portal was deployed, and a person signed in and created a client: ${first} tokens`);
  const later = await use.during(async () => {
    await deploy({ sessionEpoch: 2, look: { name: 'Telephony' } });
    assert.equal((await ada.ask('/clients')).status, 303);
    await ada.signIn(openid, '/clients');
    assert.match(await (await ada.ask('/clients')).text(), /Telephony/);
  });
  say(`an update changed its look and ended every session: ${later} tokens`);
  const last = await use.during(async () => {
    await cloud.destroy(await synthesise(), portalStack);
    assert.notEqual((await fetch(`${origin}/login/done`)).status, 200);
  });
  say(`the portal was removed: ${last} tokens, 0 failed requests in all of it`);
}
