import { AGENT_NAMES, DEFAULT_AGENT, REVIEWER_NAMES } from '../agents/find-adapter.js';
import { DEFAULT_ANSWER_WAIT, DEFAULT_CALL_WAIT } from '../model/questions.js';
import { DEFAULT_MAX_WAIT } from '../model/wait-policy.js';
import { AGENTS_KEY } from './own-agent-shape.js';
import {
  choice,
  conditions,
  type Keys,
  leaf,
  mapping,
  named,
  type NameRule,
  shortForm,
  type ValuesOf,
} from './shape.js';

const CHECK_NAMES: NameRule = {
  allowed: 'letters, digits, "_", "-" and ".", starting with a letter or digit',
  pattern: /^[A-Za-z0-9][\w.-]{0,63}$/,
};
const VARIABLE_NAMES: NameRule = {
  allowed: 'letters, digits and "_", not starting with a digit',
  pattern: /^(?!__proto__$)[A-Za-z_]\w*$/,
};
const MODEL_NAMES: NameRule = {
  allowed: 'a model name without spaces',
  pattern: /^(?!__proto__$)[!-~]{1,200}$/,
};

const environment = named(VARIABLE_NAMES, leaf('variable'));

const COMMAND = {
  command: { shape: leaf('command'), about: 'The command line; a shell runs it.', required: true },
  timeout: { shape: leaf('duration'), about: 'Pawl kills it after this time.', default: '10m' },
} as const satisfies Keys;

const tests = shortForm('command', {
  ...COMMAND,
  report: {
    shape: leaf('inner-path'),
    about: 'A report that the command writes (JUnit XML, TAP or JSON), as a path or glob, read instead of the output.',
  },
});

const HOOK = {
  command: {
    shape: leaf('command'),
    about: 'The command line; a shell runs it, with the facts as JSON on its input.',
    required: true,
  },
  timeout: { shape: leaf('duration'), about: 'Pawl kills it after this time.', default: '1m' },
} as const satisfies Keys;

const hook = shortForm('command', {
  ...HOOK,
  on_failure: {
    shape: choice('warn', 'block', 'pause'),
    about: 'What happens if it fails: a warning, the end of the run, or a pause.',
    default: 'warn',
  },
});

const lastHook = shortForm('command', {
  ...HOOK,
  on_failure: {
    shape: choice('warn'),
    about: 'What happens if it fails: a warning. The run is already ending and cannot be blocked or paused.',
    default: 'warn',
  },
});

const agent = shortForm('name', {
  name: {
    shape: leaf('text'),
    about: `One of ${AGENT_NAMES.join(', ')}, or of \`agents\`.`,
    default: DEFAULT_AGENT,
  },
  command: { shape: leaf('words'), about: 'The program and its own arguments; without a name it is the agent.' },
  args: { shape: leaf('arguments'), about: 'Arguments added to every invocation.', default: [] },
  model: { shape: leaf('model'), about: 'The model, as the agent names it.' },
  env: { shape: environment, about: 'Environment variables for this agent.' },
  permissions: {
    shape: choice('edit', 'bypass', 'agent'),
    about: 'What it may do without asking: edit files and run `allow`; everything; or what its own settings allow.',
    default: 'edit',
  },
  allow: { shape: leaf('arguments'), about: 'Commands that it may run with `permissions: edit`.', default: [] },
});

const session = mapping({
  mode: {
    shape: choice('continue', 'fresh'),
    about: 'Continue one conversation until the redline, or start a new one each iteration.',
    default: 'continue',
  },
  timeout: { shape: leaf('duration'), about: 'Replace a session older than this.', default: '1h' },
  persist: {
    shape: leaf('flag'),
    about: 'Continue the session after a restart; false: a resumed run starts a new one.',
    default: true,
  },
  state_dir: {
    shape: leaf('path'),
    about: 'A folder for one file per run that names its session, so that you can open it with the CLI of the agent.',
    default: '.ralph/sessions',
  },
  claude_command: { shape: leaf('words'), about: 'Another way to write `agent: { name: claude, command: ... }`.' },
  session_timeout: { shape: leaf('duration'), about: 'Another name for `timeout`.' },
  persist_sessions: { shape: leaf('flag'), about: 'Another name for `persist`.' },
});

