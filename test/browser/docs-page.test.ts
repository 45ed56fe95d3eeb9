import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { docsPath } from '../../lab/local/docs-page.ts';
import { useLocalService } from '../integration/lab/local/use-local-service.ts';
import { openPage, useBrowser } from '../support/browser.ts';

const service = useLocalService();
const browser = useBrowser();

async function enterCredentials(page: Page): Promise<void> {
  const { clientId, clientSecret } = service();
  await page.getByRole('button', { name: 'Authorize', exact: true }).click();
  const form = page.locator('form', { hasText: 'client_secret_basic' });
  await form.locator('[name=username]').fill(clientId);
  await form.locator('[name=password]').fill(clientSecret);
  await form.getByRole('button', { name: 'Apply credentials' }).click();
  await form.getByRole('button', { name: 'Close' }).click();
}

describe('"Try it out" of /docs', () => {
  it('gets a token with the credentials that were entered and nothing else filled in', async () => {
    const { page, problems } = await openPage(browser(), service().issuer + docsPath);
    await enterCredentials(page);
    const operation = page.locator('#operations-Tokens-createToken');
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    const answer = page.waitForResponse(service().tokenUrl);
    await operation.getByRole('button', { name: 'Execute' }).click();
    const response = await answer;
    expect([...new URLSearchParams(response.request().postData() ?? '')]).toEqual([
      ['grant_type', 'client_credentials'],
      ['scope', 'messaging:view'],
      ['resource', 'https://api.example.com'],
      ['client_id', ''],
    ]);
    expect(response.status()).toBe(200);
    await operation.getByText('"token_type": "Bearer"').first().waitFor();
    expect(problems).toEqual([]);
  });
});
