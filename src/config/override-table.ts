import type { ConditionType } from '../model/condition.js';
import { CONDITION_CATALOG, CONDITION_TYPES } from '../model/condition-catalog.js';
import type { Issue } from '../model/errors.js';
import { clip } from '../model/show-value.js';
import { didYouMean } from '../model/nearest.js';

/** What a flag or variable sets. */
export type OverrideTarget =
  | { readonly kind: 'key'; readonly path: readonly string[] }
  | { readonly kind: 'limit'; readonly type: ConditionType }
  | { readonly kind: 'add'; readonly list: 'success' | 'failure' | 'limits' }
  | { readonly kind: 'check' }
  | { readonly kind: 'agent-argument' };

export interface Override {
  readonly flag?: string;
  readonly variable?: string;
  readonly target: OverrideTarget;
  /** How the flag's value is called in the help; a flag without one is a switch. */
  readonly value?: string;
  readonly about: string;
}

const key = (...path: string[]): OverrideTarget => ({ kind: 'key', path });
const add = (list: 'success' | 'failure' | 'limits'): OverrideTarget => ({ kind: 'add', list });

const LIMITS = CONDITION_TYPES.flatMap((type): readonly Override[] => {
  const { flag, where, zeroIsNone } = CONDITION_CATALOG[type];
  if (flag === undefined || where === 'pipeline') return [];
  return [
    {
      flag: flag.name,
      variable: `PAWL_${type.toUpperCase()}`,
      target: { kind: 'limit', type },
      value: flag.value,
      about: `${flag.about}${zeroIsNone === true ? ', 0 for no limit' : ''}`,
    },
  ];
});

/** Every flag and variable that changes the config. The help and the guide print this table. */
export const OVERRIDES: readonly Override[] = [
  { flag: 'prompt', target: key('prompt'), value: 'TEXT', about: 'the text of the prompt' },
  {
    flag: 'prompt-path',
    variable: 'PAWL_PROMPT_PATH',
    target: key('prompt_path'),
    value: 'FILE',
    about: 'the prompt file',
  },
  { flag: 'agent', variable: 'PAWL_AGENT', target: key('agent', 'name'), value: 'AGENT', about: 'the agent to use' },
  { flag: 'command', target: key('agent', 'command'), value: 'WORDS', about: 'the command after --' },
  { flag: 'model', variable: 'PAWL_MODEL', target: key('agent', 'model'), value: 'M', about: 'the model' },
  { flag: 'agent-arg', target: { kind: 'agent-argument' }, value: 'A', about: 'an extra argument for the agent' },
  {
    flag: 'permissions',
    variable: 'PAWL_PERMISSIONS',
    target: key('agent', 'permissions'),
    value: 'edit|bypass|agent',
    about: 'what the agent may do without asking',
  },
  { flag: 'until', target: add('success'), value: 'C', about: 'add a goal' },
  {
    flag: 'goal',
    target: key('review', 'goal'),
    value: 'TEXT',
    about: 'the goal in words; the review judges it',
  },
  { flag: 'review', target: key('review', 'agent'), value: 'AGENT', about: 'who has to agree before a goal counts' },
  { flag: 'give-up', target: add('failure'), value: 'C', about: 'add a condition to give up on' },
  { flag: 'limit', target: add('limits'), value: 'C', about: 'add a limit' },
  ...LIMITS,
  {
    flag: 'tests',
    variable: 'PAWL_TESTS',
    target: key('tests'),
    value: 'CMD',
    about: 'the command that runs the tests',
  },
  { flag: 'check', target: { kind: 'check' }, value: 'NAME=CMD', about: 'add a check' },
  {
    flag: 'confirm',
    target: key('stop', 'confirm'),
    value: 'N',
    about: 'how many times a goal is checked before it counts',
  },
  {
    flag: 'at-least',
    target: key('stop', 'at_least'),
    value: 'N',
    about: 'ignore goals until this many iterations have ended',
  },
  {
    flag: 'session',
    variable: 'PAWL_SESSION',
    target: key('session', 'mode'),
    value: 'continue|fresh',
    about: 'continue one session, or start a new one each iteration',
  },
  {
    flag: 'redline',
    variable: 'PAWL_REDLINE',
    target: key('context_redline_percent'),
    value: 'PERCENT',
    about: 'start a new session when the context is this full',
  },
  {
    flag: 'timeout',
    variable: 'PAWL_ITERATION_TIMEOUT',
    target: key('iteration_timeout'),
    value: 'D',
    about: 'end an iteration after this long',
  },
  {
    flag: 'idle-timeout',
    variable: 'PAWL_IDLE_TIMEOUT',
    target: key('idle_timeout'),
    value: 'D',
    about: 'end an iteration if the agent prints nothing for this long',
  },
  {
    flag: 'delay',
    variable: 'PAWL_ITERATION_DELAY',
    target: key('iteration_delay'),
    value: 'D',
    about: 'pause this long between iterations',
  },
  { variable: 'PAWL_MAX_WAIT', target: key('max_wait'), value: 'D', about: 'wait at most this long for a usage limit' },
  {
    flag: 'answer-wait',
    variable: 'PAWL_ANSWER_WAIT',
    target: key('questions', 'max_wait'),
    value: 'D',
    about: 'wait at most this long for your answer, 0 to not wait',
  },
  { flag: 'attended', variable: 'PAWL_ATTENDED', target: key('attended_mode'), about: 'ask before each iteration' },
];

