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
  allowed: 'letters, digits, "_", "-" and ".", beginning with a letter or digit',
  pattern: /^[A-Za-z0-9][\w.-]{0,63}$/,
};
const VARIABLE_NAMES: NameRule = {
  allowed: 'letters, digits and "_", not beginning with a digit',
  pattern: /^(?!__proto__$)[A-Za-z_]\w*$/,
};
const MODEL_NAMES: NameRule = {
  allowed: 'a model name without spaces',
  pattern: /^(?!__proto__$)[!-~]{1,200}$/,
};

const environment = named(VARIABLE_NAMES, leaf('variable'));

const COMMAND = {
  command: { shape: leaf('command'), about: 'The command line; a shell runs it.', required: true },
  timeout: { shape: leaf('duration'), about: 'It is killed after this time.', default: '10m' },
} as const satisfies Keys;

const tests = shortForm('command', {
  ...COMMAND,
  report: {
    shape: leaf('inner-path'),
    about:
      'A report that the command writes, as a path or glob: JUnit XML, TAP or JSON. It is read in place of the output.',
  },
});

const HOOK = {
  command: {
    shape: leaf('command'),
    about: 'The command line; a shell runs it, with the facts as JSON on its input.',
    required: true,
  },
  timeout: { shape: leaf('duration'), about: 'It is killed after this time.', default: '1m' },
} as const satisfies Keys;

const hook = shortForm('command', {
  ...HOOK,
  on_failure: {
    shape: choice('warn', 'block', 'pause'),
    about: 'What its failure does: a warning, the end of the run, or a pause.',
    default: 'warn',
  },
});

const lastHook = shortForm('command', {
  ...HOOK,
  on_failure: {
    shape: choice('warn'),
    about: 'What its failure does: a warning. The run ends already, and cannot be blocked or paused.',
    default: 'warn',
  },
});

const agent = shortForm('name', {
  name: {
    shape: leaf('text'),
    about: `Which agent: ${AGENT_NAMES.join(', ')}, or one of \`agents\`.`,
    default: DEFAULT_AGENT,
  },
  command: { shape: leaf('words'), about: 'The program and its own arguments; without a name it is the agent.' },
  args: { shape: leaf('arguments'), about: 'Arguments added to every invocation.', default: [] },
  model: { shape: leaf('model'), about: 'The model, by the name that the agent has for it.' },
  env: { shape: environment, about: 'Environment variables for this agent.' },
  permissions: {
    shape: choice('edit', 'bypass', 'agent'),
    about: 'What it may do unasked: edit files and run what is under `allow`; everything; or what it was set up for.',
    default: 'edit',
  },
  allow: { shape: leaf('arguments'), about: 'Commands that it may run under `permissions: edit`.', default: [] },
});

const session = mapping({
  mode: {
    shape: choice('continue', 'fresh'),
    about: 'Keep one conversation until the redline, or start anew each iteration.',
    default: 'continue',
  },
  timeout: { shape: leaf('duration'), about: 'An older session is replaced at the next iteration.', default: '1h' },
  persist: {
    shape: leaf('flag'),
    about: 'Continue the session after a restart; false: a resumed run begins a fresh one.',
    default: true,
  },
  state_dir: {
    shape: leaf('path'),
    about: 'The folder for a file per run that names its session, to open it with the CLI of the agent.',
    default: '.ralph/sessions',
  },
  claude_command: { shape: leaf('words'), about: 'Another way to write `agent: { name: claude, command: ... }`.' },
  session_timeout: { shape: leaf('duration'), about: 'Another name of `timeout`.' },
  persist_sessions: { shape: leaf('flag'), about: 'Another name of `persist`.' },
});

const STOP_SHORTHANDS = {
  max_test_failure_streak: {
    shape: leaf('count-or-none'),
    about: 'Takes the place of `test_failure_streak` under `failure`; 0 removes it.',
  },
  max_no_progress_iterations: {
    shape: leaf('count-or-none'),
    about: 'Takes the place of `no_progress` under `failure`; 0 removes it.',
  },
  stop_on_patterns: {
    shape: leaf('any-texts'),
    about: 'Each is a failure when the agent says it or an error message holds it.',
  },
  custom_scripts: { shape: leaf('any-texts'), about: 'Each is a success when the script exits 0.' },
} as const satisfies Keys;

const stop = mapping({
  success: {
    shape: conditions('success'),
    about: 'The goals: any of them that is met ends the run with success. With tests and no goal: all_tests_pass.',
  },
  failure: {
    shape: conditions('failure'),
    about:
      'What means that it will not work out. Without this list: no_progress 5, test_failure_streak 5, consecutive_failures 3, permission_denied 6.',
  },
  limits: {
    shape: conditions('limits'),
    about: 'What the run may use up. max_iterations 25 is added unless one is written; max_iterations 0 removes it.',
  },
  conditions: { shape: conditions('conditions'), about: 'Conditions that take the class of their kind.' },
  stop_on_first: { shape: leaf('flag'), about: 'Report only the first reason instead of every one.', default: false },
  confirm: { shape: leaf('count'), about: 'How often a goal is checked before it counts.' },
  at_least: { shape: leaf('count'), about: 'Goals count only after this many iterations.' },
  ...STOP_SHORTHANDS,
});

