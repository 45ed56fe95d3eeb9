import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser } from '../../support/launch-browser.ts';
import { startLoopbackProvider } from '../../support/loopback-provider.ts';
import { withLocalService } from '../../support/with-local-service.ts';
import { everyPage, pictures } from './pages.ts';
import { addSampleData, type SampleData } from './sample-data.ts';

const { all } = new Command('node lab/tools/screenshots/main.ts')
  .description('Takes the pictures of the documentation.')
  .option('--all <folder>', 'every page instead, narrow and wide, light and dark, into a folder')
  .parse()
  .opts<{ readonly all?: string }>();

/** A picture in a page of documentation is loaded with it. */
const maxPictureBytes = 80_000;

const images = resolve(import.meta.dirname, '../../../docs/images');

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
  mkdirSync(images, { recursive: true });
  for (const { name, path, scheme, width, height } of pictures) {
    const options = { colorScheme: scheme, viewport: { width, height } };
    await withPage(opened, options, async (page, origin) => {
      await page.goto(origin + path(opened.data));
      const file = join(images, `${name}.png`);
      const picture = await page.screenshot();
      writeFileSync(file, picture);
      const isTooLarge = picture.length > maxPictureBytes;
      const remark = isTooLarge ? `, more than ${maxPictureBytes}` : '';
      process.stdout.write(`${file} ${picture.length} bytes${remark}\n`);
      if (isTooLarge) process.exitCode = 1;
    });
  }
}

async function takeEveryPage(opened: Opened, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [390, 1600]) {
      const options = { colorScheme, viewport: { width, height: 900 } };
      await withPage(opened, options, async (page, origin) => {
        for (const { name, path, act } of everyPage) {
          await page.goto(origin + path(opened.data));
          await act?.(page);
          const file = join(folder, `${name}-${width}-${colorScheme}.png`);
          await page.screenshot({ path: file, fullPage: true });
        }
      });
    }
  }
}

const browser = await launchBrowser();
const provider = await startLoopbackProvider();
try {
  await withLocalService({ portal: true, ...(all && { clientKeys: {} }) }, async (service) => {
    const data = await addSampleData(service, provider.discoveryUrl);
    const opened = { browser, portalUrl: service.portalUrl ?? '', data };
    await (all === undefined ? takePictures(opened) : takeEveryPage(opened, all));
  });
} finally {
  await browser.close();
  await provider.close();
}
