import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../../emulator/loopback-server.ts';
import { versionInPom } from '../../suites/interop/programs.ts';
import { runOrThrow } from '../../support/run-command.ts';
import {
  type Peer,
  peerClient,
  type RunningPeer,
  sizeOf,
  startPeerProcess,
  toRunningPeer,
} from './peer.ts';

const keycloakVersion = '26.7.3';
const springFolder = join(import.meta.dirname, 'spring');
const copyPlugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy';

/** Java 17's default heap is a quarter of the machine: the same for all, and enough for each. */
const heap = '-Xmx512m';

/** A realm with one client, which may only get tokens for itself. */
const keycloakRealm = {
  realm: 'bench',
  enabled: true,
  sslRequired: 'none',
  clients: [
    {
      clientId: peerClient.clientId,
      secret: peerClient.clientSecret,
      enabled: true,
      protocol: 'openid-connect',
      publicClient: false,
      serviceAccountsEnabled: true,
      standardFlowEnabled: false,
      optionalClientScopes: [peerClient.scope],
    },
  ],
  clientScopes: [
    {
      name: peerClient.scope,
      protocol: 'openid-connect',
      attributes: { 'include.in.token.scope': 'true' },
    },
  ],
};

async function startJava(
  folder: string,
  args: (port: number) => readonly string[],
  path: string,
): Promise<RunningPeer> {
  const port = await findFreePort();
  return toRunningPeer(startPeerProcess('java', [heap, ...args(port)], folder), { port, path });
}

export const keycloak: Peer = {
  name: 'Keycloak',
  version: keycloakVersion,
  settings: 'start --optimized, database in memory, one realm, events off',
  signs: 'java',
  async install(folder) {
    const artifact = `org.keycloak:keycloak-quarkus-dist:${keycloakVersion}:zip`;
    const copy = ['-q', '-B', copyPlugin, `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`];
    await runOrThrow(['mvn', ...copy], { cwd: folder });
    const zip = `keycloak-quarkus-dist-${keycloakVersion}.zip`;
    await runOrThrow(['unzip', '-q', zip], { cwd: folder });
    const home = join(folder, `keycloak-${keycloakVersion}`);
    const bytes = await sizeOf(home);
    mkdirSync(join(home, 'data/import'), { recursive: true });
    writeFileSync(join(home, 'data/import/bench-realm.json'), JSON.stringify(keycloakRealm));
    await runOrThrow([join(home, 'bin/kc.sh'), 'build', '--db=dev-mem'], { cwd: home });
    const runner = join(home, 'lib/quarkus-run.jar');
    return {
      bytes,
      // The script kc.sh would stand between this process and Java.
      start: () =>
        startJava(
          home,
          (port) => [
            `-Dkc.home.dir=${home}`,
            `-Djboss.server.config.dir=${join(home, 'conf')}`,
            '-Djava.util.logging.manager=org.jboss.logmanager.LogManager',
            '-Dpicocli.disable.closures=true',
            '-cp',
            runner,
            'io.quarkus.bootstrap.runner.QuarkusEntryPoint',
            'start',
            '--optimized',
            '--http-enabled=true',
            '--hostname-strict=false',
            '--http-host=127.0.0.1',
            `--http-port=${port}`,
            '--import-realm',
          ],
          '/realms/bench/protocol/openid-connect/token',
        ),
    };
  },
};

export const spring: Peer = {
  name: 'Spring Authorization Server',
  version: `Boot ${versionInPom(join(springFolder, 'pom.xml'), 'spring-boot-starter-parent')}`,
  settings: 'defaults of Boot, client and tokens in memory, secret compared without bcrypt',
  signs: 'java',
  async install(folder) {
    cpSync(springFolder, folder, { recursive: true });
    await runOrThrow(['mvn', '-q', '-B', 'package'], { cwd: folder });
    const jar = join(folder, 'target/spring-peer-1.jar');
    return {
      bytes: await sizeOf(jar),
      start: () =>
        startJava(
          folder,
          (port) => ['-jar', jar, `--server.port=${port}`, '--server.address=127.0.0.1'],
          '/oauth2/token',
        ),
    };
  },
};
