import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HeardPost {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Status codes in order, the last one for ever; `hang`: no answer. */
export type Answers = readonly (number | 'hang' | { readonly redirectTo: string })[];

/** A real server on loopback that notes what is posted to it. */
export class WebListener {
  readonly posts: HeardPost[] = [];
  readonly #server: Server;
  readonly #answers: Answers;

  private constructor(answers: Answers) {
    this.#answers = answers;
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const answer = this.#answers[this.posts.length] ?? this.#answers.at(-1) ?? 200;
        const { url: path = '', headers } = request;
        this.posts.push({ path, headers, body: Buffer.concat(chunks).toString('utf8') });
        if (answer === 'hang') return;
        if (typeof answer === 'number') response.writeHead(answer).end('noted');
        else response.writeHead(307, { location: answer.redirectTo }).end();
      });
    });
  }

  static async open(...answers: Answers): Promise<WebListener> {
    const listener = new WebListener(answers);
    await new Promise<void>((resolve) => listener.#server.listen(0, '127.0.0.1', resolve));
    return listener;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook/s3cr3t-path`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
