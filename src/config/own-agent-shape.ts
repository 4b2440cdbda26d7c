import { AGENT_NAMES } from '../agents/find-adapter.js';
import { FIELD_PATH } from '../model/field-path.js';
import { choice, key, leaf, mapping, named, required, shortForm } from './shape.js';

const OWN_NAMES = {
  allowed: `letters, digits, "_" and "-", starting with a letter, and none that Pawl knows (${AGENT_NAMES.join(', ')})`,
  pattern: new RegExp(`^(?!(?:${AGENT_NAMES.join('|')})$)[A-Za-z][\\w-]{0,63}$`),
};
const PATH_NAMES = { allowed: 'a path into the line, such as message.role', pattern: FIELD_PATH };

const path = leaf.fieldPath;
const match = named(PATH_NAMES, leaf.literals);
const when = key(match, 'The lines that this rule matches: which value is at which path.');
const each = key(path, 'A list in the line: the rule applies to each of its entries, and the other paths start there.');

const usage = shortForm('total', {
  when,
  scope: key(
    choice('request', 'turn', 'session-total'),
    'What the figures cover: one request, everything since the last report, or the whole session so far.',
    'request',
  ),
  input: key(path, 'Input tokens.'),
  output: key(path, 'Output tokens.'),
  cache_read: key(path, 'Input tokens read from the cache.'),
  cache_write: key(path, 'Input tokens written to the cache.'),
  reasoning: key(path, 'Output tokens used for reasoning.'),
  total: key(path, 'All tokens, if the line reports no more than that.'),
  cost: key(path, 'US dollars.'),
  model: key(path, 'The model, for the price.'),
  id: key(path, 'The id of the request: what is reported twice for it counts once.'),
  session: key(path, 'The session that a total is for.'),
  input_includes_cache: key(leaf.flag, 'Whether `input` includes the tokens of the cache.'),
  output_includes_reasoning: key(leaf.flag, 'Whether `output` includes the tokens of `reasoning`.', true),
});

const EVENTS = {
  session: key(
    shortForm('id', { when, id: required(path, 'The id of the conversation.') }),
    'The line names the conversation.',
  ),
  text: key(
    shortForm('text', {
      when,
      text: required(leaf.manyPath, 'The text; `[*]` for all entries of a list.'),
    }),
    'The agent says something: a whole message, never the output of a tool.',
  ),
  tool_call: key(
    shortForm('name', {
      when,
      each,
      name: required(path, 'The name of the tool.'),
      id: key(path, 'The id of this tool call.'),
      input: key(path, 'The input of the tool: any JSON.'),
    }),
    'The agent calls a tool.',
  ),
  tool_result: key(
    shortForm('output', {
      when,
      each,
      output: required(leaf.manyPath, 'The output of the tool; Pawl reads test results from it.'),
      id: key(path, 'The id of the tool call.'),
      failed_when: key(match, 'Which value is at which path when the tool failed.'),
    }),
    'A tool returned its result.',
  ),
  usage: key(usage, 'The agent reports its usage.'),
  limit: key(
    shortForm('message', {
      when,
      message: required(path, 'The message.'),
      limit: key(
        choice('usage-limit', 'overload'),
        'A usage limit that ends at some time, or an overload.',
        'usage-limit',
      ),
      resets_at: key(path, 'When the limit ends: ISO 8601, or seconds or milliseconds since 1970.'),
    }),
    'The provider refuses for now, and the run waits.',
  ),
  error: key(
    shortForm('message', {
      when,
      message: required(path, 'The message; Pawl recognises the kind of error by it.'),
      status: key(path, 'The HTTP status.'),
    }),
    'The agent failed.',
  ),
  result: key(
    shortForm('text', {
      when,
      text: key(leaf.manyPath, 'The last message of the agent.'),
      success_when: key(match, 'Which value is at which path after a success; without it, every result is a success.'),
    }),
    'The agent is done. With this rule, an end without a result is a failure.',
  ),
};

const ownAgent = shortForm('command', {
  command: required(leaf.words, 'The program and its own arguments. It reads the prompt from its input.'),
  args: key(leaf.arguments, 'Arguments added to every invocation.', []),
  model_flag: key(leaf.text, 'The flag before the model, one word: `--model`, or `--model=`.'),
  resume_flag: key(leaf.text, 'The flag before the session to continue, one word.'),
  usage: key(
    choice('live', 'end', 'none'),
    'When it reports its usage. Default: live if there is a rule for it or there are no rules, otherwise none.',
  ),
  signals: key(leaf.signals, 'The signals that end it, in order, before SIGKILL.', ['SIGTERM']),
  output: key(
    choice('text', 'ignore'),
    'What a line without a rule means: something the agent says, or nothing. Default: text, unless there are rules.',
  ),
  events: key(
    mapping(EVENTS),
    'How Pawl reads its JSON lines. Without rules, Pawl reads them as it does for `command`.',
  ),
});

export const AGENTS_KEY = key(
  named(OWN_NAMES, ownAgent),
  'Agent CLIs that Pawl does not know, by name. A command alone (`mine: ./cli.sh`) works as `command` does.',
);
