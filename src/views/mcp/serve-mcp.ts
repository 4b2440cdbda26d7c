import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { createMcpServer } from './create-mcp-server.js';
import { MessageGate } from './message-gate.js';
import type { McpSetting } from './tool.js';
import type { TextContext } from '../text/text-context.js';

const MOST_MESSAGE_BYTES = 4 * 1024 * 1024;
/** The gate hands on no longer messages, but perhaps more than one at once. */
const MOST_BUFFERED_BYTES = 4 * MOST_MESSAGE_BYTES;

export interface McpListeners {
  /** Something could not be read or written. */
  readonly onProblem: (message: string) => void;
  /** The client has gone, or the server was closed. */
  readonly onClose: () => void;
}

/** Where the client is. */
interface McpContext extends TextContext {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
}

/** Serves one client over stdin and stdout, until it goes. Returns a function that ends it. */
export function serveMcp(
  setting: McpSetting,
  { onProblem, onClose }: McpListeners,
  context: McpContext,
): () => Promise<void> {
  const { stdin, stdout } = context;
  const gate = gateFor(onProblem, context);
  const transport = new ClosingTransport(gate, stdout, () => {
    stdin.unpipe(gate).pause();
    onClose();
  });
  const connection = serveStdio(() => createMcpServer(setting, context), {
    transport,
    onerror: ({ message }) => onProblem(message),
  });
  return () => connection.close();
}

function gateFor(onProblem: McpListeners['onProblem'], { stdin, stdout }: McpContext): MessageGate {
  const gate = new MessageGate({
    mostMessageBytes: MOST_MESSAGE_BYTES,
    answer: (line) => new Promise((resolve) => stdout.write(line, () => resolve())),
    onRefused: (why) => onProblem(`refused: ${why}`),
  });
  stdin.on('error', ({ message }) => onProblem(message));
  stdin.on('close', () => gate.end());
  stdin.pipe(gate);
  return gate;
}

/** Says when it is over, for whatever reason. */
class ClosingTransport extends StdioServerTransport {
  readonly #onClose: () => void;

  constructor(gate: MessageGate, stdout: NodeJS.WriteStream, onClose: () => void) {
    super(gate, stdout, { maxBufferSize: MOST_BUFFERED_BYTES });
    this.#onClose = onClose;
  }

  override async close(): Promise<void> {
    await super.close();
    this.#onClose();
  }
}
