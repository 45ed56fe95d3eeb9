import { createServer, type ServerResponse } from 'node:http';
import { forwardHead } from '../emulator/http-exchange.ts';
import { closeServer, listenOnLoopback, loopbackHost } from '../emulator/loopback-server.ts';

/** The way to the emulator while one AWS region does not answer. */
export interface RegionOutage {
  readonly endpoint: string;
  close(): Promise<void>;
}

/** The region that the credential scope of a signature names. */
const signedRegion = /Credential=[^/]+\/\d+\/([^/]+)\//;

/** What every refused call says. The SDK repeats it no more often than another error of the caller. */
const outageCode = 'RegionIsDown';

/** In the protocol of the call: JSON or XML. */
function refuse(response: ServerResponse, type: string, awsRegion: string): void {
  const message = `${awsRegion} does not answer`;
  response.writeHead(400, { 'content-type': type });
  response.end(
    type.includes('json')
      ? JSON.stringify({ __type: outageCode, message })
      : `<ErrorResponse><Error><Code>${outageCode}</Code><Message>${message}</Message></Error></ErrorResponse>`,
  );
}

/** Passes every call on to the emulator, except those that are signed for one region. */
export async function startRegionOutage(
  emulatorPort: number,
  awsRegion: string,
): Promise<RegionOutage> {
  const server = createServer((incoming, response) => {
    const { authorization = '', 'content-type': type = 'text/xml' } = incoming.headers;
    if (signedRegion.exec(authorization)?.[1] === awsRegion) {
      incoming.resume().once('end', () => refuse(response, type, awsRegion));
    } else {
      incoming.pipe(forwardHead(emulatorPort, incoming, response));
    }
  });
  const port = await listenOnLoopback(server);
  return { endpoint: `http://${loopbackHost}:${port}`, close: () => closeServer(server) };
}
