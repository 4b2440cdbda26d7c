import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { createMcpServer } from './create-mcp-server.js';
import { MessageGate } from './message-gate.js';
import type { McpSetting } from './tool.js';

const MOST_MESSAGE_BYTES = 4 * 1024 * 1024;
/** The gate hands on no longer messages, but perhaps more than one at once. */
const MOST_BUFFERED_BYTES = 4 * MOST_MESSAGE_BYTES;

export interface McpListeners {
  /** Something could not be read or written. */
  readonly onProblem: (message: string) => void;
  /** The client has gone, or the server was closed. */
  readonly onClose: () => void;
}

/** Serves one client over stdin and stdout, until it goes. Returns a function that ends it. */
export function serveMcp(setting: McpSetting, { onProblem, onClose }: McpListeners): () => Promise<void> {
  const gate = gateFor(onProblem);
  const transport = new ClosingTransport(gate, () => {
    process.stdin.unpipe(gate).pause();
    onClose();
  });
  const connection = serveStdio(() => createMcpServer(setting), {
    transport,
    onerror: ({ message }) => onProblem(message),
  });
  return () => connection.close();
}

function gateFor(onProblem: McpListeners['onProblem']): MessageGate {
  const gate = new MessageGate({
    mostMessageBytes: MOST_MESSAGE_BYTES,
    answer: (line) => new Promise((resolve) => process.stdout.write(line, () => resolve())),
    onRefused: (why) => onProblem(`refused: ${why}`),
  });
  process.stdin.on('error', ({ message }) => onProblem(message));
  process.stdin.on('close', () => gate.end());
  process.stdin.pipe(gate);
  return gate;
}

/** Says when it is over, for whatever reason. */
class ClosingTransport extends StdioServerTransport {
  readonly #onClose: () => void;

  constructor(gate: MessageGate, onClose: () => void) {
    super(gate, process.stdout, { maxBufferSize: MOST_BUFFERED_BYTES });
    this.#onClose = onClose;
  }

  override async close(): Promise<void> {
    await super.close();
    this.#onClose();
  }
}
