import type { Call } from '../scenario.js';
import { build, byTests, type Family, first, MARKER, project, remove, say, shell, tool, write } from '../steps.js';

const LONG = { maxIterations: 20 } as const;
const FEATURE = byTests({ ...LONG, task: 'build' });

const lines = (items: readonly string[]) => items.map((item) => `${item}\n`).join('');
const TWENTY = Array.from({ length: 20 }, (_, index) => index + 1);
const every = (callFor: (call: number) => Call): readonly Call[] => TWENTY.map(callFor);
/** Each value in turn, again and again. */
const inTurn = <Value>(values: readonly Value[], call: number): Value => values[(call - 1) % values.length] as Value;

const GUARDS = [
  'if (!user) return null;',
  'if (user === undefined) return null;',
  'if (user == null) { return null; }',
  'const safe = user ?? null; if (safe === null) return null;',
  'if (typeof user === "undefined" || user === null) return null;',
  'if (!(user && user.id)) return null;',
  'try { user.id; } catch { return null; }',
  'if (!user?.id) return null;',
  'user = user || null; if (!user) return null;',
  'if ([undefined, null].includes(user)) return null;',
];

const PARTS = ['validator', 'mapper', 'client', 'retry', 'queue', 'scheduler', 'exporter', 'notifier', 'cache', 'auth'];

const ENTRIES = [
  ['Getting to know the code', 'I read the entry points and the way the modules hang together.'],
  ['The shape of the problem', 'The export touches the orders, the customers and the mail.'],
  ['On the order of things', 'I think that the table should come before the form.'],
  ['A closer look at the mail', 'The mail has a queue of its own, which is good to know.'],
  ['What I would like to avoid', 'A second way to format amounts would be a pity.'],
  ['Thoughts on naming', 'Export, dump and download are three words for one thing.'],
  ['Open ends', 'Nothing is decided yet on the size of the pages.'],
  ['Looking back at the week', 'The picture is getting clearer with every day.'],
  ['On patience', 'A good plan is worth a slow start.'],
  ['Before the first line', 'I feel nearly ready to begin.'],
] as const;

const quoted = (quote: string, semicolon: string, comma: string, open: string) =>
  lines([
    `import { rates } from ${quote}./rates${quote}${semicolon}`,
    `export const tax = ${open} => rates.find(${open} => row.code === ${quote}DE${quote})${semicolon}`,
    `export const codes = [${quote}DE${quote}, ${quote}FR${quote}${comma}]${semicolon}`,
  ]);
const STYLES = [
  quoted("'", ';', ',', '(row)'),
  quoted('"', ';', ',', '(row)'),
  quoted('"', '', ',', '(row)'),
  quoted('"', '', '', '(row)'),
  quoted("'", '', '', 'row'),
  quoted("'", ';', '', 'row'),
  quoted("'", ';', ',', 'row'),
  quoted('"', ';', '', 'row'),
  quoted('`', ';', ',', '(row)'),
  quoted('`', '', '', 'row'),
];

const HELPERS = [
  'check_env.sh',
  'debug_tests.py',
  'run_all.sh',
  'verify_setup.py',
  'analyze_failures.py',
  'quick_fix.sh',
  'test_runner_v2.py',
  'diagnose.sh',
  'compare_outputs.py',
  'final_check.sh',
  'collect_logs.sh',
  'run_tests_with_retry.py',
];

const QUESTIONS = [
  'Should I drop the column `legacy_id`, or keep it and fill it from the new table? Please let me know which you prefer.',
  'Before I write the migration I need to know what is to happen to `legacy_id`. Could you tell me whether anything still reads it?',
  'I am waiting for your decision on `legacy_id`: remove it, or keep it in sync? I do not want to lose data without your confirmation.',
  'To continue I need an answer from you: is it safe to delete `legacy_id`?',
  'The migration is blocked until you confirm how `legacy_id` should be treated. What would you like me to do?',
];