const STOP_SHORTHANDS = {
  max_test_failure_streak: {
    shape: leaf('count-or-none'),
    about: 'Replaces `test_failure_streak` under `failure`; 0 removes it.',
  },
  max_no_progress_iterations: {
    shape: leaf('count-or-none'),
    about: 'The same as `no_progress`; 0 removes it.',
  },
  stop_on_patterns: {
    shape: leaf('any-texts'),
    about: 'The run gives up when the agent says one of these or an error message contains it.',
  },
  custom_scripts: { shape: leaf('any-texts'), about: 'The goal is met when one of these scripts exits 0.' },
} as const satisfies Keys;

const stop = mapping({
  success: {
    shape: conditions('success'),
    about: 'The goals: the run is done when one of them is met. With tests and no goal: all_tests_pass.',
  },
  failure: {
    shape: conditions('failure'),
    about:
      'When to give up. Without this list: no_progress 5, test_failure_streak 5, consecutive_failures 3, permission_denied 6.',
  },
  limits: {
    shape: conditions('limits'),
    about: 'What the run may use. max_iterations 25 is added unless you set one; max_iterations 0 removes it.',
  },
  conditions: { shape: conditions('conditions'), about: 'More conditions; the type of each decides its class.' },
  stop_on_first: { shape: leaf('flag'), about: 'Report only the first reason instead of all of them.', default: false },
  confirm: { shape: leaf('count'), about: 'How many times a goal is checked before it counts.' },
  at_least: { shape: leaf('count'), about: 'Ignore goals until this many iterations have ended.' },
  ...STOP_SHORTHANDS,
});

const review = shortForm('agent', {
  agent: {
    shape: leaf('text'),
    about: `The agent that reviews: ${REVIEWER_NAMES.join(', ')}. Preferably not the model that does the work.`,
  },
  command: {
    shape: leaf('words'),
    about: 'The program of the agent, or your own reviewer: it reads the evidence from its input and prints JSON.',
  },
  args: { shape: leaf('arguments'), about: 'Arguments added to every invocation.', default: [] },
  model: { shape: leaf('model'), about: 'The model, as the agent names it.' },
  env: { shape: environment, about: 'Environment variables for the reviewer.' },
  when: {
    shape: choice('goal', 'stuck'),
    about: 'When the review runs: before a goal counts, or once when half of a streak without progress has passed.',
    default: 'goal',
  },
  every: { shape: leaf('count'), about: 'Also review after every this many iterations.' },
  max_cost: { shape: leaf('usd'), about: 'US dollars for all reviews of a run.', default: 1 },
  timeout: { shape: leaf('duration'), about: 'Ends a review after this time.', default: '5m' },
  goal: { shape: leaf('text'), about: 'The goal in your own words. The review judges it.' },
});

const price = mapping({
  input: { shape: leaf('price'), about: 'Input tokens.', required: true },
  output: { shape: leaf('price'), about: 'Output tokens.', required: true },
  cache_read: { shape: leaf('price'), about: 'Input tokens read from the cache.' },
  cache_write: { shape: leaf('price'), about: 'Input tokens written to the cache.' },
  cache_write_hour: { shape: leaf('price'), about: 'Input tokens written to a cache that is kept for an hour.' },
});

