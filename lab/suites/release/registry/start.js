import process from 'node:process';
import { runServer } from 'verdaccio';

// Only the packages of this project: npm gets every other one from its usual registry.
const storage = process.argv[2];
const server = await runServer({
  storage,
  self_path: `${storage}/config.yaml`,
  auth: { htpasswd: { file: `${storage}/htpasswd` } },
  packages: { '@authorization-server-aws/*': { access: '$all', publish: '$all' } },
  web: { enable: false },
  log: { type: 'stdout', level: 'fatal' },
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${server.address().port}\n`);
});
