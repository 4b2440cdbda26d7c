import { CONFIG_KEYS } from '../config/config-shape.js';
import { conditions, type Keys, leaf, mapping, shortForm, type ValuesOf } from '../config/shape.js';

const generate = mapping({
  command: {
    shape: leaf('command'),
    about:
      'The command line that produces one item; a shell runs it. It writes to $PAWL_OUTPUT and finds the fields of the item in variables such as $PAWL_ITEM_ID.',
  },
  agent: { shape: CONFIG_KEYS.agent.shape, about: 'Or an agent, with a prompt: a name, or a mapping.' },
  prompt: { shape: leaf('text'), about: 'The prompt for one item, with names such as {{item.id}} and {{output}}.' },
  prompt_path: { shape: leaf('path'), about: 'A file with that prompt.' },
  output: {
    shape: leaf('inner-path'),
    about: 'Where the approved output of an item is written, such as out/{{item.id}}.png.',
  },
  timeout: { shape: leaf('duration'), about: 'Ends an attempt after this time.', default: '10m' },
  env: { shape: CONFIG_KEYS.env.shape, about: 'Environment variables for the generator.' },
});

const audit = shortForm('command', {
  command: {
    shape: leaf('command'),
    about:
      'Judges one output: exit 0 approves, 1 asks for another attempt, 10 rejects; a JSON verdict at the end of its output says more.',
    required: true,
  },
  timeout: {
    shape: leaf('duration'),
    about: 'Pawl ends it after this time, and the output is then not approved.',
    default: '5m',
  },
});

export const STOP_CONDITION_KEYS = {
  max_retry_rate: {
    shape: leaf('rate'),
    about: 'Halt when more than this share of the finished items took more than one attempt.',
    default: 0.5,
  },
  max_reject_rate: {
    shape: leaf('rate'),
    about: 'Halt when more than this share of the finished items was rejected or failed.',
    default: 0.3,
  },
  max_consecutive_fails: {
    shape: leaf('count'),
    about: 'Halt after this many items in a row that were rejected or failed.',
    default: 3,
  },
  min_items: {
    shape: leaf('count'),
    about: 'Rates count once this many items have finished. With 1, one early rejection is 100 %.',
    default: 1,
  },
} as const satisfies Keys;

const retry = mapping({
  max_attempts: { shape: leaf('count'), about: 'How many times one item is tried.', default: 5 },
  backoff: {
    shape: leaf('delay'),
    about: 'The pause before the second attempt at an item; it doubles with each further attempt, up to a minute.',
    default: '1s',
  },
  circuit_breaker: {
    shape: leaf('count'),
    about: 'Halt after this many attempts at all items together. Without it: 50, or twice the items if that is more.',
  },
  stop_conditions: { shape: mapping(STOP_CONDITION_KEYS), about: 'When to halt because too much fails.' },
});

/** Every key of a manifest. The loader, the schema and the guide come from this table. */
export const MANIFEST_KEYS = {
  items: {
    shape: leaf('items'),
    about:
      'The items: a list of ids or of mappings with an id, or { glob }, { file: x.jsonl | x.csv | x.json | x.txt, id }, { command }.',
    required: true,
  },
  generate: { shape: generate, about: 'How one item is produced.', required: true },
  audit: {
    shape: audit,
    about: 'What judges the output. Without an audit and without a review, every output is approved.',
  },
  review: CONFIG_KEYS.review,
  concurrency: { shape: leaf('count'), about: 'How many items are processed at once.', default: 1 },
  retry: { shape: retry, about: 'How often to retry, and when to halt.' },
  limits: {
    shape: conditions('limits'),
    about: 'What the run may use, as in pawl.yaml; max_iterations counts attempts.',
  },
  working_dir: CONFIG_KEYS.working_dir,
  agents: CONFIG_KEYS.agents,
  notify: CONFIG_KEYS.notify,
  prices: CONFIG_KEYS.prices,
} as const satisfies Keys;

/** A manifest after validation. */
export type ManifestValues = ValuesOf<typeof MANIFEST_KEYS>;
