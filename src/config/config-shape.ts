import { AGENT_NAMES, DEFAULT_AGENT, REVIEWER_NAMES } from '../agents/find-adapter.js';
import { DEFAULT_ANSWER_WAIT, DEFAULT_CALL_WAIT } from '../model/questions.js';
import { DEFAULT_MAX_WAIT } from '../model/wait-policy.js';
import { AGENTS_KEY } from './own-agent-shape.js';
import type * as z from 'zod/mini';
import { choice, conditions, key, leaf, mapping, named, object, required, shortForm } from './shape.js';

const CHECK_NAMES = {
  allowed: 'letters, digits, "_", "-" and ".", starting with a letter or digit',
  pattern: /^[A-Za-z0-9][\w.-]{0,63}$/,
};
const VARIABLE_NAMES = {
  allowed: 'letters, digits and "_", not starting with a digit',
  pattern: /^(?!__proto__$)[A-Za-z_]\w*$/,
};
const MODEL_NAMES = {
  allowed: 'a model name without spaces',
  pattern: /^(?!__proto__$)[!-~]{1,200}$/,
};

export const environment = named(VARIABLE_NAMES, leaf.variable);

const COMMAND = {
  command: required(leaf.command, 'The command line; a shell runs it.'),
  timeout: key(leaf.duration, 'Pawl kills it after this time.', '10m'),
};

const tests = shortForm('command', {
  ...COMMAND,
  report: key(
    leaf.innerPath,
    'A report that the command writes (JUnit XML, TAP or JSON), as a path or glob, read instead of the output.',
  ),
});

const HOOK = {
  command: required(leaf.command, 'The command line; a shell runs it, with the facts as JSON on its input.'),
  timeout: key(leaf.duration, 'Pawl kills it after this time.', '1m'),
};

const hook = shortForm('command', {
  ...HOOK,
  on_failure: key(
    choice('warn', 'block', 'pause'),
    'What happens if it fails: a warning, the end of the run, or a pause.',
    'warn',
  ),
});

const lastHook = shortForm('command', {
  ...HOOK,
  on_failure: key(
    choice('warn'),
    'What happens if it fails: a warning. The run is already ending and cannot be blocked or paused.',
    'warn',
  ),
});

export const agent = shortForm('name', {
  name: key(leaf.text, `One of ${AGENT_NAMES.join(', ')}, or of \`agents\`.`, DEFAULT_AGENT),
  command: key(leaf.words, 'The program and its own arguments; without a name it is the agent.'),
  args: key(leaf.arguments, 'Arguments added to every invocation.', []),
  model: key(leaf.model, 'The model, as the agent names it.'),
  env: key(environment, 'Environment variables for this agent.'),
  permissions: key(
    choice('edit', 'bypass', 'agent'),
    'What it may do without asking: edit files and run `allow`; everything; or what its own settings allow.',
    'edit',
  ),
  allow: key(leaf.arguments, 'Commands that it may run with `permissions: edit`.', []),
});

const session = mapping({
  mode: key(
    choice('continue', 'fresh'),
    'Continue one conversation until the redline, or start a new one each iteration.',
    'continue',
  ),
  timeout: key(leaf.duration, 'Replace a session older than this.', '1h'),
  persist: key(leaf.flag, 'Continue the session after a restart; false: a resumed run starts a new one.', true),
  state_dir: key(
    leaf.path,
    'A folder for one file per run that names its session, so that you can open it with the CLI of the agent.',
    '.ralph/sessions',
  ),
  claude_command: key(leaf.words, 'Another way to write `agent: { name: claude, command: ... }`.'),
  session_timeout: key(leaf.duration, 'Another name for `timeout`.'),
  persist_sessions: key(leaf.flag, 'Another name for `persist`.'),
});

const STOP_SHORTHANDS = {
  max_test_failure_streak: key(leaf.countOrNone, 'Replaces `test_failure_streak` under `failure`; 0 removes it.'),
  max_no_progress_iterations: key(leaf.countOrNone, 'The same as `no_progress`; 0 removes it.'),
  stop_on_patterns: key(
    leaf.anyTexts,
    'The run gives up when the agent says one of these or an error message contains it.',
  ),
  custom_scripts: key(leaf.anyTexts, 'The goal is met when one of these scripts exits 0.'),
};

const stop = mapping({
  success: key(
    conditions('success'),
    'The goals: the run is done when one of them is met. With tests and no goal: all_tests_pass.',
  ),
  failure: key(
    conditions('failure'),
    'When to give up. Without this list: no_progress 5, test_failure_streak 5, consecutive_failures 3, permission_denied 6.',
  ),
  limits: key(
    conditions('limits'),
    'What the run may use. max_iterations 25 is added unless you set one; max_iterations 0 removes it.',
  ),
  conditions: key(conditions('conditions'), 'More conditions; the type of each decides its class.'),
  stop_on_first: key(leaf.flag, 'Report only the first reason instead of all of them.', false),
  confirm: key(leaf.count, 'How many times a goal is checked before it counts.'),
  at_least: key(leaf.count, 'Ignore goals until this many iterations have ended.'),
  ...STOP_SHORTHANDS,
});

const review = shortForm('agent', {
  agent: key(
    leaf.text,
    `The agent that reviews: ${REVIEWER_NAMES.join(', ')}. Preferably not the model that does the work.`,
  ),
  command: key(
    leaf.words,
    'The program of the agent, or your own reviewer: it reads the evidence from its input and prints JSON.',
  ),
  args: key(leaf.arguments, 'Arguments added to every invocation.', []),
  model: key(leaf.model, 'The model, as the agent names it.'),
  env: key(environment, 'Environment variables for the reviewer.'),
  when: key(
    choice('goal', 'stuck'),
    'When the review runs: before a goal counts, or once when half of a streak without progress has passed.',
    'goal',
  ),
  every: key(leaf.count, 'Also review after every this many iterations.'),
  max_cost: key(leaf.usd, 'US dollars for all reviews of a run.', 1),
  timeout: key(leaf.duration, 'Ends a review after this time.', '5m'),
  goal: key(leaf.text, 'The goal in your own words. The review judges it.'),
});

