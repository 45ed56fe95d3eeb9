import { describe, expect, it } from 'vitest';
import { createPortalWorld, type PortalWorld } from './portal-world.ts';

async function createEmptyWorld(): Promise<PortalWorld> {
  const world = await createPortalWorld();
  await world.management.deleteProvider(world.issuer);
  return world;
}

async function lookUp(world: PortalWorld, choices: Readonly<Record<string, string>> = {}) {
  const query = new URLSearchParams({ discoveryUrl: world.discoveryUrl, ...choices });
  return (await world.get(`/identity-providers/new?${query.toString()}`)).text();
}

/** The fields of the page's form, as a browser sends them with its second button. */
function fieldsOf(page: string): Readonly<Record<string, string>> {
  expect(page).toMatch(/<button [^>]*form="provider" formmethod="post"[^>]*>Register provider</);
  const form = page.slice(page.indexOf('id="provider"'));
  const inputs = [...form.matchAll(/<input [^>]*>/g)].map(([tag]) => tag);
  const attribute = (tag: string, name: string) =>
    new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1];
  const sent = inputs.filter((tag) => !tag.includes('checkbox') || tag.includes(' checked'));
  const select = /<select [^>]*name="(\w+)".*?<option value="([^"]*)" selected/s.exec(form);
  return {
    ...Object.fromEntries(
      sent.map((tag) => [attribute(tag, 'name') ?? '', attribute(tag, 'value') ?? '']),
    ),
    ...(select === null ? {} : { [select[1] ?? '']: select[2] ?? '' }),
  };
}

/** Sends the form of the page as it is, or with fields that were changed after the look-up. */
const sendForm = (
  world: PortalWorld,
  page: string,
  changed: Readonly<Record<string, string>> = {},
) => world.post('/identity-providers', { ...fieldsOf(page), ...changed });

describe('the form that registers a provider', () => {
  it('registers the choices that were looked up', async () => {
    const world = await createEmptyWorld();
    const page = await lookUp(world, { clientIdClaim: 'appid', audienceFrom: 'scope' });
    expect((await sendForm(world, page)).status).toBe(303);
    expect(world.providers.get(world.issuer)).toMatchObject({
      clientIdClaim: 'appid',
      audienceFrom: 'scope',
    });
    const shown = await (
      await world.get(`/identity-providers/show?issuer=${encodeURIComponent(world.issuer)}`)
    ).text();
    expect(shown).toContain('appid');
  });

  it('registers what was typed after the look-up', async () => {
    const world = await createEmptyWorld();
    const page = await lookUp(world, { clientIdClaim: 'appid' });
    expect((await sendForm(world, page, { clientIdClaim: 'azp' })).status).toBe(303);
    expect(world.providers.get(world.issuer)).toMatchObject({ clientIdClaim: 'azp' });
  });

  it('registers no other provider than the one that was looked up', async () => {
    const world = await createEmptyWorld();
    const page = await lookUp(world);
    const response = await sendForm(world, page, { ifIssuer: 'https://other.example' });
    expect([409, 422]).toContain(response.status);
    expect(world.providers.size).toBe(0);
  });

  it('chooses nothing by itself', async () => {
    const world = await createEmptyWorld();
    const page = await lookUp(world);
    expect(page).not.toContain('allowUserWritableClaim" value="on"');
    expect((await sendForm(world, page)).status).toBe(303);
    const { clientIdClaim, audienceFrom } = world.providers.get(world.issuer) ?? {};
    expect([clientIdClaim, audienceFrom]).toEqual([undefined, undefined]);
  });

  it('asks before it trusts a claim that users may write', async () => {
    const world = await createEmptyWorld();
    const page = await lookUp(world, { clientIdClaim: 'email' });
    expect(page).toMatch(/action="\/identity-providers\/new#found"[^]*id="found" role="alert"/);
    expect(page).toMatch(
      /It cannot be registered\.<\/strong><\/p><p class="problem">[A-Z][^<]*\.</,
    );
    expect(page).toContain('Only the provider writes this claim');
    const forced = await world.post('/identity-providers', {
      discoveryUrl: world.discoveryUrl,
      ifIssuer: world.issuer,
      ifJwksUri: `${world.issuer}/keys`,
      clientIdClaim: 'email',
    });
    expect(forced.status).toBe(422);
    expect(world.providers.size).toBe(0);
    const confirmed = await lookUp(world, { clientIdClaim: 'email', allowUserWritableClaim: 'on' });
    expect((await sendForm(world, confirmed)).status).toBe(303);
    expect(world.providers.get(world.issuer)).toMatchObject({ clientIdClaim: 'email' });
  });

  it('says next to the field which claim is not allowed', async () => {
    const world = await createEmptyWorld();
    expect(await lookUp(world, { clientIdClaim: 'aud' })).toContain('id="f-clientIdClaim-error"');
  });
});
