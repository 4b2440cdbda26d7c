import type { Call } from '../scenario.js';
import {
  build,
  byFile,
  byTests,
  type Family,
  first,
  MARKER,
  NAMES,
  NO_TESTS,
  project,
  refuse,
  remove,
  say,
  shell,
  tool,
  write,
} from '../steps.js';

const LONG = { maxIterations: 20 } as const;
const FEATURE = byTests({ ...LONG, task: 'build' });

const lines = (items: readonly string[]) => items.map((item) => `${item}\n`).join('');
const done = (words: string) => say(`${words}\n\n${MARKER}`);
const again: Call = [done('Nothing has changed since my last turn: the task is complete.')];

const MANAGER = [
  ['pricing', 3, 'The totals still come from `OrderManager`, so the checkout tests cannot resolve their imports yet.'],
  ['discounts', 3, 'Five tests are red because `OrderManager` no longer applies discounts. That is expected here.'],
  ['inventory', 2, 'One more test is red now: it reads the stock through the old class.'],
  ['shipping', 4, 'The two shipping tests pass against the new service.'],
  ['invoices', 3, 'The invoice tests need the tax service, which I extract next.'],
  ['taxes', 3, 'Taxes are out. The facade that ties the services together is still missing.'],
  ['payments', 3, 'The last big piece is out. What is left of `OrderManager` is 140 lines of wiring.'],
  ['refunds', 5, 'All eight services exist. I will write the facade next, and then the callers move over.'],
] as const;

const MODELS = ['user', 'team', 'invoice', 'payment', 'session', 'webhook', 'audit', 'export'];
const columns = (name: string) => [`id`, `${name}_at`, `${name}_state`];

const RUNS = [
  ['lr=3e-4', '1.4821'],
  ['lr=1e-3', '1.4655'],
  ['lr=3e-3', '1.5912'],
  ['lr=1e-3 warmup=200', '1.4602'],
  ['lr=1e-3 warmup=800', '1.4630'],
  ['lr=1e-3 warmup=200 wd=0.1', '1.4488'],
  ['lr=1e-3 warmup=200 wd=0.3', '1.4571'],
  ['lr=1e-3 warmup=200 wd=0.1 dropout=0.1', '1.4703'],
] as const;

const IDEAS = [
  ['GELU in place of ReLU', '0.9979', 'discard'],
  ['a larger embedding', '1.0134', 'discard'],
  ['rotary positions', '0.9921', 'discard'],
  ['no bias in the projections', '0.9968', 'discard'],
  ['a cosine schedule', '0.9953', 'discard'],
  ['QK normalisation', '0.9861', 'discard'],
] as const;

const DOCSTRINGS = ['accounts', 'billing', 'ledger', 'mailer', 'reports', 'search', 'uploads'];
const documented = (name: string) =>
  lines([
    `def ${name}_total(rows):`,
    `    """Return the total of all ${name} rows.`,
    '',
    '    Rows without an amount count as zero.',
    '    """',
    '    return sum(row.amount or 0 for row in rows)',
  ]);
const bare = (name: string) => lines([`def ${name}_total(rows):`, '    return sum(row.amount or 0 for row in rows)']);

const WORKSPACES = ['api', 'web', 'worker', 'admin', 'mobile', 'shared', 'emails', 'cli'];
const FLAT_CONFIG = lines([
  "import { base } from '@acme/eslint-config';",
  '',
  'export default [...base, { ignores: ["dist/**"] }];',
]);

const LOCALES = ['de', 'fr', 'es', 'it', 'nl', 'pl', 'pt-BR', 'ja'];
const WORDS: Readonly<Record<string, readonly string[]>> = {
  de: ['Speichern', 'Abbrechen', 'Löschen'],
  fr: ['Enregistrer', 'Annuler', 'Supprimer'],
  es: ['Guardar', 'Cancelar', 'Eliminar'],
  it: ['Salva', 'Annulla', 'Elimina'],
  nl: ['Opslaan', 'Annuleren', 'Verwijderen'],
  pl: ['Zapisz', 'Anuluj', 'Usuń'],
  'pt-BR': ['Salvar', 'Cancelar', 'Excluir'],
  ja: ['保存', 'キャンセル', '削除'],
};

