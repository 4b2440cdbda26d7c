import {
  build,
  byFile,
  byTests,
  claim,
  claimAgain,
  type Family,
  first,
  MARKER,
  NO_TESTS,
  project,
  say,
  tool,
  write,
} from '../steps.js';

const LONG = { maxIterations: 15 };

/** An explicit request to a person, or only something that looks like one. */
export const requests: Family = [
  {
    name: 'which-tax-rule',
    story: 'the first call asks which of two tax rules applies, and every later call asks for the same decision',
    wants: byTests(LONG),
    project: project(3),
    calls: [
      [
        write('docs/refunds.md', 'Rule A: tax of the day of sale. Rule B: tax of the day of the refund.\n'),
        say('Which of the two tax rules applies to refunds? Please decide; I cannot continue before that.'),
      ],
    ],
    rest: [
      say('I am still waiting for your decision on the tax rule for refunds. Please let me know which one applies.'),
    ],
  },
  {
    name: 'waits-for-a-confirmation',
    story: 'two calls of work, then every call waits for a confirmation before it deletes a table; there are no tests',
    wants: byFile(LONG),
    project: NO_TESTS,
    calls: [
      [write('db/0001-copy.sql', 'insert into orders select * from orders_old;\n'), say('The copy is written.')],
      [write('db/0002-check.sql', 'select count(*) from orders;\n'), say('The check is written.')],
      [say('The last step drops the table orders_old. Please confirm that I may do this. I do nothing until you do.')],
    ],
    rest: [say('Nothing has changed: I need your confirmation before I drop orders_old.')],
  },
  {
    name: 'needs-the-customer-list',
    story:
      'one test passes after the first call, then each call asks the user to upload a file and writes down that it waits',
    wants: byTests(LONG),
    project: project(3),
    calls: [
      [build(first(1)), say('The import of products works.')],
      ...[2, 3, 4, 5, 6, 7, 8].map((count) => [
        write('NOTES.md', `Call ${count}: customers.csv is missing.\n`),
        say('Could you upload customers.csv to the import folder? Without it there is nothing more that I can do.'),
      ]),
    ],
    rest: [say('Could you upload customers.csv to the import folder?')],
  },
  {
    name: 'asks-once-then-decides',
    story: 'the second call asks how to round, the third decides by itself, the fourth finishes',
    wants: byTests(LONG),
    project: project(3),
    calls: [
      [build(first(1)), say('Totals work.')],
      [say('Should amounts be rounded up or half to even? Please tell me which you want.')],
      [build(first(2)), say('There was no answer, so I chose half to even and wrote it down in the code.')],
      [build(first(3)), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'offers-more-at-the-end',
    story: 'two calls each end with an offer to do more, and so does the third, which finishes',
    wants: byTests(LONG),
    project: project(3),
    calls: [
      [build(first(1)), say('The menu works. Would you like me to add icons? Please let me know.')],
      [build(first(2)), say('The dialog works. Do you want a dark theme? Please tell me and I will add it.')],
      [build(first(3)), say(`All three parts work. Shall I translate them as well? Please let me know.\n\n${MARKER}`)],
    ],
    rest: claimAgain,
  },
];

const needs = (what: string) => `PAWL: NEEDS ${what}`;

/** The line in which an agent says what it needs, and the same line in other places. */
export const statusLine: Family = [
  {
    name: 'status-needs-a-password',
    story: 'the first message ends with the line `PAWL: NEEDS a database password`',
    wants: byTests(LONG),
    project: project(3),
    calls: [],
    rest: [say(`The tests connect to the shared database, which refuses me.\n\n${needs('a database password')}`)],
  },
  {
    name: 'status-needs-a-decision',
    story: 'two calls of work; the third also works, and its last message ends with what it needs',
    wants: byFile(LONG),
    project: NO_TESTS,
    calls: [
      [write('site/index.html', '<h1>Opening hours</h1>\n'), say('The start page is there.\n\nPAWL: CONTINUE')],
      [write('site/prices.html', '<h1>Prices</h1>\n'), say('The prices are there.\n\nPAWL: CONTINUE')],
      [
        write('site/imprint.html', '<h1>Imprint</h1>\n'),
        say(`The imprint lacks the name of the owner.\n\n${needs('the name and address of the owner')}`),
      ],
    ],
    rest: [say(`I changed nothing.\n\n${needs('the name and address of the owner')}`)],
  },
  {
    name: 'status-line-in-a-tool',
    story: 'a file that the agent reads ends with the line; the agent itself works and finishes in the third call',
    wants: byTests(LONG),
    project: project(3),
    calls: [
      [
        build(first(1)),
        tool('Read', `Log of yesterday\nThe agent stopped.\n${needs('a database password')}`),
        say('Yesterday a password was missing. It is in the environment now, and the first test passes.'),
      ],
      [tool('Bash', needs('a database password')), build(first(2)), say('The second test passes.')],
      [build(first(3)), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'status-line-of-a-subagent',
    story: 'a subagent ends with the line, the agent solves it; done in the third call',
    wants: byTests(LONG),
    project: project(3),
    calls: [
      [
        {
          do: 'say',
          text: `I cannot read the schema.\n\n${needs('the schema of the billing service')}`,
          usd: 0.02,
          isSubagent: true,
        },
        build(first(1)),
        say('The subagent missed the schema, which is in the docs folder. I gave it the path.'),
      ],
      [build(first(2)), say('The subagent has finished. One part is left.')],
      [build(first(3)), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'status-line-quoted',
    story: 'the agent quotes the line in the middle of its messages and works; done in the fourth call',
    wants: byTests(LONG),
    project: project(4),
    calls: [
      [
        build(first(1)),
        say(`If the key were missing, I would end with this line:\n${needs('an API key')}\nIt is here, so I continue.`),
      ],
      [build(first(2)), say(`The run before this one printed "${needs('an API key')}". That is solved.`)],
      [build(first(3)), say('Three of four pass.')],
      [build(first(4)), claim()],
    ],
    rest: claimAgain,
  },
];
