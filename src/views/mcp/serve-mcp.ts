import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { createMcpServer } from './create-mcp-server.js';
import type { McpSetting } from './tool.js';

/** A message that is longer ends the connection. */
const MOST_MESSAGE_BYTES = 4 * 1024 * 1024;

export interface McpListeners {
  /** Something could not be read or written. */
  readonly onProblem: (message: string) => void;
  /** The client has gone, or the server was closed. */
  readonly onClose: () => void;
}

/** Serves one client over stdin and stdout, until it goes. Returns a function that ends it. */
export function serveMcp(setting: McpSetting, { onProblem, onClose }: McpListeners): () => Promise<void> {
  const transport = new ClosingTransport(onClose);
  const connection = serveStdio(() => createMcpServer(setting), {
    transport,
    onerror: ({ message }) => onProblem(message),
  });
  return () => connection.close();
}

/** Says when it is over, for whatever reason. */
class ClosingTransport extends StdioServerTransport {
  readonly #onClose: () => void;

  constructor(onClose: () => void) {
    super(process.stdin, process.stdout, { maxBufferSize: MOST_MESSAGE_BYTES });
    this.#onClose = onClose;
  }

  override async close(): Promise<void> {
    await super.close();
    this.#onClose();
  }
}
