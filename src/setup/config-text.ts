import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'yaml';
import { AGENTS } from '../agents/index.js';
import { DEFAULT_PATIENCE } from '../config/default-policy.js';
import { DEFAULT_REVIEW_COST_USD, DONE_FILE, type SetupChoices } from './setup-choices.js';

/** Where what is said of a line begins. */
const ABOUT_COLUMN = 34;

/** A `pawl.yaml` that says why each of its lines is there, and what else there is. */
export function configText(choices: SetupChoices): string {
  return [
    ...schemaLines(choices),
    '# What Pawl runs, and when it stops. `pawl check` explains it in sentences, `pawl run --dry-run` shows a run.',
    '',
    ...agentLines(choices),
    '',
    '# Pawl reads it again in every iteration, so you can improve it during a run.',
    `prompt_path: ${yamlText(choices.promptPath)}`,
    '',
    ...testLines(choices),
    '',
    ...reviewLines(choices),
    'stop:',
    ...goalLines(choices),
    '',
    ...failureLines(choices),
    '',
    ...limitLines(choices),
    '',
    ...otherLines(choices),
    '',
  ].join('\n');
}

function schemaLines({ schemaPath }: SetupChoices): readonly string[] {
  if (schemaPath !== undefined && isOneLine(schemaPath)) return [`# yaml-language-server: $schema=${schemaPath}`];
  return [
    '# For completion in an editor: `pawl check --schema > pawl.schema.json`, and as the first line of this file',
    '#   # yaml-language-server: $schema=pawl.schema.json',
  ];
}

/** The commands that the agent may run. */
export function allowedCommands({ tests, agent }: SetupChoices): readonly string[] {
  return agent.hasAllow && tests !== undefined && isOneCommand(tests) ? [tests] : [];
}

/** Names of files are anybody's: in a comment, the rest of one with a line break would be config. */
function isOneLine(text: string): boolean {
  return /^[ \p{L}\p{N}\p{P}\p{S}]+$/u.test(text);
}

function agentLines(choices: SetupChoices): readonly string[] {
  const { agent, model } = choices;
  const allowed = allowedCommands(choices).map((command) => yamlText(command, true));
  return [
    `# The agent: ${AGENTS.map(({ name }) => name).join(', ')}, or \`command: ./agent.sh\` for your own.`,
    'agent:',
    `  name: ${yamlText(agent.name)}`,
    model === undefined ? '  # model: the name of the model, as the agent spells it' : `  model: ${yamlText(model)}`,
    `  # ${agent.edits ?? 'It edits files in this folder'} without asking; what else it may do has to be allowed.`,
    '  # `bypass` lets it do everything, `agent` what its own settings say.',
    '  permissions: edit',
    ...(agent.hasAllow
      ? [
          '  # Commands that it may run. Each entry allows every command that starts with it.',
          `  allow: [${allowed.join(', ')}]`,
        ]
      : []),
  ];
}

