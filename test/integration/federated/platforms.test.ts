import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeBlocks, readPage, root } from '../../../lab/support/markdown.ts';
import { workloads } from '../../../lab/support/platforms/workloads.ts';
import { runCommand } from '../../../lab/support/run-command.ts';
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts';
import { useLocalCli } from '../cli/use-authctl.ts';
import { seconds, usePlatforms } from './use-platforms.ts';

const cli = useLocalCli();
const { json, service } = cli;
const { find, copies } = usePlatforms(cli);

describe.each(workloads.map(({ name }) => name))('%s', (name) => {
  it('is registered from its documents, and its token is accepted by a platform API', async () => {
    const { copy, clientId } = find(name);
    const token = await copy.createToken('https://api.example.com', seconds());
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(service().exampleUrl, { headers });
    expect(await answer.json()).toMatchObject({ caller: { client_id: clientId } });
    expect(answer.status).toBe(200);
  });
});

it('each copy says which pages it follows, when they were read, and what they do not show', () => {
  for (const { name, source, notShown } of workloads) {
    expect(
      source.pages.every((page) => page.startsWith('https://')),
      name,
    ).toBe(true);
    expect(source.read, name).toMatch(/^2026-\d\d-\d\d$/);
    expect(notShown.length, name).toBeGreaterThan(0);
  }
});

it('one command registers the issuer that the AWS CLI prints', async () => {
  const { copy } = find('AWS STS, GetWebIdentityToken');
  await json(['provider', 'delete', copy.issuer, '--cascade', '--yes']);
  const [command = ''] = codeBlocks(readPage('docs/keyless.md'))
    .map(({ lines }) => lines.join('\n'))
    .filter((text) => text.includes('get-outbound-web-identity-federation-info'));
  const folder = makeTemporaryDirectory();
  const programs = {
    aws: `test "$*" = "iam get-outbound-web-identity-federation-info --query IssuerIdentifier --output text" && echo "${copy.issuer}"`,
    npx: `shift 3; exec "${process.execPath}" "${join(root, 'cli/authctl.ts')}" "$@"`,
  };
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(folder.path, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder.path, name), 0o755);
  }
  const ca = join(folder.path, 'ca.pem');
  writeFileSync(ca, copies().ca);
  const { code, output } = await runCommand(['sh', '-c', command], {
    environment: {
      ...service().environment,
      PATH: [folder.path, process.env['PATH']].join(delimiter),
      NODE_EXTRA_CA_CERTS: ca,
    },
  });
  folder.remove();
  expect(output).toContain(copy.issuer);
  expect(code).toBe(0);
  const { items } = await json(['provider', 'list']);
  expect(items).toContainEqual(expect.objectContaining({ issuer: copy.issuer }));
});
