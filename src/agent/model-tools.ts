import type { ModelMessage, Tool, ToolSet } from 'ai';
import { ConfigError } from '../model/errors.js';

/** The tools as the model is shown them. It is Pawl that runs them, so that every result is on record first. */
export function modelTools(tools: ToolSet, messages: readonly ModelMessage[]): ToolSet {
  return Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => {
      const { execute: _execute, needsApproval: _approval, ...shown } = tool as Tool;
      return [name, { ...shown, ...quiet(tool as Tool, messages) }];
    }),
  );
}

type Callback = 'onInputStart' | 'onInputDelta' | 'onInputAvailable';

/** A callback that throws would lose an answer that is paid for. The SDK knows only the newest message. */
function quiet(tool: Tool, messages: readonly ModelMessage[]): Partial<Pick<Tool, Callback>> {
  const names = ['onInputStart', 'onInputDelta', 'onInputAvailable'] as const;
  return Object.fromEntries(
    names.flatMap((name) => {
      const callback = tool[name] as ((options: unknown) => unknown) | undefined;
      if (callback === undefined) return [];
      const guarded = async (options: object): Promise<void> => {
        try {
          await callback.call(tool, { ...options, messages: [...messages] });
        } catch {
          // No one waits for it.
        }
      };
      return [[name, guarded]];
    }),
  );
}

/** A tool that only a client could run would leave every turn without an end. Throws ConfigError. */
export function checkTools(tools: ToolSet): void {
  const issues = Object.entries(tools).flatMap(([name, tool]) => {
    const isRunnable = typeof tool.execute === 'function' || tool.type === 'provider';
    return isRunnable ? [] : [{ path: `tools.${name}`, message: 'it has no `execute`, and nothing else runs it here' }];
  });
  if (issues.length > 0) throw new ConfigError(issues);
}