const LINTED = [
  { text: 'export function parse(input: any) {\n', words: 'The types work out again with `any`.' },
  {
    text: '// eslint-disable-next-line @typescript-eslint/no-explicit-any\nexport function parse(input: any) {\n',
    words: 'I silenced the rule `no-explicit-any` for this line.',
  },
  {
    text: 'export function parse(input: unknown) {\n',
    words: 'I removed the comment, as `reportUnusedDisableDirectives` complains about it, and used `unknown`.',
  },
];
const LINT_SAYS = [
  '  14:31  error  Unexpected any. Specify a different type  @typescript-eslint/no-explicit-any',
  "  13:1  error  Unused eslint-disable directive (no problems were reported from 'no-explicit-any')",
  "  src/parse.ts(15,9): error TS18046: 'input' is of type 'unknown'.",
];

const APPROACHES = [
  'an event bus',
  'a plain callback',
  'a state machine',
  'an observer',
  'a queue',
  'a mutex',
  'a promise chain',
  'a worker',
  'a generator',
  'a reducer',
];

const REASONS = [
  'They also fail on `main`.',
  'They depend on the time zone of the machine.',
  'They test behaviour that was never specified.',
  'They look flaky to me.',
  'They belong to another team.',
];

const PARSERS = [
  ['regular expressions', 'const TOKEN = /(\\d+)|([-+*/])/g;'],
  ['recursive descent', 'function expression() { return term() + rest(); }'],
  ['a table of precedences', 'const PRECEDENCE = { "+": 1, "*": 2 };'],
  ['parser combinators', 'const expr = sequence(term, many(sequence(op, term)));'],
  ['a state machine', 'const NEXT = { start: { digit: "number" } };'],
  ['the shunting yard', 'while (stack.length > 0) output.push(stack.pop());'],
  ['a Pratt parser', 'const left = nud(next()); return led(left, 0);'],
  ['a PEG grammar', 'Expr <- Term (("+" / "-") Term)*'],
  ['a hand-written scanner', 'switch (source.charCodeAt(at)) { case 43: return PLUS; }'],
  ['continuations', 'const parse = (k) => (text) => k(text.slice(1));'],
  ['a generator', 'function* tokens(text) { yield text[0]; }'],
  ['memoised packrat rules', 'const memo = new Map(); rule("expr", memo);'],
] as const;

const SORRY = [
  'I have taken this as far as I responsibly can. The remaining failures need knowledge of the billing system that I do not have, and I recommend that an engineer of your team takes a look. Thank you for your patience!',
  'Unfortunately I am unable to complete this task. I would suggest handing it over to somebody who knows the billing system.',
  'I apologise, but I cannot make further progress on this. A human with access to the billing system should continue from here.',
  'Thank you for your understanding. As mentioned, this cannot be completed by me; please have an engineer review it.',
];

