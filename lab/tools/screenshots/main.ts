import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser } from '../../support/launch-browser.ts';
import { startLoopbackProvider } from '../../support/loopback-provider.ts';
import { withLocalService } from '../../support/with-local-service.ts';
import { imageFolder, outlineFile, readOutlines } from './outline.ts';
import { pictures } from './pages.ts';
import { addSampleData, type SampleData } from './sample-data.ts';

const [folder = imageFolder] = new Command('npm run pictures --')
  .description('Takes the pictures of the documentation.')
  .argument('[folder]', 'into which, instead of docs/images')
  .parse().args;

/** A picture in a page of documentation is loaded with it. */
const maxPictureBytes = 80_000;

interface Opened {
  readonly browser: Browser;
  readonly portalUrl: string;
  readonly data: SampleData;
}

async function withPage(
  { browser, portalUrl }: Opened,
  options: BrowserContextOptions,
  use: (page: Page, origin: string) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto(portalUrl);
  await use(page, portalUrl.replace(/\/enter\/.*/, ''));
  await context.close();
}

async function takePictures(opened: Opened): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const { name, path, scheme, width, height } of pictures) {
    const options = { colorScheme: scheme, viewport: { width, height } };
    await withPage(opened, options, async (page, origin) => {
      await page.goto(origin + path(opened.data));
      const file = join(folder, `${name}.png`);
      const picture = await page.screenshot();
      writeFileSync(file, picture);
      const isTooLarge = picture.length > maxPictureBytes;
      const remark = isTooLarge ? `, more than ${maxPictureBytes}` : '';
      process.stdout.write(`${file} ${picture.length} bytes${remark}\n`);
      if (isTooLarge) process.exitCode = 1;
    });
  }
}

const browser = await launchBrowser();
const provider = await startLoopbackProvider();
try {
  await withLocalService({ portal: true }, async (service) => {
    const data = await addSampleData(service, provider.discoveryUrl);
    await takePictures({ browser, portalUrl: service.portalUrl ?? '', data });
    const outlines = await readOutlines(service, data);
    writeFileSync(join(folder, outlineFile), `${JSON.stringify(outlines, null, 2)}\n`);
  });
} finally {
  await browser.close();
  await provider.close();
}
