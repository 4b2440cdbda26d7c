import { AGENT_NAMES } from '../agents/find-adapter.js';
import { FIELD_PATH } from '../model/field-path.js';
import { choice, type Key, type Keys, leaf, mapping, named, type NameRule, shortForm } from './shape.js';

const OWN_NAMES: NameRule = {
  allowed: `letters, digits, "_" and "-", beginning with a letter, and none that Pawl knows (${AGENT_NAMES.join(', ')})`,
  pattern: new RegExp(`^(?!(?:${AGENT_NAMES.join('|')})$)[A-Za-z][\\w-]{0,63}$`),
};
const PATH_NAMES: NameRule = { allowed: 'a path into the line, such as message.role', pattern: FIELD_PATH };

const path = leaf('field-path');
const match = named(PATH_NAMES, leaf('literals'));
const when = { shape: match, about: 'The lines that it is for: what stands at which path.' } as const satisfies Key;
const each = {
  shape: path,
  about: 'A list in the line: one for each of its entries, where the other paths then begin.',
} as const satisfies Key;

const usage = shortForm('total', {
  when,
  scope: {
    shape: choice('request', 'turn', 'session-total'),
    about: 'What the figures are of: one request, everything since the last report, or the whole session so far.',
    default: 'request',
  },
  input: { shape: path, about: 'Input tokens.' },
  output: { shape: path, about: 'Output tokens.' },
  cache_read: { shape: path, about: 'Input tokens read from the cache.' },
  cache_write: { shape: path, about: 'Input tokens written to the cache.' },
  reasoning: { shape: path, about: 'Output tokens that were thought, not said.' },
  total: { shape: path, about: 'All tokens, where it tells no more.' },
  cost: { shape: path, about: 'US dollars.' },
  model: { shape: path, about: 'The model, for the price.' },
  id: { shape: path, about: 'The request: what is told twice of it counts once.' },
  session: { shape: path, about: 'The session that a total is of.' },
  input_includes_cache: { shape: leaf('flag'), about: 'Whether `input` has the tokens of the cache in it.' },
  output_includes_reasoning: {
    shape: leaf('flag'),
    about: 'Whether `output` has the tokens of `reasoning` in it.',
    default: true,
  },
});

const EVENTS = {
  session: {
    shape: shortForm('id', { when, id: { shape: path, about: 'The name of the conversation.', required: true } }),
    about: 'It says which conversation this is.',
  },
  text: {
    shape: shortForm('text', {
      when,
      text: { shape: leaf('many-path'), about: 'The words; `[*]` for all entries of a list.', required: true },
    }),
    about: 'It says something: a whole message, never the output of a tool.',
  },
  tool_call: {
    shape: shortForm('name', {
      when,
      each,
      name: { shape: path, about: 'The tool.', required: true },
      id: { shape: path, about: 'The name of this use.' },
      input: { shape: path, about: 'What the tool is given: any JSON.' },
    }),
    about: 'It uses a tool.',
  },
  tool_result: {
    shape: shortForm('output', {
      when,
      each,
      output: { shape: leaf('many-path'), about: 'What the tool printed; tests are read off it.', required: true },
      id: { shape: path, about: 'The name of the use.' },
      failed_when: { shape: match, about: 'What stands where when the tool has failed.' },
    }),
    about: 'A tool has answered.',
  },
  usage: { shape: usage, about: 'It tells what it used.' },
  limit: {
    shape: shortForm('message', {
      when,
      message: { shape: path, about: 'The words for it.', required: true },
      limit: {
        shape: choice('usage-limit', 'overload'),
        about: 'Used up until a time, or only too busy.',
        default: 'usage-limit',
      },
      resets_at: { shape: path, about: 'When it opens again: ISO 8601, or seconds or milliseconds since 1970.' },
    }),
    about: 'The provider refuses for now: the run waits.',
  },
  error: {
    shape: shortForm('message', {
      when,
      message: { shape: path, about: 'The words for it; by them its kind is told.', required: true },
      status: { shape: path, about: 'The HTTP status.' },
    }),
    about: 'It failed.',
  },
  result: {
    shape: shortForm('text', {
      when,
      text: { shape: leaf('many-path'), about: 'Its last words.' },
      success_when: { shape: match, about: 'What stands where after a success; without it every result is one.' },
    }),
    about: 'It is done. With this rule, an end without a result is a failure.',
  },
} as const satisfies Keys;

const ownAgent = shortForm('command', {
  command: {
    shape: leaf('words'),
    about: 'The program and its own arguments. It gets the prompt on its input.',
    required: true,
  },
  args: { shape: leaf('arguments'), about: 'Arguments added to every invocation.', default: [] },
  model_flag: {
    shape: leaf('text'),
    about: 'The flag that stands before the model, one word: `--model`, or `--model=`.',
  },
  resume_flag: { shape: leaf('text'), about: 'The flag that stands before the session to go on with, one word.' },
  usage: {
    shape: choice('live', 'end', 'none'),
    about: 'When it tells what it used. Live if there is a rule for it or there are no rules, else none.',
  },
  signals: { shape: leaf('signals'), about: 'What ends it, in order, before SIGKILL.', default: ['SIGTERM'] },
  output: {
    shape: choice('text', 'ignore'),
    about: 'What a line is that no rule is for: something it says, or nothing. Text unless there are rules.',
  },
  events: {
    shape: mapping(EVENTS),
    about: 'How its JSON lines are read. Without rules it speaks as `command` does.',
  },
});

export const AGENTS_KEY = {
  shape: named(OWN_NAMES, ownAgent),
  about: 'Agent CLIs that Pawl does not know, by name. A command alone (`mine: ./cli.sh`) is read as `command` is.',
} as const satisfies Key;