const review = shortForm('agent', {
  agent: {
    shape: leaf('text'),
    about: `Which agent is asked: ${REVIEWER_NAMES.join(', ')}. Best not the model that does the work.`,
  },
  command: {
    shape: leaf('words'),
    about:
      'The program of the agent, or without `agent` a reviewer of your own: it gets the evidence on its input and prints JSON.',
  },
  args: { shape: leaf('arguments'), about: 'Arguments added to every invocation.', default: [] },
  model: { shape: leaf('model'), about: 'The model, by the name that the agent has for it.' },
  env: { shape: environment, about: 'Environment variables for the reviewer.' },
  when: {
    shape: choice('goal', 'stuck'),
    about: 'When it is asked: before a goal counts, or once when half of a streak without progress is used up.',
    default: 'goal',
  },
  every: { shape: leaf('count'), about: 'It is also asked after every so many iterations.' },
  max_cost: { shape: leaf('usd'), about: 'US dollars for all reviews of a run. Then the run needs you.', default: 1 },
  timeout: { shape: leaf('duration'), about: 'A review is ended after this time.', default: '5m' },
  goal: { shape: leaf('text'), about: 'What is to be reached, in your words. The review judges it.' },
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
  working_dir: { shape: leaf('path'), about: 'Where the agent works; from the place of this file.', default: '.' },
  prompt_path: {
    shape: leaf('path'),
    about: 'The prompt, read anew every iteration. PROMPT.md if there is one.',
    default: 'prompt.md',
  },
  prompt: { shape: leaf('text'), about: 'The prompt itself, in place of a file.' },
  agent: { shape: agent, about: 'What does the work: a name, or a mapping.' },
  agents: AGENTS_KEY,
  env: { shape: environment, about: 'Environment variables for the agent.' },
  tests: { shape: tests, about: 'The command that runs the tests after each iteration.' },
  checks: { shape: named(CHECK_NAMES, shortForm('command', COMMAND)), about: 'Commands for `check_passes`, by name.' },
  review: {
    shape: review,
    about:
      'A second opinion on the work, by an agent or a program that does not see your folder. A goal counts only with it.',
  },
  stop: { shape: stop, about: 'When the run stops.' },
  stop_conditions: { shape: mapping(STOP_SHORTHANDS), about: 'The short forms, also accepted under `stop`.' },
  max_iterations: { shape: leaf('count-or-none'), about: 'The limit of that name; 0 for no limit.', default: 25 },
  max_cost_per_day: {
    shape: leaf('usd'),
    about: 'US dollars a day over all your runs on this machine. Only in your own config: no project may raise it.',
  },
  iteration_delay: { shape: leaf('delay'), about: 'The pause between two iterations.', default: '5s' },
  iteration_timeout: { shape: leaf('duration'), about: 'An iteration is ended after this time.', default: '30m' },
  idle_timeout: {
    shape: leaf('duration'),
    about: 'So is one whose agent shows nothing for this time.',
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
        about: 'How long the run then waits for the answer, before it ends as needs you; 0: it ends at once.',
        default: DEFAULT_ANSWER_WAIT,
      },
    }),
    about: 'Questions of the agent to a person, by the tool `ask_person`.',
  },
  context_redline_percent: {
    shape: leaf('percent'),
    about: 'Above this use of the context window the session is replaced by a fresh one.',
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
    about: 'Commands of your own at certain moments.',
  },
  commit: {
    shape: choice('never', 'iteration', 'end'),
    about: 'Commit the work to your branch, as Pawl: after each iteration, or when the run ends.',
    default: 'never',
  },
  track_file_changes: { shape: leaf('flag'), about: 'Look at what each iteration changed.', default: true },
  progress: {
    shape: mapping({
      also: {
        shape: leaf('arguments'),
        about: 'Paths or globs of files that git ignores, or outside the folder, whose changes are progress, too.',
        default: [],
      },
    }),
    about: 'What counts as progress.',
  },
  tests_may_change: {
    shape: leaf('arguments'),
    about: 'Globs of tests and test settings that the agent may change. The original tests do not put them back.',
    default: [],
  },
  parse_tests: { shape: leaf('flag'), about: 'Read test results from output.', default: true },
  status_line: {
    shape: leaf('flag'),
    about:
      'Ask the agent to end with a status line (`PAWL: DONE`, `CONTINUE` or `NEEDS ...`), and read what it claims.',
    default: true,
  },
  notify: {
    shape: mapping({
      command: { shape: leaf('command'), about: 'Runs when the run needs you or ends, with the facts as JSON.' },
      webhook: { shape: leaf('web-address'), about: 'The same facts are posted here.' },
      answers: {
        shape: leaf('flag'),
        about: 'A question of the agent is sent with a key, by which the receiver can answer it through `pawl ui`.',
      },
    }),
    about: 'Who is told.',
  },
  prices: { shape: named(MODEL_NAMES, price), about: 'US dollars per million tokens, by model.' },
} as const satisfies Keys;

/** A config, or a layer of one, after validation. */
export type ConfigValues = ValuesOf<typeof CONFIG_KEYS>;

export type StopValues = NonNullable<ConfigValues['stop']>;
