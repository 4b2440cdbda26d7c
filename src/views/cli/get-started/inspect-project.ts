import { AGENTS } from '../../../agents/index.js';
import type { KnownAgent } from '../../../agents/known-agent.js';
import { findGit } from '../../../journal/run-places.js';
import { countBoxes } from '../../../observation/count-boxes.js';
import { findLogin, type Login } from '../../../setup/find-login.js';
import { findTests } from '../../../setup/find-tests.js';
import type { FoundTests } from '../../../setup/found-tests.js';
import { ProjectFiles } from '../../../setup/project-files.js';
import { findOutside } from '../../../setup/outside-programs.js';
import { searchFrom } from './setup-place.js';
import { dirname, join, relative } from 'node:path';

/** What was found by looking. */
export interface Seen {
  readonly tests: FoundTests | undefined;
  readonly installed: readonly KnownAgent[];
  /** The one to offer: installed and, as far as can be told, logged in. */
  readonly likely: KnownAgent;
  /** Who can review the work of this one: another agent with a login, or itself with a smaller model. */
  readonly reviewerOf: (agent: KnownAgent) => KnownAgent | undefined;
  /** Why that one. */
  readonly likelyWhy: string;
  readonly schemaPath: string | undefined;
  /** A list with boxes that are not checked yet. */
  readonly checklist?: { readonly path: string; readonly open: number } | undefined;
}

/** Looks at a project and at what is installed. Executes nothing. */
export function inspectProject(folder: string, environment: NodeJS.ProcessEnv): Seen {
  const search = searchFrom(folder, environment);
  const installed = AGENTS.filter(({ name }) => findOutside(name, search) !== undefined);
  const loginOf = (agent: KnownAgent) =>
    findLogin({ agent, environment, home: search.home, platform: process.platform }).kind;
  const choice = likelyAgent(installed, loginOf);
  const files = new ProjectFiles(folder);
  return {
    tests: findTests(files),
    checklist: findChecklist(files),
    installed,
    reviewerOf: (agent) => likelyReviewer(agent, installed, loginOf),
    ...choice,
    schemaPath: findSchema(folder, findGit(folder)?.workTree ?? folder),
  };
}

/** In lower case, the likeliest first. */
const LISTS = ['plan.md', 'fix_plan.md', 'todo.md'];

function findChecklist(files: ProjectFiles): Seen['checklist'] {
  const named = LISTS.flatMap((list) => files.names.filter((name) => name.toLowerCase() === list));
  for (const path of named.filter((name) => files.hasFile(name))) {
    const { checked, total } = countBoxes(files.text(path) ?? '');
    if (checked < total) return { path, open: total - checked };
  }
  return undefined;
}

/** A login that is known comes before one that may be there. */
function likelyAgent(
  installed: readonly KnownAgent[],
  loginOf: (agent: KnownAgent) => Login['kind'],
): Pick<Seen, 'likely' | 'likelyWhy'> {
  const known = installed.find((agent) => ['login', 'variable'].includes(loginOf(agent)));
  if (known !== undefined) return { likely: known, likelyWhy: 'the first one installed with a login' };
  const likely = installed.find((agent) => loginOf(agent) === 'unknown') ?? installed[0];
  if (likely === undefined) return { likely: AGENTS[0], likelyWhy: 'the default' };
  const whether = loginOf(likely) === 'unknown' ? '; this one may still be logged in' : '';
  return { likely, likelyWhy: `no login was found for any agent${whether}: ${likely.login.how}` };
}

/** Two agents of the same model make the same mistakes. */
function likelyReviewer(
  worker: KnownAgent,
  installed: readonly KnownAgent[],
  loginOf: (agent: KnownAgent) => Login['kind'],
): KnownAgent | undefined {
  const others = installed.filter((agent) => agent !== worker);
  return (
    others.find((agent) => ['login', 'variable'].includes(loginOf(agent))) ??
    installed.find((agent) => agent === worker && agent.smallModel !== undefined) ??
    others.find((agent) => loginOf(agent) === 'unknown')
  );
}

const SCHEMA = 'node_modules/pawl/dist/schema.json';

/** A relative path to the schema of the Pawl that the project has installed, here or at the top of its repository. */
function findSchema(folder: string, top: string): string | undefined {
  for (let here = folder; ; here = dirname(here)) {
    if (new ProjectFiles(here).hasFile(SCHEMA)) {
      const path = join(relative(folder, here), SCHEMA);
      return path.startsWith('.') ? path : `./${path}`;
    }
    if (here === top || here === dirname(here)) return undefined;
  }
}
