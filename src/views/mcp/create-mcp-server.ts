import { McpServer } from '@modelcontextprotocol/server';
import { createRedactor } from '../../journal/redact.js';
import { VERSION } from '../../version.js';
import { claimTools, isAgentCookie } from './claim-tools.js';
import { inspectionTools } from './inspection-tools.js';
import { startTool } from './start-tool.js';
import { steerTools } from './steer-tools.js';
import type { McpSetting } from './tool.js';
import type { TextContext } from '../text/text-context.js';

const INSTRUCTIONS =
  'Pawl runs coding agents in a loop and stops them by conditions. Use list_runs, run_status and explain_run to inspect runs, start_run to start a bounded run in the background, and steer_run, pause_run, unpause_run and stop_run to steer one.';

const INSIDE =
  ' You work inside such a run: call report_done with evidence when the task is complete, ask_person when you need a decision or a fact from a person, or report_blocked when you cannot continue without one.';

/** The server with its tools, for one client. */
export function createMcpServer(setting: McpSetting, context: TextContext): McpServer {
  const { cookie } = setting;
  const isInside = cookie !== undefined && isAgentCookie(cookie);
  const instructions = isInside ? `${INSTRUCTIONS}${INSIDE}` : INSTRUCTIONS;
  const server = new McpServer({ name: 'pawl', version: VERSION }, { capabilities: { tools: {} }, instructions });
  const tools = [
    ...inspectionTools(setting, context),
    startTool(setting, context),
    ...steerTools(setting, context),
    ...claimTools(setting, context),
  ];
  // What was no secret when it was recorded may be one now.
  const { text: clean } = createRedactor(context.environment);
  for (const register of tools) register(server, clean);
  withoutInherited(server);
  return server;
}

/** The SDK looks tools up by name in a plain object, which has names of its own: `constructor` is no tool. */
function withoutInherited(server: McpServer): void {
  const { _registeredTools: tools } = server as unknown as { readonly _registeredTools?: object };
  if (tools !== undefined) Object.setPrototypeOf(tools, null);
}
