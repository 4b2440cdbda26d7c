import { findGit } from '../../journal/second-home.js';
import { AGENT_PROGRAMS, type AgentProgram, FIRST_AGENT } from '../../setup/agent-programs.js';
import { findLogin, type Login } from '../../setup/find-login.js';
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
  /** Why that one. */
  readonly likelyWhy: string;
  readonly schemaPath: string | undefined;
}

/** Looks at a project and at what is installed. Executes nothing. */
export function lookAround(folder: string, environment: NodeJS.ProcessEnv): Seen {
  const search = searchFrom(folder, environment);
  const installed = AGENT_PROGRAMS.filter(({ name }) => findOutside(name, search) !== undefined);
  const loginOf = ({ name: agent }: AgentProgram) =>
    findLogin({ agent, environment, home: search.home, platform: process.platform }).kind;
  const choice = likelyAgent(installed, loginOf);
  return {
    tests: findTests(new ProjectFiles(folder)),
    installed,
    ...choice,
    schemaPath: findSchema(folder, findGit(folder)?.workTree ?? folder),
  };
}

/** A login that is known comes before one that may be there. */
function likelyAgent(
  installed: readonly AgentProgram[],
  loginOf: (agent: AgentProgram) => Login['kind'],
): Pick<Seen, 'likely' | 'likelyWhy'> {
  const known = installed.find((agent) => ['login', 'variable'].includes(loginOf(agent)));
  if (known !== undefined) return { likely: known, likelyWhy: 'the first one installed with a login' };
  const likely = installed.find((agent) => loginOf(agent) === 'unknown') ?? installed[0];
  if (likely === undefined) return { likely: FIRST_AGENT, likelyWhy: 'the default' };
  const whether = loginOf(likely) === 'unknown' ? 'this one may have one' : 'nor for this one';
  return { likely, likelyWhy: `no login was found for any agent, ${whether}: ${likely.login}` };
}
