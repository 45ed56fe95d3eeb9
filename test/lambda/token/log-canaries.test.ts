import { describe, expect, it } from 'vitest';
import { healthPath, tokenPath } from '../../../contract/routes.ts';
import { hashSecret } from '../../../core/credential/credential-value.ts';
import { MalformedRecordError, UnavailableError } from '../../../core/errors.ts';
import { clientIdOf, makeClient, makeSecret } from '../../../lab/support/clients.ts';
import type { ProxyRequest } from '../../../lab/support/proxy-event.ts';
import { basic } from '../../../lab/support/token-request.ts';
import { createTelemetry } from '../../../lambda/shared/telemetry.ts';
import { captureOutput } from '../../support/captured-output.ts';
import { tokenRequest, tokenWorld } from '../../support/token-world.ts';

const canary = 'CANARY-7f3a';
const secret = `cs_${canary}-secret`;
const hostile = `${canary}\r\n\u001b[31m{"level":"ERROR","message":"forged"}`;
const encode = (value: string) => encodeURIComponent(value);

const authorizations = [
  [],
  basic(clientIdOf(1), secret),
  basic(clientIdOf(1), `${secret}-wrong`),
  basic(secret, clientIdOf(1)),
  basic(encode(hostile), encode(hostile)),
  basic(`client_${canary}`, secret),
  `Bearer ${canary}`,
  `Basic ${canary}`,
  canary,
];

const bodies = [
  'grant_type=client_credentials',
  `grant_type=${canary}`,
  `grant_type=client_credentials&scope=${canary}`,
  `grant_type=client_credentials&resource=urn:${canary}`,
  `grant_type=client_credentials&client_secret=${secret}`,
  `grant_type=client_credentials&client_id=${clientIdOf(1)}&client_secret=${secret}`,
  `grant_type=client_credentials&client_id=${clientIdOf(1)}&client_secret=${secret}-wrong`,
  `grant_type=client_credentials&client_id=client_${canary}&client_secret=${secret}`,
  `grant_type=client_credentials&client_id=${encode(hostile)}&foo=${encode(hostile)}`,
  `${canary}=${canary}&${canary}=${canary}`,
  canary,
];

function requests(): readonly ProxyRequest[] {
  return authorizations.flatMap((authorization) =>
    bodies.flatMap((body) => [
      tokenRequest({
        body,
        headers: {
          Authorization: authorization,
          'User-Agent': canary,
          Cookie: canary,
          traceparent: `00-${canary}-${canary}-01`,
        },
      }),
      tokenRequest({
        body,
        query: `client_secret=${canary}`,
        headers: { Authorization: authorization },
      }),
      { ...tokenRequest({ body }), method: canary },
      { path: `/${canary}`, method: 'POST', body },
      { path: healthPath, headers: { Authorization: authorization }, query: canary },
    ]),
  );
}

const client = makeClient({ secrets: [makeSecret(secret)] });
type World = ReturnType<typeof tokenWorld>;

const situations: readonly (readonly [string, (world: World) => unknown])[] = [
  ['all is well', () => undefined],
  [
    'KMS is down',
    (w) => w.stores.sign.mockRejectedValue(new UnavailableError('could not sign: Throttling')),
  ],
  ['the table is down', (w) => w.stores.findClient.mockRejectedValue(new UnavailableError('down'))],
  [
    'the record is malformed',
    (w) => w.stores.findClient.mockRejectedValue(new MalformedRecordError('client: bad')),
  ],
  ['a defect', (w) => w.stores.listSigningKeys.mockRejectedValue(new TypeError('defect'))],
];

describe.each([undefined, true] as const)(
  'with clientSecretPost %s, what a caller sends',
  (clientSecretPost) => {
    it.each(situations)('is in no log line and no metric while %s', async (name, arrange) => {
      let [issued, healthy] = [0, 0];
      const output = await captureOutput(async () => {
        const telemetry = createTelemetry('token', {}, { byOutcome: true });
        const world = tokenWorld([client], telemetry, { clientSecretPost });
        arrange(world);
        for (const request of requests()) {
          const { statusCode, body } = await world.call(request);
          if (statusCode === 200 && request.path === tokenPath) issued += 1;
          if (statusCode === 200 && request.path === healthPath) healthy += 1;
          if (statusCode !== 200) expect(body).not.toContain(canary);
        }
      });
      const lines = output.trimEnd().split('\n');
      // The access log has those of health checks.
      expect(lines).toHaveLength(requests().length - healthy);
      for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
      const forbidden = [
        canary,
        Buffer.from(canary).toString('base64').slice(0, -4),
        hashSecret(secret),
      ];
      const found = lines.filter((line) => forbidden.some((text) => line.includes(text)));
      expect(found.slice(0, 3)).toEqual([]);
      if (name === 'all is well') expect(issued).toBeGreaterThan(0);
    });
  },
);
