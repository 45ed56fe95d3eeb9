import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type CommandOptions, runCommand } from '../../support/run-command.ts';
import type { Template } from '../../support/template-changes/template.ts';

/** A stage of CodePipeline. */
interface Stage {
  readonly Name: string;
  readonly Actions: readonly { readonly Name: string; readonly RunOrder: number }[];
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

const region = (id: string) => [
  `1 Approve_${id}`,
  `2 Deploy_AuthorizationServer-${id}`,
  `3 Bake_${id}`,
];

/** What the pipeline does after it has updated itself, in this order. */
const expectedStages: Readonly<Record<string, readonly string[]>> = {
  data: ['1 Approve_data', '2 Deploy_AuthorizationServer-data'],
  slc: region('slc'),
  dfw: region('dfw'),
  pit: region('pit'),
};

/** One region after another, each with an approval, `cdk deploy` and the bake. */
function checkPipeline({ Resources }: Template): void {
  const [pipeline] = Object.values(Resources).filter(
    ({ Type }) => Type === 'AWS::CodePipeline::Pipeline',
  );
  const stages = (pipeline?.Properties?.['Stages'] ?? []) as readonly Stage[];
  const own = stages.slice(stages.findIndex(({ Name }) => Name === 'UpdatePipeline') + 1);
  const found = own.map(({ Name, Actions }) => [
    Name,
    Actions.map((action) => `${action.RunOrder} ${action.Name}`).toSorted(),
  ]);
  assert.deepEqual(found, Object.entries(expectedStages));
  const builds = Object.values(Resources)
    .filter(({ Type }) => Type === 'AWS::CodeBuild::Project')
    .map(
      ({ Properties = {} }) =>
        JSON.parse((Properties['Source'] as BuildSource).BuildSpec) as BuildSpec,
    );
  for (const { phases } of builds) {
    assert.deepEqual(phases.install['runtime-versions'], { nodejs: '22' });
  }
  const deployments = builds
    .flatMap(({ phases }) => phases.build.commands)
    .filter((command) => command.includes('Production/'));
  assert.deepEqual(
    deployments.toSorted(),
    Object.keys(expectedStages)
      .map(
        (id) =>
          `npx cdk deploy Production/AuthorizationServer-${id} --app cdk.out --exclusively --import-existing-resources --require-approval never`,
      )
      .toSorted(),
  );
}

interface BuildSource {
  readonly BuildSpec: string;
}

interface BuildSpec {
  readonly phases: {
    readonly install: Readonly<Record<string, unknown>>;
    readonly build: { readonly commands: readonly string[] };
  };
}

/** The script of the bake, with an AWS CLI that answers as CloudWatch would. */
async function checkBake(project: string): Promise<void> {
  const bin = join(project, 'bake-bin');
  mkdirSync(bin, { recursive: true });
  const bake = async (answer: string) => {
    writeFileSync(join(bin, 'aws'), `#!/bin/sh\necho "$*" >> "${bin}/calls"\n${answer}\n`);
    chmodSync(join(bin, 'aws'), 0o755);
    const PATH = `${bin}${delimiter}${process.env['PATH']}`;
    const environment = { PATH, BAKE_INTERVAL: '1' };
    const command = ['bash', 'bake.sh', 'authorization-server-slc-', 'us-west-2', '1'] as const;
    return runCommand(command, { cwd: project, environment });
  };
  const quiet = await bake('true');
  assert.deepEqual(
    [quiet.code, quiet.output],
    [0, 'no alarm of authorization-server-slc- was on in us-west-2 for 1 seconds\n'],
  );
  const calls = readFileSync(join(bin, 'calls'), 'utf8').trim().split('\n');
  assert.ok(calls.length >= 2, 'the alarms were polled once');
  assert.match(calls[0] ?? '', /--region us-west-2 --alarm-name-prefix authorization-server-slc- /);
  const ringing = await bake('echo authorization-server-slc-api-errors');
  assert.equal(ringing.code, 1);
  assert.match(ringing.output, /^on in us-west-2: authorization-server-slc-api-errors$/m);
  const unknown = await bake('exit 254');
  assert.notEqual(unknown.code, 0);
}

/**
 * examples/cdk-app, by the command of its cdk.json: the stacks of three regions, and a pipeline that
 * deploys one after another.
 */
export async function checkCompanyApp(
  node: string,
  project: string,
  options: CommandOptions,
): Promise<void> {
  const { app } = readJson(join(project, 'cdk.json')) as { readonly app: string };
  const [program, ...args] = app.split(' ');
  assert.equal(program, 'node');
  const { code, output } = await runCommand([node, ...args], {
    ...options,
    environment: { ...options.environment, CDK_OUTDIR: 'cdk.out' },
  });
  assert.equal(code, 0, output);
  const templates = readdirSync(join(project, 'cdk.out/assembly-Production'))
    .filter((name) => name.endsWith('.template.json'))
    .map((name) => name.replace(/^Production(.*?)[0-9A-F]*\.template\.json$/, '$1'));
  const expected = ['data', 'dfw', 'pit', 'slc'].map((id) => `AuthorizationServer${id}`);
  assert.deepEqual(templates.toSorted(), expected);
  checkPipeline(readJson(join(project, 'cdk.out/Delivery.template.json')) as Template);
  await checkBake(project);
}
