import type { CallToolResult, McpServer, ToolAnnotations } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { ConfigError, formatIssue, messageOf } from '../../model/errors.js';
import { systemErrorWords } from '../../model/system-error-words.js';
import { printable } from '../../words/printable.js';

/** What the server was started with. */
export interface McpSetting {
  /** The folder whose runs are meant. */
  readonly cwd: string;
  /** The cookie of whatever of a run started the server, its agent as a rule; undefined outside of a loop. */
  readonly cookie?: string | undefined;
  /** By which a claim is known to come from that agent. */
  readonly claimKey?: string | undefined;
  /** Inside of a loop, too, runs may be started. */
  readonly allowStart: boolean;
}

/** What a tool says: to a model in words, to a program as data. */
export interface ToolAnswer {
  readonly text: string;
  readonly data: object;
}

export interface Tool<S extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: S;
  readonly annotations: ToolAnnotations;
  /** Throws what a person is told in words. */
  readonly call: (given: z.output<S>, signal: AbortSignal) => Promise<ToolAnswer>;
}

/** Puts a tool among those of a server. Every text of its answers goes through `clean`. */
export type Registration = (server: McpServer, clean: (text: string) => string) => void;

/** A tool whose failure is an answer with one sentence, never the end of the connection. */
export function defineTool<S extends z.ZodObject>(tool: Tool<S>): Registration {
  const { name, title, description, input, annotations } = tool;
  const call = async (
    given: z.output<S>,
    signal: AbortSignal,
    clean: (text: string) => string,
  ): Promise<CallToolResult> => {
    try {
      const { text, data } = await tool.call(given, signal);
      return { content: [{ type: 'text', text: clean(text) }], structuredContent: plain(data, clean) };
    } catch (error) {
      return { content: [{ type: 'text', text: clean(whyNot(error)) }], isError: true };
    }
  };
  const inputSchema: z.ZodObject = input;
  return (server, clean) => {
    const about = { title, description, inputSchema, annotations };
    server.registerTool(name, about, (given, { mcpReq }) => call(given as z.output<S>, mcpReq.signal, clean));
  };
}

function whyNot(error: unknown): string {
  if (error instanceof ConfigError) return error.issues.map((issue) => printable(formatIssue(issue))).join('\n');
  return printable(systemErrorWords(messageOf(error)));
}

/** As it is on the wire: without what is undefined. */
function plain(data: object, clean: (text: string) => string): Record<string, unknown> {
  return JSON.parse(JSON.stringify(data), (_, value: unknown) => (typeof value === 'string' ? clean(value) : value));
}
