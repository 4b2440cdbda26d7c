import { findGit } from '../../journal/second-home.js';
import { AGENT_PROGRAMS, type AgentProgram, FIRST_AGENT } from '../../setup/agent-programs.js';
import { findLogin } from '../../setup/find-login.js';
import { findSchema } from '../../setup/find-schema.js';
import { findTests } from '../../setup/find-tests.js';
import type { FoundTests } from '../../setup/found-tests.js';
import { ProjectFiles } from '../../setup/project-files.js';
import { findOutside } from '../../setup/outside-programs.js';
import { searchFrom } from './setup-place.js';

/** What was found by looking. */
export interface Seen {
  readonly tests: FoundTests | undefined;
  readonly installed: readonly AgentProgram[];
  /** The one to offer: installed and, as far as can be told, logged in. */
  readonly likely: AgentProgram;
  readonly schemaPath: string | undefined;
}

/** Looks at a project and at what is installed. Executes nothing. */
export function lookAround(folder: string, environment: NodeJS.ProcessEnv): Seen {
  const search = searchFrom(folder, environment);
  const installed = AGENT_PROGRAMS.filter(({ name }) => findOutside(name, search) !== undefined);
  const isUsable = ({ name: agent }: AgentProgram) =>
    findLogin({ agent, environment, home: search.home, platform: process.platform }).kind !== 'none';
  return {
    tests: findTests(new ProjectFiles(folder)),
    installed,
    likely: installed.find(isUsable) ?? installed[0] ?? FIRST_AGENT,
    schemaPath: findSchema(folder, findGit(folder)?.workTree ?? folder),
  };
}