/** Every key of the config. The loader, the schema and the guide come from this table. */
export const CONFIG_KEYS = {
  working_dir: { shape: leaf('path'), about: 'The folder the agent works in, relative to this file.', default: '.' },
  prompt_path: {
    shape: leaf('path'),
    about: 'The prompt file, read again before every iteration. Default: PROMPT.md, if it exists.',
    default: 'prompt.md',
  },
  prompt: { shape: leaf('text'), about: 'The text of the prompt, instead of a file.' },
  agent: { shape: agent, about: 'The agent that does the work: a name, or a mapping.' },
  agents: AGENTS_KEY,
  env: { shape: environment, about: 'Environment variables for the agent.' },
  tests: { shape: tests, about: 'The command that runs the tests after each iteration.' },
  checks: { shape: named(CHECK_NAMES, shortForm('command', COMMAND)), about: 'Commands for `check_passes`, by name.' },
  review: {
    shape: review,
    about: 'A second opinion from an agent or program that cannot see your folder. A goal counts only if it agrees.',
  },
  stop: { shape: stop, about: 'When the run stops.' },
  stop_conditions: { shape: mapping(STOP_SHORTHANDS), about: 'Short forms, also accepted under `stop`.' },
  max_iterations: { shape: leaf('count-or-none'), about: 'The limit with this name; 0 for no limit.', default: 25 },
  max_cost_per_day: {
    shape: leaf('usd'),
    about: 'US dollars per day for all your runs on this machine. Only in your own config: no project can raise it.',
  },
  iteration_delay: { shape: leaf('delay'), about: 'The pause between iterations.', default: '5s' },
  iteration_timeout: { shape: leaf('duration'), about: 'Ends an iteration after this time.', default: '30m' },
  idle_timeout: {
    shape: leaf('duration'),
    about: 'Ends an iteration without output for this time.',
    default: '10m',
  },
  max_wait: {
    shape: leaf('duration'),
    about: 'The longest wait for a usage limit or an overload.',
    default: DEFAULT_MAX_WAIT,
  },
  questions: {
    shape: mapping({
      call_wait: {
        shape: leaf('delay'),
        about: 'How long `ask_person` waits for an answer while the agent works.',
        default: DEFAULT_CALL_WAIT,
      },
      max_wait: {
        shape: leaf('delay'),
        about: 'How long the run then waits for the answer before it ends as "needs you"; 0: it ends at once.',
        default: DEFAULT_ANSWER_WAIT,
      },
    }),
    about: 'Questions that the agent asks a person with the tool `ask_person`.',
  },
  context_redline_percent: {
    shape: leaf('percent'),
    about: 'Starts a new session when more than this percentage of the context window is used.',
    default: 85,
  },
  attended_mode: { shape: leaf('flag'), about: 'Ask before each iteration.', default: false },
  session: { shape: session, about: 'The conversation with the agent.' },
  hooks: {
    shape: mapping({
      before_iteration: { shape: hook, about: 'Runs before each iteration.' },
      after_iteration: { shape: hook, about: 'Runs after each iteration.' },
      on_stop: { shape: lastHook, about: 'Runs when the run ends.' },
      on_pause: { shape: hook, about: 'Runs when the run pauses.' },
      on_error: { shape: hook, about: 'Runs when an iteration fails.' },
    }),
    about: 'Your own commands that run at certain moments.',
  },
  commit: {
    shape: choice('never', 'iteration', 'end'),
    about: 'Commit the work to your branch, as Pawl: after each iteration, or when the run ends.',
    default: 'never',
  },
  track_file_changes: { shape: leaf('flag'), about: 'Track which files each iteration changed.', default: true },
  progress: {
    shape: mapping({
      also: {
        shape: leaf('arguments'),
        about: 'Files that git ignores or outside the folder, as globs, whose changes also count as progress.',
        default: [],
      },
    }),
    about: 'What counts as progress.',
  },
  tests_may_change: {
    shape: leaf('arguments'),
    about: 'Globs of tests and test settings that the agent may change, also when the original tests run.',
    default: [],
  },
  parse_tests: { shape: leaf('flag'), about: 'Read test results from the output.', default: true },
  status_line: {
    shape: leaf('flag'),
    about:
      'Ask the agent to end with a status line (`PAWL: DONE`, `CONTINUE` or `NEEDS ...`), and read what it claims.',
    default: true,
  },
  notify: {
    shape: mapping({
      command: { shape: leaf('command'), about: 'Runs when the run needs you or ends, with the facts as JSON.' },
      webhook: { shape: leaf('web-address'), about: 'The URL that the same facts are posted to.' },
      answers: {
        shape: leaf('flag'),
        about: 'Sends a question of the agent with a key, with which the receiver can answer it through `pawl ui`.',
      },
    }),
    about: 'Who is notified.',
  },
  prices: { shape: named(MODEL_NAMES, price), about: 'US dollars per million tokens, by model.' },
} as const satisfies Keys;

/** A config, or a layer of one, after validation. */
export type ConfigValues = ValuesOf<typeof CONFIG_KEYS>;

export type StopValues = NonNullable<ConfigValues['stop']>;
