import { request } from 'node:http';

export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Calls an address of the deployed API at the emulator, which finds the API by its host name. */
export function callDeployed(port: number, call: ApiRequest): Promise<ApiAnswer> {
  const url = new URL(call.url);
  const apiId = url.host.split('.')[0] ?? '';
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        method: call.method,
        path: url.pathname,
        headers: { ...call.headers, Host: `${apiId}.execute-api.localhost:${port}` },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({
            status: response.statusCode ?? 0,
            body: text === '' ? undefined : JSON.parse(text),
          });
        });
      },
    );
    sent.on('error', reject);
    sent.end(call.body);
  });
}
