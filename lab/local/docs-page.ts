import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { securityHeaders } from '../../contract/error-body.ts';
import type { GatewayRoute } from '../emulator/gateway/gateway-route.ts';

/** Where the local run shows the API's reference. No stack has it. */
export const docsPath = '/docs';

/** The folder of the page's files, next to the published code. */
const published = join(import.meta.dirname, 'reference');
const isPublished = existsSync(published);

const openapiFile = isPublished
  ? join(published, 'openapi.yaml')
  : join(import.meta.dirname, '../../docs/openapi.yaml');

/** The page is self-contained, and may call only the service that serves it. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'";

function readAsset(name: string): string {
  const path = isPublished
    ? join(published, name)
    : fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`));
  return readFileSync(path, 'utf8');
}

/** Text inside a script element. Only an end tag could end it early. */
function insideScript(text: string): string {
  return text.replaceAll(/<\/(script)/gi, String.raw`<\/$1`).replaceAll('<!--', String.raw`<\!--`);
}

/**
 * The API's reference as one HTML page, which needs no network.
 *
 * @param server address that the page tries requests at, in place of the document's own.
 */
async function renderDocsPage(server?: string): Promise<string> {
  const { parse } = await import('yaml');
  const document = parse(readFileSync(openapiFile, 'utf8')) as Readonly<Record<string, unknown>>;
  const spec = { ...document, ...(server !== undefined && { servers: [{ url: server }] }) };
  const settings = {
    spec,
    dom_id: '#page',
    deepLinking: true,
    // The default loads from a server on the internet.
    validatorUrl: 'none',
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
  };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Authorization server: API reference</title>
<style>${readAsset('swagger-ui.css')}</style>
</head>
<body>
<div id="page"></div>
<script>${insideScript(readAsset('swagger-ui-bundle.js'))}</script>
<script>SwaggerUIBundle(${insideScript(JSON.stringify(settings))});</script>
</body>
</html>
`;
}

/** Rendered at the first request, so the start does not wait for it. */
export function createDocsRoute(deploymentName: string, issuer: string): GatewayRoute {
  let page: Promise<string> | undefined;
  return {
    path: docsPath,
    functionName: `${deploymentName}-docs`,
    handler: async ({ httpMethod }) => {
      page ??= renderDocsPage(issuer);
      const headers = {
        ...securityHeaders,
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': contentSecurityPolicy,
      };
      return { statusCode: 200, headers, body: httpMethod === 'HEAD' ? '' : await page };
    },
  };
}
