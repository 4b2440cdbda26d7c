import { AGENT_NAMES } from '../agents/find-adapter.js';
import { FIELD_PATH } from '../model/field-path.js';
import { choice, type Key, type Keys, leaf, mapping, named, type NameRule, shortForm } from './shape.js';

const OWN_NAMES: NameRule = {
  allowed: `letters, digits, "_" and "-", starting with a letter, and none that Pawl knows (${AGENT_NAMES.join(', ')})`,
  pattern: new RegExp(`^(?!(?:${AGENT_NAMES.join('|')})$)[A-Za-z][\\w-]{0,63}$`),
};
const PATH_NAMES: NameRule = { allowed: 'a path into the line, such as message.role', pattern: FIELD_PATH };

const path = leaf('field-path');
const match = named(PATH_NAMES, leaf('literals'));
const when = {
  shape: match,
  about: 'The lines that this rule matches: which value is at which path.',
} as const satisfies Key;
const each = {
  shape: path,
  about: 'A list in the line: the rule applies to each of its entries, and the other paths start there.',
} as const satisfies Key;

const usage = shortForm('total', {
  when,
  scope: {
    shape: choice('request', 'turn', 'session-total'),
    about: 'What the figures cover: one request, everything since the last report, or the whole session so far.',
    default: 'request',
  },
  input: { shape: path, about: 'Input tokens.' },
  output: { shape: path, about: 'Output tokens.' },
  cache_read: { shape: path, about: 'Input tokens read from the cache.' },
  cache_write: { shape: path, about: 'Input tokens written to the cache.' },
  reasoning: { shape: path, about: 'Output tokens used for reasoning.' },
  total: { shape: path, about: 'All tokens, if the line reports no more than that.' },
  cost: { shape: path, about: 'US dollars.' },
  model: { shape: path, about: 'The model, for the price.' },
  id: { shape: path, about: 'The id of the request: what is reported twice for it counts once.' },
  session: { shape: path, about: 'The session that a total is for.' },
  input_includes_cache: { shape: leaf('flag'), about: 'Whether `input` includes the tokens of the cache.' },
  output_includes_reasoning: {
    shape: leaf('flag'),
    about: 'Whether `output` includes the tokens of `reasoning`.',
    default: true,
  },
});

const EVENTS = {
  session: {
    shape: shortForm('id', { when, id: { shape: path, about: 'The id of the conversation.', required: true } }),
    about: 'The line names the conversation.',
  },
  text: {
    shape: shortForm('text', {
      when,
      text: { shape: leaf('many-path'), about: 'The text; `[*]` for all entries of a list.', required: true },
    }),
    about: 'The agent says something: a whole message, never the output of a tool.',
  },
  tool_call: {
    shape: shortForm('name', {
      when,
      each,
      name: { shape: path, about: 'The name of the tool.', required: true },
      id: { shape: path, about: 'The id of this tool call.' },
      input: { shape: path, about: 'The input of the tool: any JSON.' },
    }),
    about: 'The agent calls a tool.',
  },
  tool_result: {
    shape: shortForm('output', {
      when,
      each,
      output: {
        shape: leaf('many-path'),
        about: 'The output of the tool; Pawl reads test results from it.',
        required: true,
      },
      id: { shape: path, about: 'The id of the tool call.' },
      failed_when: { shape: match, about: 'Which value is at which path when the tool failed.' },
    }),
    about: 'A tool returned its result.',
  },
  usage: { shape: usage, about: 'The agent reports its usage.' },
  limit: {
    shape: shortForm('message', {
      when,
      message: { shape: path, about: 'The message.', required: true },
      limit: {
        shape: choice('usage-limit', 'overload'),
        about: 'A usage limit that ends at some time, or an overload.',
        default: 'usage-limit',
      },
      resets_at: { shape: path, about: 'When the limit ends: ISO 8601, or seconds or milliseconds since 1970.' },
    }),
    about: 'The provider refuses for now, and the run waits.',
  },
  error: {
    shape: shortForm('message', {
      when,
      message: { shape: path, about: 'The message; Pawl tells the kind of error by it.', required: true },
      status: { shape: path, about: 'The HTTP status.' },
    }),
    about: 'The agent failed.',
  },
  result: {
    shape: shortForm('text', {
      when,
      text: { shape: leaf('many-path'), about: 'The last message of the agent.' },
      success_when: {
        shape: match,
        about: 'Which value is at which path after a success; without it, every result is a success.',
      },
    }),
    about: 'The agent is done. With this rule, an end without a result is a failure.',
  },
} as const satisfies Keys;

const ownAgent = shortForm('command', {
  command: {
    shape: leaf('words'),
    about: 'The program and its own arguments. It reads the prompt from its input.',
    required: true,
  },
  args: { shape: leaf('arguments'), about: 'Arguments added to every invocation.', default: [] },
  model_flag: {
    shape: leaf('text'),
    about: 'The flag before the model, one word: `--model`, or `--model=`.',
  },
  resume_flag: { shape: leaf('text'), about: 'The flag before the session to continue, one word.' },
  usage: {
    shape: choice('live', 'end', 'none'),
    about: 'When it reports its usage. Default: live if there is a rule for it or there are no rules, otherwise none.',
  },
  signals: {
    shape: leaf('signals'),
    about: 'The signals that end it, in order, before SIGKILL.',
    default: ['SIGTERM'],
  },
  output: {
    shape: choice('text', 'ignore'),
    about:
      'What a line without a rule means: something the agent says, or nothing. Default: text, unless there are rules.',
  },
  events: {
    shape: mapping(EVENTS),
    about: 'How Pawl reads its JSON lines. Without rules, Pawl reads them as it does for `command`.',
  },
});

export const AGENTS_KEY = {
  shape: named(OWN_NAMES, ownAgent),
  about: 'Agent CLIs that Pawl does not know, by name. A command alone (`mine: ./cli.sh`) works as `command` does.',
} as const satisfies Key;
