import type { Answer, AskedRequest } from './step.js';

type Input = Readonly<Record<string, unknown>>;

/** What a model puts out: words, or the use of one tool. */
export type Output = { readonly text: string } | { readonly name: string; readonly input: Input };

/** Names that clients have for the same tool, and how each wants its input. */
const WRITERS: Readonly<Record<string, (path: string, content: string) => Input>> = {
  Write: (path, content) => ({ file_path: path, content }),
  write_file: (path, content) => ({ file_path: path, content }),
  // pi and opencode share the name of the tool, but not of the path.
  write: (path, content) => ({ path, filePath: path, content }),
  create: (path, content) => ({ path, file_text: content }),
};
const SHELLS: Readonly<Record<string, (command: string) => Input>> = {
  Bash: (command) => ({ command, description: 'Runs a command' }),
  bash: (command) => ({ command, description: 'Runs a command' }),
  run_shell_command: (command) => ({ command, description: 'Runs a command', is_background: false }),
  exec_command: (command) => ({ cmd: command }),
};

/** An answer in terms of the tools that the client declared. */
export function outputOf(answer: Answer, { tools }: AskedRequest): Output {
  if ('text' in answer) return answer;
  if ('tool' in answer) return answer.tool;
  if ('bash' in answer) {
    const name = tools.find((tool) => tool in SHELLS);
    return name === undefined ? noTool('run a command') : { name, input: SHELLS[name]?.(answer.bash) ?? {} };
  }
  const name = tools.find((tool) => tool in WRITERS);
  const { path, content } = answer.writeFile;
  return name === undefined ? noTool('write a file') : { name, input: WRITERS[name]?.(path, content) ?? {} };
}

/** A script that asks for the impossible shows in what the agent says. */
function noTool(what: string): Output {
  return { text: `The client declared no tool to ${what}.` };
}
