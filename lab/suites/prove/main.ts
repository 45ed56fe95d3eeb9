import { join, resolve } from 'node:path';
import { runScenarios } from '../../ministack/scenarios.ts';

const root = resolve(import.meta.dirname, '../../..');
const awsRegion = 'us-west-2';

await runScenarios({
  whole: {
    title: 'A whole run',
    names: [`*.execute-api.${awsRegion}.amazonaws.com`],
    prove: async (cloud, { folder }) => {
      const {
        NODE_OPTIONS = '',
        NODE_EXTRA_CA_CERTS = '',
        PUBLIC_EDGE_PORT = '',
        PUBLIC_EDGE_NAMES = '',
      } = process.env;
      const PATH = `${join(root, 'node_modules/.bin')}:${process.env['PATH']}`;
      const AWS_ENDPOINT_URL_STS = cloud.permissions.gate.endpoint;
      const edge = {
        PATH,
        AWS_ENDPOINT_URL_STS,
        NODE_OPTIONS,
        NODE_EXTRA_CA_CERTS,
        PUBLIC_EDGE_PORT,
        PUBLIC_EDGE_NAMES,
      };
      const command = `"${process.execPath}" "${join(root, 'lab/prove/main.ts')}" --region ${awsRegion} --yes`;
      const printed = await cloud.shell(
        `${command} || true; cat .prove/*/proof.md; cp -r .prove /tmp/prove-out`,
        edge,
        folder,
      );
      process.stdout.write(printed);
    },
  },
});
