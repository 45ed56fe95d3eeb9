import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { parseDeploymentConfig } from '../../../contract/deployment-config.ts';
import { findRegionProblem } from '../../../contract/partitions.ts';
import { type Ask, readRequest } from '../../../lab/create/choices.ts';
import {
  buildProject,
  CreateError,
  installProject,
  writeProject,
} from '../../../lab/create/project.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const pins = { own: () => '1.2.3', cdkLib: '2.300.0', cdk: '2.1200.0', constructs: '10.9.0' };
const choices = { awsRegion: 'eu-central-1', audience: 'https://api.acme.example' };

let folder: string;
beforeEach(() => {
  folder = temporaryDirectory();
});

describe('the project', () => {
  const files = buildProject(choices, pins);

  it('has fewer than 30 lines in all, next to its README', () => {
    const { 'README.md': _, ...code } = files;
    const lines = Object.values(code).flatMap((text) => text.split('\n'));
    expect(lines.filter((line) => line !== '').length).toBeLessThan(30);
  });

  it('refuses scripts of packages that its manifest does not name', () => {
    expect(files['.npmrc']).toBe('strict-allow-scripts=true\n');
  });

  it('pins every version', () => {
    const { dependencies, devDependencies } = JSON.parse(files['package.json'] ?? '') as Record<
      string,
      Record<string, string>
    >;
    expect({ ...dependencies, ...devDependencies }).toEqual({
      '@authorization-server-aws/authctl': '1.2.3',
      '@authorization-server-aws/constructs': '1.2.3',
      '@authorization-server-aws/local': '1.2.3',
      'aws-cdk': '2.1200.0',
      'aws-cdk-lib': '2.300.0',
      constructs: '10.9.0',
    });
  });

  it('has a config with what was chosen', () => {
    const config = parseDeploymentConfig(JSON.parse(files['authorization-server.json'] ?? ''));
    expect(config.regions).toEqual({ slc: { awsRegion: 'eu-central-1' } });
    expect(config.defaultAudience).toBe('https://api.acme.example');
  });

  it('starts with the config that it deploys', () => {
    const { scripts } = JSON.parse(files['package.json'] ?? '') as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    const path = /--config (\S+)$/.exec(scripts['start'] ?? '')?.[1] ?? '';
    expect(files['app.js']).toContain(`config: '${path}'`);
    expect(Object.keys(files)).toContain(path);
  });

  it('is refused for an AWS region that does not exist, with those that do', () => {
    expect(() => buildProject({ ...choices, awsRegion: 'us-west-9' }, pins)).toThrow(
      new CreateError(`--region: received "us-west-9"; allowed: ${findRegionProblem('us-west-9')}`),
    );
  });

  it('is refused for an audience that is no URI', () => {
    expect(() => buildProject({ ...choices, audience: 'my api' }, pins)).toThrow(
      /^--audience: received "my api"; /,
    );
  });
});

describe('the folder of a project', () => {
  const files = { 'app.js': 'x' };

  it('may be new, or have a repository without files', () => {
    writeProject(join(folder, 'a/b'), files);
    expect(readFileSync(join(folder, 'a/b/app.js'), 'utf8')).toBe('x');
    mkdirSync(join(folder, 'c/.git'), { recursive: true });
    writeProject(join(folder, 'c'), files);
    expect(readdirSync(join(folder, 'c'))).toEqual(['.git', 'app.js']);
  });

  it('is left alone if it has files', () => {
    for (const name of ['one', 'two', 'three', 'four']) writeFileSync(join(folder, name), '');
    expect(() => writeProject(folder, files)).toThrow(
      new CreateError(`${folder} is not empty (four, one, three, …); name a new folder`),
    );
    expect(readdirSync(folder)).toHaveLength(4);
  });

  it('is refused if it is a file', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => writeProject(join(folder, 'file'), files)).toThrow(
      new CreateError(`${join(folder, 'file')} cannot be used (ENOTDIR); name a new folder`),
    );
  });
});

describe('the choices', () => {
  function recordQuestions(): { readonly ask: Ask; readonly asked: string[] } {
    const asked: string[] = [];
    const ask: Ask = async (question, otherwise) => {
      asked.push(question);
      return otherwise;
    };
    return { ask, asked };
  }

  it('are three questions at most, each with a default', async () => {
    const { ask, asked } = recordQuestions();
    expect(await readRequest([], { AWS_REGION: 'sa-east-1' }, ask)).toEqual({
      help: false,
      folder: 'authorization-server',
      awsRegion: 'sa-east-1',
      audience: 'https://api.example.com',
      packages: undefined,
    });
    expect(asked).toEqual(['Folder', 'AWS region', 'URI of your API']);
  });

  it('are not asked for if arguments have them', async () => {
    const { ask, asked } = recordQuestions();
    const args = ['mine', '--region', 'eu-west-1', '--audience=urn:x'];
    expect(await readRequest(args, {}, ask)).toMatchObject({
      folder: 'mine',
      awsRegion: 'eu-west-1',
      audience: 'urn:x',
    });
    expect(asked).toEqual([]);
  });

  it.each([
    ['an unknown flag', ['--regoin', 'x'], /^Unknown option '--regoin'/],
    ['two folders', ['a', 'b'], /^received 2 folders; allowed: one\nusage: create/],
  ])('refuse %s', async (_, args, message) => {
    await expect(readRequest(args, {}, recordQuestions().ask)).rejects.toThrow(message);
  });
});

describe('the installation', () => {
  function fail(output: string): Promise<void> {
    const npm = join(folder, 'npm.js');
    writeFileSync(npm, `process.stderr.write(${JSON.stringify(output)}); process.exit(1);`);
    return installProject(folder, npm);
  }

  it('says what to do without a network', async () => {
    await expect(
      fail('npm error code ENOTFOUND\nnpm error network request failed'),
    ).rejects.toThrow(
      new CreateError(
        `the npm registry does not answer (ENOTFOUND); the project is in ${folder}: run "npm install" there when it does`,
      ),
    );
  });

  it('says what it waits for before npm ends', async () => {
    const lines = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const failing = fail('npm error code ETARGET');
    expect(lines).toHaveBeenCalledWith(
      `Installing the packages of ${folder}: 20 to 120 seconds.\n`,
    );
    await expect(failing).rejects.toThrow(CreateError);
    lines.mockRestore();
  });

  it('shows any other reason of npm', async () => {
    await expect(fail('npm error code ETARGET')).rejects.toThrow(
      new CreateError(
        `npm install failed: npm error code ETARGET\nThe project is in ${folder}: run "npm install" there after the repair`,
      ),
    );
  });
});
