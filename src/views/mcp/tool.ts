import type { CallToolResult, McpServer, ToolAnnotations } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { ConfigError, formatIssue, messageOf } from '../../model/errors.js';
import { systemErrorWords } from '../../model/system-error-words.js';
import { printable } from '../terminal/printable.js';

/** What the server was started with. */
export interface McpSetting {
  /** The folder whose runs are meant. */
  readonly cwd: string;
  /** The cookie of the iteration whose agent started the server; undefined outside of a loop. */
  readonly cookie?: string | undefined;
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
  readonly call: (given: z.output<S>) => Promise<ToolAnswer>;
}

/** Puts a tool among those of a server. */
export type Registration = (server: McpServer) => void;

/** A tool whose failure is an answer with one sentence, never the end of the connection. */
export function defineTool<S extends z.ZodObject>(tool: Tool<S>): Registration {
  const { name, title, description, input, annotations } = tool;
  const call = async (given: z.output<S>): Promise<CallToolResult> => {
    try {
      const { text, data } = await tool.call(given);
      return { content: [{ type: 'text', text }], structuredContent: plain(data) };
    } catch (error) {
      return { content: [{ type: 'text', text: whyNot(error) }], isError: true };
    }
  };
  const inputSchema: z.ZodObject = input;
  return (server) => {
    server.registerTool(name, { title, description, inputSchema, annotations }, (given) => call(given as z.output<S>));
  };
}

function whyNot(error: unknown): string {
  if (error instanceof ConfigError) return error.issues.map((issue) => printable(formatIssue(issue))).join('\n');
  return printable(systemErrorWords(messageOf(error)));
}

/** As it is on the wire: without what is undefined. */
function plain(data: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(data));
}