/** Names the config file, and so is read before the others. */
export const CONFIG_VARIABLE = 'PAWL_CONFIG';

/** Confirms what a project's config would have executed, where no one can be asked. */
export const TRUST_VARIABLE = 'PAWL_TRUST';

/** What Pawl tells the commands that it runs; in the environment of a `pawl` that one of them calls they are no mistake. */
export const TOLD_VARIABLES = ['PAWL_EVENT', 'PAWL_RUN_ID', 'PAWL_STATE', 'PAWL_CLASS', 'PAWL_TEXT'] as const;

/** Flags that may be given more than once. */
export function isRepeatable({ target }: Override): boolean {
  return target.kind === 'add' || target.kind === 'check' || target.kind === 'agent-argument';
}

/** Flags as the command line gave them, by long name without the dashes; a flag that may be repeated has a list. */
export type Flags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export type Environment = Readonly<Record<string, string | undefined>>;

const PREFIX = 'PAWL_';

/** The flags that were given, in the order of the table. */
export function givenFlags(flags: Flags): {
  readonly given: readonly GivenOverride[];
  readonly issues: readonly Issue[];
} {
  const issues: Issue[] = [];
  const given: GivenOverride[] = [];
  for (const name of Object.keys(flags)) {
    if (OVERRIDES.some(({ flag }) => flag === name)) continue;
    const known = OVERRIDES.flatMap(({ flag }) => flag ?? []);
    issues.push({ path: '', place: `--${clip(name)}`, message: `unknown flag${didYouMean(name, known)}` });
  }
  for (const override of OVERRIDES) {
    const { flag } = override;
    const value = flag === undefined || !Object.hasOwn(flags, flag) ? undefined : flags[flag];
    if (flag === undefined || value === undefined) continue;
    const name = `--${flag}`;
    if (typeof value === 'boolean' && override.value !== undefined) {
      issues.push({ path: '', place: name, message: `needs a value: ${override.value}` });
    } else if (Array.isArray(value) && value.length > 1 && flag !== 'command' && !isRepeatable(override)) {
      issues.push({ path: '', place: name, message: 'is given more than once' });
    } else
      given.push({
        override,
        name,
        value: Array.isArray(value) && flag !== 'command' ? single(value, override) : value,
      });
  }
  return { given, issues };
}

function single(values: readonly string[], override: GivenOverride['override']): string | readonly string[] {
  return isRepeatable(override) ? values : (values[0] ?? '');
}

/** The variables that are set; an empty one is not. One of ours misspelled is a warning: it may be someone else's. */
export function givenVariables(environment: Environment): {
  readonly given: readonly GivenOverride[];
  readonly warnings: readonly Issue[];
} {
  const given: GivenOverride[] = [];
  for (const override of OVERRIDES) {
    const value = override.variable === undefined ? undefined : environment[override.variable];
    if (override.variable !== undefined && value !== undefined && value !== '') {
      given.push({ override, name: override.variable, value });
    }
  }
  const settable = [...OVERRIDES.flatMap(({ variable }) => variable ?? []), CONFIG_VARIABLE, TRUST_VARIABLE];
  const known: readonly string[] = [...settable, ...TOLD_VARIABLES];
  const suffixes = settable.map((name) => name.slice(PREFIX.length));
  const warnings = Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !known.includes(name))
    .map((name) => ({ name, suggestion: didYouMean(name.slice(PREFIX.length, 80), suffixes) }))
    .filter(({ suggestion }) => suggestion !== '')
    .map(({ name, suggestion }) => ({
      path: '',
      place: clip(name),
      message: `sets nothing${suggestion.replace('"', `"${PREFIX}`)}`,
    }));
  return { given, warnings };
}

/** A flag or variable that was given, by its name as the user wrote it. */
export interface GivenOverride {
  readonly override: Override;
  readonly name: string;
  readonly value: string | boolean | readonly string[];
}