/** What a shell would take for more than one command is not a beginning that can be allowed. */
function isOneCommand(command: string): boolean {
  return /^[\w@%+=:,./ '*-]+$/.test(command);
}

function testLines({ tests, testsWhy, testsUncounted }: SetupChoices): readonly string[] {
  if (tests === undefined) {
    return [
      '# No tests were found. Name a command here, and Pawl runs it after each iteration to verify the work:',
      '# tests: npm test',
    ];
  }
  return [
    `# Run by Pawl after each iteration${testsWhy === undefined || !isOneLine(testsWhy) ? '' : ` (${testsWhy})`}. A report in a file is more reliable:`,
    '#   tests: { command: ..., report: build/junit.xml, timeout: 10m }',
    `tests: ${yamlText(tests)}`,
    ...(testsUncounted === true
      ? [
          '# No known test runner was found behind this command, so its exit code decides. With a report, or when it prints TAP or the',
          '# summary of a known runner, remove this line: then Pawl compares the tests with those of the start.',
          'parse_tests: false',
        ]
      : []),
  ];
}

function reviewLines({ review }: SetupChoices): readonly string[] {
  if (review === undefined) return [];
  const { name, smallModel } = review;
  return [
    '# A second opinion: this agent reads the task, the changes and the test results, and has to agree before a goal counts.',
    'review:',
    `  agent: ${name}`,
    ...(smallModel === undefined ? [] : [`  model: ${smallModel}`]),
    `${`  max_cost: ${DEFAULT_REVIEW_COST_USD}`.padEnd(ABOUT_COLUMN)} # US dollars for all reviews of a run`,
    '',
  ];
}

function goalLines({ goals, tests, task, checklist, review }: SetupChoices): readonly string[] {
  const isByTests = goals.length === 0 && tests !== undefined;
  const second = review === undefined ? 'settled' : 'review_approves';
  const byTests = task === 'repair' ? 'all_tests_pass' : `all: [all_tests_pass, ${second}]`;
  const byFile = `file_created: { path: ${DONE_FILE}, fresh: true }`;
  const written = goals.length > 0 ? goals.map(conditionText) : [isByTests ? byTests : byFile];
  return [
    '  # Done: any of these ends the run as a success.',
    ...(isByTests
      ? (task === 'build' && review !== undefined ? REVIEWED : TASKS[task]).map((line) => `  # ${line}`)
      : []),
    ...(checklist === undefined
      ? []
      : [
          "  # The list is the agent's own word: it can check a box without doing the work. `fresh`: a list that is complete at the start",
          '  # counts only after it changes.',
        ]),
    ...(isByTests || goals.length > 0
      ? []
      : [
          `  # Nothing here can be verified, so the agent itself declares that it is done, by writing ${DONE_FILE}. Better is a`,
          '  # command of yours: `checks: { builds: make }` above, and `check_passes: builds` here.',
        ]),
    '  success:',
    ...written.map((goal) => `    - ${goal}`),
    '  # Pawl checks a goal twice, so that a test that passes by chance does not count.',
    '  confirm: 2',
  ];
}

const TASKS: Readonly<Record<SetupChoices['task'], readonly string[]>> = {
  repair: [
    'The tests show what to repair: the run is done when all of them pass. To build something, write',
    '`all: [all_tests_pass, settled]`.',
  ],
  build: [
    '`settled`: the agent says that it is done, or an iteration changed nothing more. To repair failing tests, write',
    '`all_tests_pass` alone: then the run ends as soon as the tests pass.',
  ],
};

const REVIEWED = [
  '`review_approves`: the review says that the task is done. To repair failing tests, write `all_tests_pass` alone: the run then ends',
  'as soon as the tests pass and the review agrees.',
];

/** What each line of `failure` counts. */
const PATIENCE: Readonly<Record<keyof typeof DEFAULT_PATIENCE, string>> = {
  no_progress: 'iterations in a row that wrote nothing new',
  test_failure_streak: 'iterations in a row whose failing tests did not improve',
  consecutive_failures: 'iterations in a row that failed or timed out',
  permission_denied: 'denied tool calls in a row, none allowed in between',
  oscillation: 'returns to an earlier state with nothing gained',
  same_tool_failure: 'iterations in a row with the same failing tool call',
  false_done: 'times in a row that the agent says "done" and is not',
  needs_person: 'iterations in a row that end with a request to you',
};

function failureLines({ protect, testFiles, tests, maxIterations }: SetupChoices): readonly string[] {
  const globs = protect.length > 0 ? protect : testFiles;
  const list = `protected_path_changed: [${globs.map((glob) => yamlText(glob, true)).join(', ')}]`;
  const lines = Object.entries(PATIENCE).flatMap(([type, about]) => {
    if (type === 'test_failure_streak' && tests === undefined) return [];
    const count = DEFAULT_PATIENCE[type as keyof typeof DEFAULT_PATIENCE];
    // What takes more iterations than there can be says nothing.
    const isBounded = maxIterations > 0 && type !== 'permission_denied';
    return [entry(`${type}: ${isBounded ? Math.min(count, maxIterations) : count}`, about)];
  });
  return [
    '  # Gives up: these show that it will not work out.',
    '  failure:',
    ...lines,
    ...(protect.length > 0
      ? ['    # Whatever else is met, a run that changes these is rejected.', `    - ${list}`]
      : globs.length > 0
        ? ['    # If the tests are given and only the code is to change:', `    # - ${list}`]
        : []),
  ];
}

function limitLines({ maxIterations, maxCostUsd }: SetupChoices): readonly string[] {
  return [
    '  # Limits also apply during an iteration and after a crash.',
    '  limits:',
    `    - max_iterations: ${maxIterations}`,
    entry(`max_cost: ${maxCostUsd}`, 'US dollars'),
    entry('max_duration: 4h', 'of active time; waits and pauses do not count'),
  ];
}

/** A condition of a list, and what it means. */
function entry(condition: string, about: string): string {
  return `${`    - ${condition}`.padEnd(ABOUT_COLUMN)} # ${about}`;
}

function otherLines({ review }: SetupChoices): readonly string[] {
  return [
    '# Other settings, with their defaults:',
    ...(review === undefined
      ? [
          '# review: { agent: codex }         # another agent has to agree before a goal counts; the default is no review',
        ]
      : []),
    '# iteration_timeout: 30m           # ends an iteration after this time',
    '# idle_timeout: 10m                # ends an iteration whose agent prints nothing for this long',
    '# commit: never                    # or `iteration`, `end`: commit the work, as Pawl',
    '# session: { mode: continue }      # or `fresh`: a new conversation in each iteration',
    '# notify: { command: ... }         # runs when the run needs you or ends',
  ];
}

/** A condition of a flag, as it is written in a list. */
function conditionText(condition: string): string {
  if (/^[a-z_]+$/.test(condition)) return condition;
  const value: unknown = parse(condition);
  const text = stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim();
  return /^[ -~]+$/.test(text) && isDeepStrictEqual(parse(text), value) ? text : quoted(value);
}

/** As it is where YAML takes it for the same text, else in quotes. In a list of one line more has to be quoted. */
function yamlText(text: string, isInList = false): string {
  const isPlain =
    /^[\w./][\w ./=@%+:-]*$/.test(text) && !/:(?:\s|$)|\s$/.test(text) && !(isInList && text.includes(':'));
  return isPlain && parse(text) === text ? text : quoted(text);
}

/** JSON is YAML, but for characters that one of the two takes for a line break or does not take at all. */
function quoted(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
