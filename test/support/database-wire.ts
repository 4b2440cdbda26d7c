import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A way to a server of Postgres that a test can cut, turn into a black hole, or lead elsewhere. */
export class DatabaseWire {
  readonly port: number;
  readonly #server;
  readonly #sockets = new Set<Socket>();
  #to: number;
  #isSilent = false;

  private constructor(server: ReturnType<typeof createServer>, port: number, to: number) {
    this.#server = server;
    this.port = port;
    this.#to = to;
    server.on('connection', (near) => this.#lead(near));
  }

  static async to(port: number): Promise<DatabaseWire> {
    const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port was given');
    return new DatabaseWire(server, address.port, port);
  }

  /** Swallows everything from now on, without a word to either side. */
  silence(): void {
    this.#isSilent = true;
  }

  /** Cuts all connections; the next ones lead to this port. */
  leadTo(port: number): void {
    this.#to = port;
    this.#isSilent = false;
    this.#cut();
  }

  close(): void {
    this.#cut();
    this.#server.close();
  }

  #cut(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  #lead(near: Socket): void {
    const far = connect({ port: this.#to, host: '127.0.0.1', allowHalfOpen: true });
    for (const [from, into] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from);
      from.on('data', (bytes) => void (this.#isSilent || into.write(bytes)));
      from.on('end', () => void (this.#isSilent || into.end()));
      from.on('error', () => into.destroy());
    }
  }
}
