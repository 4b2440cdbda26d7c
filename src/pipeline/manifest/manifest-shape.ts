import * as z from 'zod/mini';
import { agent, CONFIG_KEYS, environment } from '../../config/config-shape.js';
import { conditions, key, leaf, mapping, publishedAs, required, shortForm } from '../../config/shape.js';
import { hasNoNul, must } from '../../model/fields.js';

const itemId = z.union([z.string(), z.number()]);
const itemText = z.string(must('a text that is not empty')).check(z.minLength(1), hasNoNul);
const idKey = z.optional(itemText);

/** Where items may come from, but for a list, by the key that says so. */
export const ITEM_SOURCES = {
  glob: z.strictObject({ glob: itemText }),
  file: z.strictObject({ file: itemText, id: idKey }),
  command: z.strictObject({ command: itemText, id: idKey, timeout: z.optional(leaf.duration) }),
};

const items = publishedAs(
  z.custom<object>(
    (value) => typeof value === 'object' && value !== null,
    must('a list of items, or one of { glob }, { file } and { command }'),
  ),
  z.union([
    z.array(z.union([itemId, z.looseObject({ id: itemId })])).check(z.minLength(1)),
    ...Object.values(ITEM_SOURCES),
  ]),
);

export const GENERATE_KEYS = {
  command: key(
    leaf.command,
    'The command line that produces one item; a shell runs it. It writes to $PAWL_OUTPUT and finds the fields of the item in variables such as $PAWL_ITEM_ID.',
  ),
  agent: key(agent, 'Or an agent, with a prompt: a name, or a mapping.'),
  prompt: key(leaf.text, 'The prompt for one item, with names such as {{item.id}} and {{output}}.'),
  prompt_path: key(leaf.path, 'A file with that prompt.'),
  output: key(leaf.innerPath, 'Where the approved output of an item is written, such as out/{{item.id}}.png.'),
  timeout: key(leaf.duration, 'Ends an attempt after this time.', '10m'),
  env: key(environment, 'Environment variables for the generator.'),
};

export const AUDIT_KEYS = {
  command: required(
    leaf.command,
    'Judges one output: exit 0 approves, 1 asks for another attempt, 10 rejects; a JSON verdict at the end of its output says more.',
  ),
  timeout: key(leaf.duration, 'Pawl ends it after this time, and the output is then not approved.', '5m'),
};

export const STOP_CONDITION_KEYS = {
  max_retry_rate: key(
    leaf.rate,
    'Halt when more than this share of the finished items took more than one attempt.',
    0.5,
  ),
  max_reject_rate: key(leaf.rate, 'Halt when more than this share of the finished items was rejected or failed.', 0.3),
  max_consecutive_fails: key(leaf.count, 'Halt after this many items in a row that were rejected or failed.', 3),
  min_items: key(
    leaf.count,
    'Rates count once this many items have finished. With 1, one early rejection is 100 %.',
    1,
  ),
};

export const RETRY_KEYS = {
  max_attempts: key(leaf.count, 'How many times one item is tried.', 5),
  backoff: key(
    leaf.delay,
    'The pause before the second attempt at an item; it doubles with each further attempt, up to a minute.',
    '1s',
  ),
  circuit_breaker: key(
    leaf.count,
    'Halt after this many attempts at all items together. Without it: 50, or twice the items if that is more.',
  ),
  stop_conditions: key(mapping(STOP_CONDITION_KEYS), 'When to halt because too much fails.'),
};

/** Every key of a manifest. The loader, the schema and the guide come from this table. */
export const MANIFEST = z.strictObject({
  items: required(
    items,
    'The items: a list of ids or of mappings with an id, or { glob }, { file: x.jsonl | x.csv | x.json | x.txt, id }, { command }.',
  ),
  generate: required(mapping(GENERATE_KEYS), 'How one item is produced.'),
  audit: key(
    shortForm('command', AUDIT_KEYS),
    'What judges the output. Without an audit and without a review, every output is approved.',
  ),
  review: CONFIG_KEYS.review,
  concurrency: key(leaf.count, 'How many items are processed at once.', 1),
  retry: key(mapping(RETRY_KEYS), 'How often to retry, and when to halt.'),
  limits: key(conditions('limits'), 'What the run may use, as in pawl.yaml; max_iterations counts attempts.'),
  working_dir: CONFIG_KEYS.working_dir,
  agents: CONFIG_KEYS.agents,
  notify: CONFIG_KEYS.notify,
  prices: CONFIG_KEYS.prices,
});

/** A manifest after validation. */
export type ManifestValues = z.output<typeof MANIFEST>;