const price = object({
  input: required(leaf.price, 'Input tokens.'),
  output: required(leaf.price, 'Output tokens.'),
  cache_read: key(leaf.price, 'Input tokens read from the cache.'),
  cache_write: key(leaf.price, 'Input tokens written to the cache.'),
  cache_write_hour: key(leaf.price, 'Input tokens written to a cache that is kept for an hour.'),
});

/** Every key of the config. The loader, the schema and the guide come from this table. */
export const CONFIG_KEYS = {
  working_dir: key(leaf.path, 'The folder the agent works in, relative to this file.', '.'),
  prompt_path: key(
    leaf.path,
    'The prompt file, read again before every iteration. Default: PROMPT.md, if it exists.',
    'prompt.md',
  ),
  prompt: key(leaf.text, 'The text of the prompt, instead of a file.'),
  agent: key(agent, 'The agent that does the work: a name, or a mapping.'),
  agents: AGENTS_KEY,
  env: key(environment, 'Environment variables for the agent.'),
  tests: key(tests, 'The command that runs the tests after each iteration.'),
  checks: key(named(CHECK_NAMES, shortForm('command', COMMAND)), 'Commands for `check_passes`, by name.'),
  review: key(
    review,
    'A second opinion from an agent or program that cannot see your folder. A goal counts only if it agrees.',
  ),
  stop: key(stop, 'When the run stops.'),
  stop_conditions: key(mapping(STOP_SHORTHANDS), 'Short forms, also accepted under `stop`.'),
  max_iterations: key(leaf.countOrNone, 'The limit with this name; 0 for no limit.', 25),
  max_cost_per_day: key(
    leaf.usd,
    'US dollars per day for all your runs on this machine. Only in your own config: no project can raise it.',
  ),
  iteration_delay: key(leaf.delay, 'The pause between iterations.', '5s'),
  iteration_timeout: key(leaf.duration, 'Ends an iteration after this time.', '30m'),
  idle_timeout: key(leaf.duration, 'Ends an iteration without output for this time.', '10m'),
  max_wait: key(leaf.duration, 'The longest wait for a usage limit or an overload.', DEFAULT_MAX_WAIT),
  questions: key(
    mapping({
      call_wait: key(leaf.delay, 'How long `ask_person` waits for an answer while the agent works.', DEFAULT_CALL_WAIT),
      max_wait: key(
        leaf.delay,
        'How long the run then waits for the answer before it ends as "needs you"; 0: it ends at once.',
        DEFAULT_ANSWER_WAIT,
      ),
    }),
    'Questions that the agent asks a person with the tool `ask_person`.',
  ),
  context_redline_percent: key(
    leaf.percent,
    'Starts a new session when more than this percentage of the context window is used.',
    85,
  ),
  attended_mode: key(leaf.flag, 'Ask before each iteration.', false),
  session: key(session, 'The conversation with the agent.'),
  hooks: key(
    mapping({
      before_iteration: key(hook, 'Runs before each iteration.'),
      after_iteration: key(hook, 'Runs after each iteration.'),
      on_stop: key(lastHook, 'Runs when the run ends.'),
      on_pause: key(hook, 'Runs when the run pauses.'),
      on_error: key(hook, 'Runs when an iteration fails.'),
    }),
    'Your own commands that run at certain moments.',
  ),
  commit: key(
    choice('never', 'iteration', 'end'),
    'Commit the work to your branch, as Pawl: after each iteration, or when the run ends.',
    'never',
  ),
  records: key(
    choice('home', 'project'),
    'Where the record of a run is kept: in your state home (`~/.local/state/pawl`), linked from `.ralph/runs`, or in `.ralph/runs` itself. Left out: the state home, unless it cannot be written or `CI` is set.',
  ),
  track_file_changes: key(leaf.flag, 'Track which files each iteration changed.', true),
  progress: key(
    mapping({
      also: key(
        leaf.arguments,
        'Files that git ignores or outside the folder, as globs, whose changes also count as progress.',
        [],
      ),
    }),
    'What counts as progress.',
  ),
  tests_may_change: key(
    leaf.arguments,
    'Globs of tests and test settings that the agent may change, also when the original tests run.',
    [],
  ),
  parse_tests: key(leaf.flag, 'Read test results from the output.', true),
  status_line: key(
    leaf.flag,
    'Ask the agent to end with a status line (`PAWL: DONE`, `CONTINUE` or `NEEDS ...`), and read what it claims.',
    true,
  ),
  notify: key(
    mapping({
      command: key(leaf.command, 'Runs when the run needs you or ends, with the facts as JSON.'),
      webhook: key(leaf.webAddress, 'The URL that the same facts are posted to.'),
      answers: key(
        leaf.flag,
        'Sends a question of the agent with a key, with which the receiver can answer it through `pawl ui`.',
      ),
    }),
    'Who is notified.',
  ),
  prices: key(named(MODEL_NAMES, price), 'US dollars per million tokens, by model.'),
};

/** A config as a file has it. */
export const CONFIG = mapping(CONFIG_KEYS);

/** A config, or a layer of one, after validation. */
export type ConfigValues = z.output<typeof CONFIG>;

export type StopValues = NonNullable<ConfigValues['stop']>;
