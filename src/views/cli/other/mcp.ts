import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError } from '../../../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import { insideRun } from '../../../setup/inside-run.js';
import { isAgentCookie } from '../../mcp/claim-tools.js';
import { serveMcp } from '../../mcp/serve-mcp.js';
import { quote } from '../../../model/figures.js';
import { oneLine } from '../../../words/printable.js';
import type { CommandContext } from '../command-context.js';

/** A client that sends garbage does not fill a log. */
const MOST_PROBLEMS = 10;

export interface McpOptions {
  readonly cwd?: string;
  readonly allowStart?: boolean;
}

/** Serves MCP over stdin and stdout until the client goes or someone ends it. */
export async function mcpCommand({ cwd, allowStart = false }: McpOptions, context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  const folder = folderIn(context, cwd);
  if (context.stdin.isTTY) for (const line of HINT) terminal.note(line);
  const { cookie } = insideRun(context.environment);
  const claimKey = context.environment['PAWL_CLAIM_KEY'] || undefined;
  if (cookie !== undefined && !isAgentCookie(cookie)) terminal.note(`pawl mcp: ${noIteration(cookie)}`);
  let problems = 0;
  const onProblem = (message: string) => {
    problems += 1;
    if (problems <= MOST_PROBLEMS) terminal.note(`pawl mcp: ${oneLine(message, 200)}`);
  };
  await new Promise<void>((onClose) => {
    const close = serveMcp({ cwd: folder, cookie, claimKey, allowStart }, { onProblem, onClose }, context);
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => void close());
  });
  return EXIT_CODES.goal;
}

function noIteration(cookie: string): string {
  return `PAWL_COOKIE is ${quote(cookie, 60)}, which names no iteration of a run: report_done, report_blocked and ask_person are not offered`;
}

const HINT = [
  'pawl mcp speaks the Model Context Protocol over stdin and stdout: it is started by a client, not by hand.',
  'Register it with Claude Code: claude mcp add pawl -- pawl mcp',
  'Ctrl-C ends it.',
];

/** Throws ConfigError when it is not a directory. */
function folderIn(context: CommandContext, cwd = '.'): string {
  const folder = resolve(context.cwd, cwd);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
  throw new ConfigError([{ path: '', place: '--cwd', message: `${JSON.stringify(folder)} is not a directory` }]);
}
