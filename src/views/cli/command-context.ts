import type { Environment } from '../../journal/run-places.js';
import type { ExitCode } from '../../model/exit-code.js';
import type { TextContext } from '../text/text-context.js';
import { createTerminal } from '../text/terminal.js';

/** What a command knows of the process that runs it. Commands read nothing else of it, so that a test can run one. */
export interface CommandContext extends TextContext {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** Sets up the JavaScript engine of the process, for a command that drives runs. */
  readonly tuneEngine: () => void;
}

/** What the parser of the command line hands to each command. */
export interface CommandSetting {
  readonly context: CommandContext;
  /** Takes the exit code of the command. */
  readonly end: (code: ExitCode) => void;
  /** The words after `--`: the agent's command. */
  readonly command?: readonly string[] | undefined;
}

/** As much of a process as a command uses. */
interface ProcessParts extends Pick<CommandContext, 'stdin' | 'stdout' | 'stderr'> {
  readonly env: Environment;
  readonly cwd: () => string;
}

/** The only place where a command's environment, streams and clock are read. */
export function createContext(process: ProcessParts, tuneEngine = () => {}): CommandContext {
  const { env: environment, stdin, stdout, stderr } = process;
  return {
    environment,
    // Read when it is needed: the directory can have been deleted.
    get cwd() {
      return process.cwd();
    },
    now: Date.now,
    stdin,
    stdout,
    stderr,
    terminal: createTerminal(stdout, stderr, environment),
    tuneEngine,
  };
}