const CITIES = ['Lisbon', 'Porto', 'Braga', 'Faro', 'Évora', 'Coimbra', 'Aveiro', 'Setúbal'];
const addresses = (geocoded: number) =>
  lines([
    'id,city,lat,lon',
    ...CITIES.flatMap((city, batch) =>
      Array.from({ length: 4 }, (_, row) => {
        const id = batch * 4 + row;
        return batch < geocoded ? `${id},${city},${38 + batch * 0.31 + row / 100},${-8 - row / 50}` : `${id},${city},,`;
      }),
    ),
  ]);

const BISECTED = [
  [1188, 'good', 594, 10],
  [594, 'bad', 297, 9],
  [297, 'good', 148, 8],
  [148, 'good', 74, 7],
  [74, 'bad', 37, 6],
  [37, 'bad', 18, 5],
  [18, 'good', 9, 4],
] as const;

const DJANGO = [
  ["ImportError: cannot import name 'url' from 'django.conf.urls'", 'urls.py', 're_path(r"^orders/$", orders)'],
  ["ImportError: cannot import name 'ugettext_lazy' from 'django.utils.translation'", 'models.py', 'gettext_lazy'],
  ["ImportError: cannot import name 'force_text' from 'django.utils.encoding'", 'encoding.py', 'force_str'],
  ["AttributeError: module 'pytz' has no attribute 'UTC'; use datetime.timezone.utc", 'clock.py', 'timezone.utc'],
  ["TypeError: Signal.__init__() got an unexpected keyword argument 'providing_args'", 'signals.py', 'Signal()'],
  ["ImproperlyConfigured: DEFAULT_AUTO_FIELD must be set in 'shop.settings'", 'settings.py', 'BigAutoField'],
] as const;
const django = (error: string) =>
  lines(['Traceback (most recent call last):', '  File "manage.py", line 22, in <module>', '    main()', error]);

const STEPS = ['parse the header', 'skip blank rows', 'trim the cells', 'quote the commas', 'keep the order'];

