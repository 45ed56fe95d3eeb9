import { GET, POST } from './app/messages/route.ts';

declare const Bun: {
  serve(options: {
    readonly hostname: string;
    readonly port: number;
    readonly routes: Record<string, Record<string, (request: Request) => Promise<Response>>>;
  }): { readonly port: number };
};

const { port } = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env['PORT'] ?? 0),
  routes: { '/messages': { GET, POST } },
});
console.log(`listening on port ${port}`);
