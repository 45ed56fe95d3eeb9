import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { docsPath } from '../../../lab/local/docs-page.ts';
import { useLocalService } from '../lab/local/use-local-service.ts';

const service = useLocalService();

async function readPage(): Promise<{ readonly page: string; readonly headers: Headers }> {
  const response = await fetch(service().issuer + docsPath);
  expect(response.status).toBe(200);
  return { page: await response.text(), headers: response.headers };
}

/** The text of each script element, as a browser divides the page. */
function scriptsOf(page: string): readonly string[] {
  return [...page.matchAll(/<script>(.*?)<\/script>/gs)].map(([, text = '']) => text);
}

describe('/docs of the local run', () => {
  it('shows the API, with this run as the server to try', async () => {
    const { page, headers } = await readPage();
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    const last = scriptsOf(page).at(-1) ?? '';
    expect(last).toContain('/api/v1/oauth/token');
    expect(last).toContain(`"servers":[{"url":"${service().issuer}"}]`);
  });

  it('has scripts that a browser can parse', async () => {
    const { page } = await readPage();
    const scripts = scriptsOf(page);
    expect(scripts).toHaveLength(2);
    for (const text of scripts) expect(() => new Script(text)).not.toThrow();
  });

  it('loads nothing from anywhere', async () => {
    const { page, headers } = await readPage();
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    const markup = page.replaceAll(/<(script|style)>.*?<\/\1>/gs, '');
    expect(markup).not.toMatch(/https?:/);
  });
});