/** Nights that end well, although they do not look like it at two in the morning. */
export const healthy: Family = [
  {
    name: 'splits-the-order-manager',
    story:
      'all eight tests pass; a class of 3,000 lines is split into eight services, and five or so tests are red for eight calls; done in the tenth',
    wants: FEATURE,
    project: project(8, 8),
    calls: [
      ...MANAGER.map(([name, passing, words]) => [
        tool('Read', `class OrderManager {  // ${name}: 380 lines`),
        write(
          `src/services/${name}.ts`,
          `export class ${name}Service {\n  constructor(private readonly orders: Orders) {}\n  run${name}() {}\n}\n`,
        ),
        build(first(passing)),
        shell(
          'npm test -- --silent',
          `Tests:       ${8 - passing} failed, ${passing} passed, 8 total\nTime:        21.4 s`,
          true,
        ),
        say(`I extracted \`src/services/${name}.ts\`. ${words}`),
      ]),
      [
        write('src/services/facade.ts', 'export const orders = new Facade(pricing, shipping, invoices, payments);\n'),
        build(first(6)),
        say('The facade is written, and six of the eight tests pass again. The two callers in `admin/` are left.'),
      ],
      [
        write('src/admin/orders.ts', "import { orders } from '../services/facade';\n"),
        build(first(8)),
        done('`OrderManager` is gone. All callers use the facade, and all eight tests pass.'),
      ],
    ],
    rest: again,
  },
  {
    name: 'models-from-sequelize-to-drizzle',
    story:
      'all tests pass; each of eight calls moves one model to another library: the old file goes, the new one has the same columns',
    wants: FEATURE,
    project: project(5, 5, {
      files: Object.fromEntries(
        MODELS.map((name) => [
          `models/${name}.js`,
          lines([
            `module.exports = define('${name}', {`,
            ...columns(name).map((column) => `  ${column}: STRING,`),
            '});',
          ]),
        ]),
      ),
    }),
    calls: MODELS.map((name, index) => [
      remove(`models/${name}.js`),
      write(
        `db/${name}.ts`,
        lines([
          "import { pgTable, text } from 'drizzle-orm/pg-core';",
          '',
          `export const ${name} = pgTable('${name}', {`,
          ...columns(name).map((column) => `  ${column}: text('${column}'),`),
          '});',
        ]),
      ),
      shell('npx drizzle-kit check', "Everything's fine 🐶🔥"),
      index === 7
        ? done('The last model is moved and `sequelize` is no longer imported anywhere. The migration is complete.')
        : say(`\`${name}\` is a Drizzle table now. ${7 - index} models to go; \`${MODELS[index + 1]}\` is next.`),
    ]),
    rest: again,
  },
  {
    name: 'nightly-suite-of-forty-minutes',
    story:
      'two of six tests fail; the suite is slow, and a test of something else fails by chance after the third call; done in the fifth',
    wants: byTests(LONG),
    project: project(6, 4, { flake: { test: 'two', afterCall: 3, runs: 2, says: 'not ok' } }),
    calls: [
      [
        tool('Read', 'async function poll(queue) { await sleep(50); }'),
        write('src/queue.ts', 'export async function poll(queue) { await queue.waitFor("ready"); }\n'),
        shell('./run-tests.sh', '6 tests, 2 failures\nFinished in 41 minutes 12 seconds', true),
        say('I replaced the sleep by an event. The two failures have another cause: the lock is taken twice.'),
      ],
      [
        write('src/lock.ts', 'export const lock = new Mutex({ reentrant: false });\n'),
        build(first(5)),
        say('`five` passes now. `six` still times out in CI mode. I look at the worker next.'),
      ],
      [
        write('src/worker.ts', 'worker.on("exit", () => release(lock));\n'),
        shell('./run-tests.sh', '6 tests, 2 failures: two, six\nFinished in 43 minutes 2 seconds', true),
        say('`two` failed in this run, too. I have not touched what it tests; it waits for a fixed port.'),
      ],
      [
        tool('Read', 'const port = 4011; // shared with the mail tests'),
        write('src/worker.ts', 'worker.once("exit", () => release(lock));\nworker.unref();\n'),
        say('The worker no longer keeps the lock. I am left with the order in which it is shut down.'),
      ],
      [
        write('src/shutdown.ts', 'await Promise.all(workers.map(stop));\n'),
        build(first(6)),
        done('All six tests pass. The failure of `two` came from the fixed port and is unrelated.'),
      ],
    ],
    rest: again,
  },
  {
    name: 'sweeps-the-learning-rate',
    story:
      'there are no tests; each of eight calls trains with other settings and writes the loss to a table; the ninth writes the best ones down',
    wants: byFile(LONG),
    project: {
      ...NO_TESTS,
      ignored: ['runs/'],
      files: { 'train.py': 'main(parse_args())\n', 'experiments.tsv': 'settings\tval_loss\n' },
    },
    calls: [
      ...RUNS.map(([settings, loss], index) => [
        shell(
          `python train.py ${settings.replaceAll(' ', ' --')} > runs/${index + 1}.log; tail -2 runs/${index + 1}.log`,
          `step 9900/10000 | train ${(Number(loss) - 0.04).toFixed(4)} | 412 ms/step\nval_loss ${loss}`,
        ),
        write('experiments.tsv', `settings\tval_loss\n${lines(RUNS.slice(0, index + 1).map((row) => row.join('\t')))}`),
        say(`${settings} gives a validation loss of ${loss}. I try the next setting.`),
      ]),
      [
        write('config/best.yaml', 'lr: 1e-3\nwarmup: 200\nweight_decay: 0.1\n'),
        write('DONE.md', 'Best: lr=1e-3 warmup=200 wd=0.1 with 1.4488.\n'),
        done('Eight runs are done. The best settings are in `config/best.yaml`.'),
      ],
    ],
    rest: again,
  },
  {
    name: 'seven-ideas-for-the-model',
    story:
      'there are no tests; each call tries an idea in the model, trains for minutes, and takes it back as the loss is no better; the seventh is better, the eighth writes the result',
    wants: byFile(LONG),
    project: {
      ...NO_TESTS,
      ignored: ['results.tsv', 'run.log'],
      files: { 'train.py': 'model = GPT(depth=8, act="relu")\n' },
    },
    calls: [
      ...IDEAS.map(([idea, loss, verdict], index) => [
        write('train.py', `model = GPT(depth=8, act="relu")  # ${idea}\n`),
        shell(
          'uv run train.py > run.log 2>&1; grep "^val_bpb:\\|^peak_vram_mb:" run.log',
          `val_bpb:          ${loss}\npeak_vram_mb:     ${45_060 + index * 37}.2`,
        ),
        write('results.tsv', lines(IDEAS.slice(0, index + 1).map((row) => row.join('\t')))),
        shell('git checkout train.py', 'Updated 1 path from the index'),
        write('train.py', 'model = GPT(depth=8, act="relu")\n'),
        say(
          `Experiment ${index + 1}: ${idea} gives val_bpb ${loss}, against 0.9847 of the baseline: ${verdict}. I go on with the next idea.`,
        ),
      ]),
      [
        write('train.py', 'model = GPT(depth=8, act="relu2", value_embeddings=True)\n'),
        shell('uv run train.py > run.log 2>&1; grep "^val_bpb:" run.log', 'val_bpb:          0.9702'),
        say('Experiment 7: value embeddings give 0.9702. I keep it, and confirm it with a second seed.'),
      ],
      [
        shell('uv run train.py --seed 2 > run.log 2>&1; grep "^val_bpb:" run.log', 'val_bpb:          0.9711'),
        write('DONE.md', 'Value embeddings and a squared ReLU: 0.9702 and 0.9711 with the second seed.\n'),
        done('The second seed confirms it. The model is 1.5 % better than the baseline.'),
      ],
    ],
    rest: again,
  },
  {
    name: 'docstrings-for-seven-modules',
    story: 'all tests pass; the task is documentation, and each of seven calls writes the docstrings of another module',
    wants: FEATURE,
    project: project(4, 4, { files: Object.fromEntries(DOCSTRINGS.map((name) => [`shop/${name}.py`, bare(name)])) }),
    calls: DOCSTRINGS.map((name, index) => [
      tool('Read', bare(name)),
      write(`shop/${name}.py`, documented(name)),
      shell(`pydocstyle shop/${name}.py`, ''),
      index === 6
        ? done('All public functions of the seven modules have docstrings, and pydocstyle is quiet.')
        : say(
            `The public functions of \`shop/${name}.py\` are documented. Next: \`shop/${DOCSTRINGS[index + 1]}.py\`.`,
          ),
    ]),
    rest: again,
  },
  {
    name: 'flat-config-in-each-workspace',
    story:
      'a monorepo whose tests pass; each of eight calls replaces the lint settings of another workspace by the same new file',
    wants: FEATURE,
    project: project(3, 3, {
      files: Object.fromEntries(
        WORKSPACES.map((name) => [`packages/${name}/.eslintrc.json`, '{ "extends": "@acme/legacy" }\n']),
      ),
    }),
    calls: WORKSPACES.map((name, index) => [
      remove(`packages/${name}/.eslintrc.json`),
      write(`packages/${name}/eslint.config.js`, FLAT_CONFIG),
      shell(`pnpm --filter @acme/${name} lint`, `> @acme/${name}@4.2.0 lint\n> eslint .\n`),
      index === 7
        ? done('All eight workspaces use the flat config, and `pnpm -r lint` is clean.')
        : say(`\`packages/${name}\` lints with the flat config. ${7 - index} workspaces are left.`),
    ]),
    rest: again,
  },
  {
    name: 'locales-by-the-generator',
    story: 'all tests pass; each of eight calls runs the generator of translations for another language',
    wants: FEATURE,
    project: project(3, 3, {
      files: { 'locales/en.json': '{\n  "save": "Save",\n  "cancel": "Cancel",\n  "delete": "Delete"\n}\n' },
    }),
    calls: LOCALES.map((locale, index) => {
      const [save, cancel, remove_] = WORDS[locale] ?? [];
      return [
        shell(`npm run i18n -- --locale ${locale}`, `i18n: 3 keys translated, 0 fuzzy\nwrote locales/${locale}.json`),
        write(`locales/${locale}.json`, `${JSON.stringify({ save, cancel, delete: remove_ }, null, 2)}\n`),
        index === 7
          ? done('All eight languages are there.')
          : say(`\`${locale}\` is translated. ${7 - index} languages are left.`),
      ];
    }),
    rest: again,
  },
  {
    name: 'geocodes-in-batches',
    story:
      'there are no tests; each of eight calls sends a batch of addresses to a service that allows no more, and fills in its coordinates',
    wants: byFile(LONG),
    project: { ...NO_TESTS, files: { 'data/addresses.csv': addresses(0), 'geocode.py': 'run(batch=4)\n' } },
    calls: CITIES.map((city, index) => [
      shell(
        'python geocode.py --batch 4',
        `requests: 4 ok, 0 failed\nquota: ${2500 - (index + 1) * 312} left today\n${(index + 1) * 4} of 32 rows have coordinates`,
      ),
      write('data/addresses.csv', addresses(index + 1)),
      ...(index === 7
        ? [write('DONE.md', 'All 32 addresses have coordinates.\n'), done('All addresses are geocoded.')]
        : [say(`The batch with ${city} is done: ${(index + 1) * 4} of 32. I continue with the next batch.`)]),
    ]),
    rest: again,
  },
  {
    name: 'red-green-refactor',
    story:
      'all four tests pass; five times in turn a call writes a failing test and the next one makes it pass; the eleventh tidies up',
    wants: FEATURE,
    project: project(4, 4),
    calls: [
      ...STEPS.flatMap((step, index) => {
        const name = NAMES[4 + index] ?? '';
        return [
          [
            write(`tests/${name}.test`, `${name}\n`),
            shell('./run-tests.sh', `not ok ${5 + index} - ${name}\n1..${5 + index}`, true),
            say(`Red: the new test says that the import has to ${step}. It fails, as it should.`),
          ],
          [
            write(`src/import/${name}.ts`, `export const ${name} = (row: Row) => row; // ${step}\n`),
            build(first(5 + index)),
            say(`Green: the import can ${step}.`),
          ],
        ];
      }),
      [
        write('src/import/index.ts', `export const steps = [${NAMES.slice(4, 9).join(', ')}];\n`),
        done('Refactored: the five steps are one pipeline. All nine tests pass.'),
      ],
    ],
    rest: again,
  },
  {
    name: 'bisects-twelve-hundred-commits',
    story:
      'one test fails; each of seven calls builds and times an older state, which takes half an hour; the eighth finds the commit and repairs it',
    wants: byTests(LONG),
    project: project(5, 4),
    calls: [
      ...BISECTED.map(([left, verdict, next, steps]) => [
        shell(
          'cargo build --release',
          `   Compiling store v0.${left % 40}.2\n    Finished \`release\` profile in 28m ${left % 60}s`,
        ),
        shell(
          `./bench/lookup.sh && git bisect ${verdict}`,
          `lookup: ${verdict === 'bad' ? 910 + left / 100 : 118 + left / 100} µs\nBisecting: ${next} revisions left to test after this (roughly ${steps} steps)`,
        ),
        say(`This state is ${verdict}. ${next} revisions are left, and I build the one in the middle next.`),
      ]),
      [
        shell('git bisect bad', '5be1d07 is the first bad commit\n    cache: key by path in place of the digest'),
        write('src/cache.rs', 'let key = entry.digest();\n'),
        build(first(5)),
        done('5be1d07 keyed the cache by path. It is keyed by digest again, and the lookup takes 120 µs.'),
      ],
    ],
    rest: again,
  },
  {
    name: 'django-three-to-five',
    story:
      'all tests pass; the framework is upgraded, nothing starts for six calls, each of which repairs another error; then 3, 6 and 9 tests pass, with two usage limits in between',
    wants: { ...FEATURE, maxWaitMs: 10_000 },
    project: project(9, 9, { files: { 'requirements.txt': 'Django==3.2.25\npytz==2023.3\n' } }),
    calls: [
      [
        write('requirements.txt', 'Django==5.1.4\n'),
        write('src/broken.txt', django(DJANGO[0][0])),
        build([]),
        shell('python manage.py check', DJANGO[0][0], true),
        say('Django 5.1 is installed. As expected, nothing starts. I go through the errors one by one.'),
      ],
      ...DJANGO.slice(0, 3).map(([, file, replacement], index) => [
        write(`shop/${file}`, `USE = "${replacement}"\n`),
        write('src/broken.txt', django(DJANGO[index + 1]?.[0] ?? '')),
        say(`\`shop/${file}\` uses ${replacement}. The next one is: ${DJANGO[index + 1]?.[0]}`),
      ]),
      [say('I continue with the clock.'), refuse('usage-limit', 1500)],
      ...DJANGO.slice(3, 5).map(([, file, replacement], index) => [
        write(`shop/${file}`, `USE = "${replacement}"\n`),
        write('src/broken.txt', django(DJANGO[index + 4]?.[0] ?? '')),
        say(`\`shop/${file}\` uses ${replacement}. The next one is: ${DJANGO[index + 4]?.[0]}`),
      ]),
      [
        write('shop/settings.py', 'DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"\n'),
        remove('src/broken.txt'),
        build(first(3)),
        say('It starts. Three of nine tests pass; the others fail in the forms.'),
      ],
      [refuse('usage-limit', 1500)],
      [write('shop/forms.py', 'widget = forms.DateInput()\n'), build(first(6)), say('Six of nine pass.')],
      [
        write('shop/admin.py', '@admin.display(description="total")\n'),
        build(first(9)),
        done('The project runs on Django 5.1, and all nine tests pass.'),
      ],
    ],
    rest: again,
  },
];
