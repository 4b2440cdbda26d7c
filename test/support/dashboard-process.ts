import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A dashboard of the built command, spoken to as a browser does, or as no browser would. */
export class DashboardProcess {
  readonly child: ChildProcess;
  readonly exited: Promise<number | string | null>;
  url = '';
  port = 0;
  stderr = '';

  constructor(
    bin: string,
    words: readonly string[],
    options: { cwd: string; env: Record<string, string | undefined> },
  ) {
    this.child = spawn(process.execPath, [bin, 'ui', '--json', ...words], { ...options, stdio: 'pipe' });
    this.child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString('utf8')));
    this.exited = once(this.child, 'exit').then(([code, signal]) => (code ?? signal) as number | string | null);
  }

  async opened(): Promise<this> {
    const [line] = (await once(this.child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
    const { url, port } = JSON.parse(line.toString('utf8')) as { readonly url: string; readonly port: number };
    this.url = url;
    this.port = port;
    return this;
  }

  get token(): string {
    return new URL(this.url).searchParams.get('token') ?? '';
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** With the token, unless other headers are given for it. */
  ask(path: string, { method = 'GET', headers = {}, body }: Ask = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const all = { authorization: `Bearer ${this.token}`, ...headers };
      const known = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
      const sent = request({ host: '127.0.0.1', port: this.port, path, method, headers: known }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
        response.on('error', reject);
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  post(path: string, value: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const own = { origin: `http://${this.host}`, 'content-type': 'application/json', ...headers };
    return this.ask(path, { method: 'POST', headers: own, body: JSON.stringify(value) });
  }

  open(): Socket {
    return connect(this.port, '127.0.0.1').on('error', () => undefined);
  }

  /** What comes back for these bytes, until the other end closes or nothing comes for a while. */
  raw(bytes: string | Buffer, quietMs = 500): Promise<string> {
    return new Promise((resolve) => {
      const socket = this.open();
      let text = '';
      const end = () => {
        socket.destroy();
        resolve(text);
      };
      socket.setTimeout(quietMs, end);
      socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
      socket.on('close', end);
      socket.write(bytes);
    });
  }

  /** A stream of events, as it comes in. */
  stream(path: string, headers: Readonly<Record<string, string>> = {}) {
    let text = '';
    const sent = request(
      { host: '127.0.0.1', port: this.port, path, headers: { authorization: `Bearer ${this.token}`, ...headers } },
      (response) =>
        response.on('data', (chunk: Buffer) => (text += chunk.toString('utf8'))).on('error', () => undefined),
    ).on('error', () => undefined);
    sent.end();
    return { text: () => text, close: () => void sent.destroy() };
  }

  async end(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }
}
