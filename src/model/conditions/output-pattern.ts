import { conditionKey } from '../condition-key.js';
import { quote } from '../figures.js';
import { met, notMet, unknown, ownFact } from '../judging/answer.js';
import { field, optional } from '../fields.js';
import { build, defineCondition, type ValuesOf } from '../judging/define-condition.js';

const fields = { pattern: field.text, is_regex: optional(field.flag) };

type OutputPattern = ValuesOf<typeof fields>;

/** Holds when the agent said the text. */
export const outputPattern = defineCondition({
  type: 'output_pattern',
  about: 'the output of the agent matches; tool results and an echo of the prompt do not count',
  fields,
  make: (pattern: string) => ({ pattern }),
  short: 'pattern',
  checkFields: ({ pattern, is_regex }, regexProblem) => {
    const message = is_regex === true && pattern !== undefined ? regexProblem(pattern) : undefined;
    return message === undefined ? undefined : { field: 'pattern', message };
  },
  class: 'goal',
  priority: 50,
  where: 'both',
  inAiSdk: true,
  live: true,
  needs: (output) => ({ output }),
  movedBy: ['agent-said'],
  quotes: true,
  evidence: 'agent',
  judge: (condition, { matches }) => {
    if (matches === undefined) return unknown('what the agent said is not known');
    const found = ownFact(matches, conditionKey(condition));
    if (found === undefined) return notMet(`the agent has not said ${shown(condition)}`);
    const said = `the agent said ${quote(found)}`;
    return met(condition.is_regex === true ? `${said}, matching ${shown(condition)}` : said);
  },
  describe: (condition) => `when the agent says ${shown(condition)}`,
  takes: (condition) => `the agent to say ${shown(condition)}`,
});

function shown({ pattern, is_regex }: OutputPattern): string {
  return is_regex === true ? `/${pattern}/` : quote(pattern);
}

/** Holds when what the agent said matches; runs in linear time, without look-around and back-references. */
export const outputRegex = (pattern: string) => build(outputPattern.definition, { pattern, is_regex: true });
