import { GET, POST } from './app/messages/route.ts';

declare const Deno: {
  serve(
    options: {
      readonly hostname: string;
      readonly port: number;
      readonly onListen: (address: { readonly port: number }) => void;
    },
    handle: (request: Request) => Promise<Response>,
  ): void;
};

const methods: Readonly<Record<string, typeof GET>> = { GET, POST };
Deno.serve(
  {
    hostname: '127.0.0.1',
    port: Number(process.env['PORT'] ?? 0),
    onListen: ({ port }) => console.log(`listening on port ${port}`),
  },
  (request) =>
    methods[request.method]?.(request) ?? Promise.resolve(new Response(null, { status: 405 })),
);
