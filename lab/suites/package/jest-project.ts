import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { runCommand } from '../../support/run-command.ts';

const root = resolve(import.meta.dirname, '../../..');
const template = join(root, 'node_modules/aws-cdk/lib/init-templates/app/typescript');
/** What `cdk init` puts there; its template has ranges. */
const tools = { jest: '30.5.2', '@swc/jest': '0.2.39', '@swc/core': '1.16.22' };

const test = `import { App } from 'aws-cdk-lib';
import { addAuthorizationServer } from '@authorization-server-aws/constructs/authorization-server';
import { parseDeploymentConfig } from '@authorization-server-aws/constructs/deployment-config';

test('the stacks are added', () => {
  const app = new App();
  addAuthorizationServer(app, parseDeploymentConfig(require('../config.json')));
  expect(app.node.children).not.toEqual([]);
});
`;

async function installTools(): Promise<{ readonly folder: string } | { readonly missing: string }> {
  const folder = join(root, 'node_modules/.cache/jest');
  mkdirSync(folder, { recursive: true });
  const manifest = { private: true, dependencies: tools };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const install = ['npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts'] as const;
  const { code, output } = await runCommand(install, { cwd: folder });
  return code === 0 ? { folder } : { missing: `jest cannot be installed with npm:\n${output}` };
}

/**
 * The project of `cdk init`, whose jest imports the constructs: as it is made it loads no ES module
 * of a package, and with the lines of the README it does.
 *
 * @returns what was found, or what is missing.
 */
export async function checkJestProject(node: string, consumer: string): Promise<string> {
  const installed = await installTools();
  if ('missing' in installed) return `SKIPPED: ${installed.missing}`;
  const project = join(consumer, 'cdk-init');
  mkdirSync(join(project, 'test'), { recursive: true });
  for (const name of Object.keys(tools)) {
    const link = join(consumer, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    rmSync(link, { force: true });
    symlinkSync(join(installed.folder, 'node_modules', name), link);
  }
  for (const file of ['package.json', 'jest.config.js']) {
    cpSync(join(template, file), join(project, file));
  }
  cpSync(join(root, 'config/single-region.json'), join(project, 'config.json'));
  writeFileSync(join(project, 'test/service.test.ts'), test);
  const jest = () =>
    runCommand([node, join(consumer, 'node_modules/jest/bin/jest.js')], {
      cwd: project,
      environment: { CDK_VALIDATION: 'false' },
    });
  const asMade = await jest();
  assert.notEqual(asMade.code, 0, 'the README has lines that jest does not need');
  const readme = readFileSync(join(root, 'packages/constructs/README.md'), 'utf8');
  const [, lines = ''] = /```js\n(transform:.*?)```/s.exec(readme) ?? [];
  const config = readFileSync(join(project, 'jest.config.js'), 'utf8');
  writeFileSync(
    join(project, 'jest.config.js'),
    config.replace(/ {2}transform: \{.*?\n {2}\},\n/s, () => lines),
  );
  const { code, output } = await jest();
  assert.equal(code, 0, output);
  return "the jest of `cdk init` loads the constructs with the README's lines";
}