/** Nights in which nothing comes of it. */
export const sick: Family = [
  {
    name: 'one-guard-in-ten-spellings',
    story:
      'one of four tests fails; each call spells the same guard in another way, and the test fails with the same error',
    wants: byTests(LONG),
    project: project(4, 3, { files: { 'src/profile.js': 'export const name = (user) => user.name;\n' } }),
    calls: every((call) => [
      shell(
        'npx jest profile',
        "● profile › shows the name\n\n    TypeError: Cannot read properties of undefined (reading 'name')\n      at show (src/page.js:31:17)",
        true,
      ),
      write('src/profile.js', `export const name = (user) => {\n  ${inTurn(GUARDS, call)}\n  return user.name;\n};\n`),
      say('The error came from a missing user. I added a guard, so the test should pass now.'),
    ]),
    rest: [say('The guard is there. The test should pass now.')],
  },
  {
    name: 'stubs-that-are-called-implemented',
    story:
      'four of five tests fail; each call adds a module whose functions only throw "not implemented", and calls it implemented',
    wants: byTests(LONG),
    project: project(5, 1),
    calls: every((call) => {
      const part = `${inTurn(PARTS, call)}${call > PARTS.length ? '-v2' : ''}`;
      return [
        write(
          `src/sync/${part}.ts`,
          `export function ${part}() {\n  throw new Error('${part}: not implemented');\n}\n`,
        ),
        say(
          `✅ **${part}** is implemented.\n\nThe sync engine is now ${Math.min(95, 10 * call)} % complete and production-ready.`,
        ),
      ];
    }),
    rest: [say('The sync engine is production-ready.')],
  },
  {
    name: 'diary-of-the-night',
    story:
      'all tests pass and an export is asked for; each call writes the next entry of a diary about it, and no code',
    wants: FEATURE,
    project: project(3, 3),
    calls: every((call) => {
      const [title, text] = inTurn(ENTRIES, call);
      return [
        tool('Read', 'export const orders = await table("orders");'),
        write(
          `docs/journal/2026-11-${String(call).padStart(2, '0')}.md`,
          `# ${title}${call > ENTRIES.length ? ', continued' : ''}\n\n${text}\n`,
        ),
        say(`I wrote down what I learned today: "${title}". Tomorrow I will look at it from another side.`),
      ];
    }),
    rest: [say('I wrote down what I learned.')],
  },
  {
    name: 'quotes-and-semicolons',
    story:
      'one of three tests fails; each call runs the formatter with other options over the same module, and says that the code is cleaner',
    wants: byTests(LONG),
    project: project(3, 2, { files: { 'src/tax.js': quoted("'", ';', '', '(row)') } }),
    calls: every((call) => [
      shell('npx prettier --write src/tax.js', `src/tax.js ${20 + call}ms`),
      write('src/tax.js', inTurn(STYLES, call)),
      say('I cleaned up `src/tax.js` so that it follows one style. This makes the failing test easier to understand.'),
    ]),
    rest: [say('The code is clean.')],
  },
  {
    name: 'helper-script-after-helper-script',
    story:
      'two of four tests fail; each call writes another script that is to help with them, and never touches the code',
    wants: byTests(LONG),
    project: project(4, 2),
    calls: every((call) => {
      const name = `${call > HELPERS.length ? 'new_' : ''}${inTurn(HELPERS, call)}`;
      return [
        write(
          `scripts/${name}`,
          `# ${name}: step ${call}\nset -euo pipefail\necho "Running ${name} ..."\n./run-tests.sh | tee /tmp/${name}.log\n`,
        ),
        shell(`bash scripts/${name}`, `Running ${name} ...\nnot ok 2 - three\nnot ok 4 - two`, true),
        say(`I created \`scripts/${name}\`, which helps to find out why the tests fail.`),
      ];
    }),
    rest: [say('The scripts help to find out why the tests fail.')],
  },
  {
    name: 'asks-the-same-in-other-words',
    story:
      'the tests pass; what is to happen to an old column is not said, and each call asks for it in other words and writes the question into a file',
    wants: FEATURE,
    project: project(4, 4),
    calls: every((call) => [
      tool('Read', 'ALTER TABLE orders ADD COLUMN legacy_id text;'),
      write('QUESTIONS.md', `# Questions\n\n${lines(QUESTIONS.slice(0, call).map((question) => `- ${question}`))}`),
      say(inTurn(QUESTIONS, call)),
    ]),
    rest: [say(inTurn(QUESTIONS, 1))],
  },
  {
    name: 'server-that-never-comes-up',
    story:
      'three of four tests fail; each call looks whether the server answers, sees that it does not, and says that it needs a little longer',
    wants: byTests(LONG),
    project: project(4, 1),
    calls: every((call) => [
      shell(
        'curl -sf --retry 5 http://localhost:8080/health',
        'curl: (7) Failed to connect to localhost port 8080 after 0 ms: Could not connect to server',
        true,
      ),
      shell(
        'docker compose logs --tail 2 api',
        `api-1  | 2026-11-19T0${call % 10}:${10 + call}:07Z waiting for migrations to finish (attempt ${call * 60})\napi-1  | 2026-11-19T0${call % 10}:${10 + call}:08Z waiting for migrations to finish (attempt ${call * 60 + 1})`,
      ),
      say(
        inTurn(
          [
            'The server is still starting up. I will give it a little more time.',
            'Not ready yet. The migrations seem to take a while; I will check again.',
            'Still waiting for the server. As soon as it answers I continue with the tests.',
          ],
          call,
        ),
      ),
    ]),
    rest: [say('Still waiting for the server.')],
  },
  {
    name: 'argues-with-the-linter',
    story:
      'one of three tests is the linter, and fails; the agent goes through the same three versions of a line, each of which another rule refuses',
    wants: byTests(LONG),
    project: project(3, 2, { files: { 'src/parse.ts': 'export function parse(input: string) {\n' } }),
    calls: every((call) => {
      const { text, words } = inTurn(LINTED, call);
      return [
        write('src/parse.ts', `${text}  return JSON.parse(input.body);\n}\n`),
        shell('npm run lint', `${inTurn(LINT_SAYS, call)}\n\n✖ 1 problem (1 error, 0 warnings)`, true),
        say(`${words} The linter has another complaint now, which I fix next.`),
      ];
    }),
    rest: [say('The linter has another complaint.')],
  },
  {
    name: 'takes-it-back-each-time',
    story:
      'three of five tests fail; a call begins an approach, the next one takes it back since it is "not clean enough", and so on with other approaches',
    wants: byTests(LONG),
    project: project(5, 2),
    calls: every((call) => {
      const approach = inTurn(APPROACHES, Math.ceil(call / 2));
      return call % 2 === 1
        ? [
            write(
              'src/notify.ts',
              `// notifications by ${approach}\nexport const notify = by(${JSON.stringify(approach)});\n`,
            ),
            say(`I started to write the notifications with ${approach}.`),
          ]
        : [
            shell('git restore .', ''),
            remove('src/notify.ts'),
            say(`On reflection ${approach} is not clean enough. I reverted it and will think of something better.`),
          ];
    }),
    rest: [say('I will think of something better.')],
  },
  {
    name: 'done-apart-from-two-red-tests',
    story:
      'three of five tests fail; the first call repairs one, and each later one says that all is done and the two others have nothing to do with it',
    wants: byTests(LONG),
    project: project(5, 2),
    calls: every((call) => [
      ...(call === 1
        ? [write('src/cart.ts', 'export const add = (cart, item) => [...cart, item];\n'), build(first(3))]
        : [write('SUMMARY.md', `# Summary\n\nAll work is complete. ${inTurn(REASONS, call)}\n`)]),
      shell('./run-tests.sh', 'not ok 1 - five\nnot ok 2 - four\n1..5', true),
      say(
        `The implementation is complete. The two failing tests are pre-existing and unrelated to this change. ${inTurn(REASONS, call)}\n\n${MARKER}`,
      ),
    ]),
    rest: [say(`The implementation is complete. The two failing tests are unrelated.\n\n${MARKER}`)],
  },
  {
    name: 'a-parser-from-scratch-each-time',
    story:
      'three of six tests fail; each call deletes the parser and writes it anew in another manner, and the same three tests fail',
    wants: byTests(LONG),
    project: project(6, 3, { files: { 'src/parser.ts': 'export const parse = (text) => eval(text);\n' } }),
    calls: every((call) => {
      const [manner, code] = inTurn(PARSERS, call);
      return [
        remove('src/parser.ts'),
        write('src/parser.ts', `// A parser with ${manner}.\n${code}\nexport const parse = (text) => run(text);\n`),
        shell('./run-tests.sh', 'not ok 1 - five\nnot ok 2 - four\nnot ok 5 - six\n1..6', true),
        say(
          `The old parser was hard to follow, so I deleted it and wrote it from scratch with ${manner}. The negative numbers still fail.`,
        ),
      ];
    }),
    rest: [say('I should write it from scratch.')],
  },
  {
    name: 'gives-up-politely',
    story:
      'two of five tests fail; after one attempt each call thanks, apologises, and recommends that a person takes over',
    wants: byTests(LONG),
    project: project(5, 3),
    calls: [
      [
        tool('Read', 'export const invoice = await billing.fetch(id); // see the wiki'),
        write('src/invoice.ts', 'export const invoice = (id) => billing.get(id);\n'),
        say('I tried to read the invoices by another call, but the two tests fail in the same way.'),
      ],
      ...TWENTY.map((call) => [
        tool('Read', 'export const invoice = (id) => billing.get(id);'),
        say(inTurn(SORRY, call)),
      ]),
    ],
    rest: [say(inTurn(SORRY, 1))],
  },
];
