import {
  build,
  byFile,
  byTests,
  claim,
  claimAgain,
  type Family,
  first,
  NO_TESTS,
  project,
  say,
  write,
} from '../steps.js';

const LONG = { maxIterations: 15 };
const FEATURE = byTests({ task: 'build', ...LONG });

/** Other forms of the status line, and what only looks like one. */
export const statusForms: Family = [
  {
    name: 'needs-and-done',
    story: 'the message ends with a line that needs something and a line that says done',
    wants: FEATURE,
    project: project(3, 3),
    calls: [],
    rest: [
      write('src/deploy/steps.txt', 'build, copy, switch\n'),
      say('The steps are written.\n\nPAWL: NEEDS a deploy key\n\nPAWL: DONE'),
    ],
  },
  {
    name: 'needs-then-thanks',
    story: 'a word of thanks follows the line that needs something',
    wants: FEATURE,
    project: project(3, 3),
    calls: [],
    rest: [
      write('src/publish/steps.txt', 'pack, sign, send\n'),
      say('The steps are written.\n\nPAWL: NEEDS the token of the registry\n\nThank you!'),
    ],
  },
  {
    name: 'done-with-a-remark',
    story: 'the second call finishes and adds in brackets why to the line that says done',
    wants: FEATURE,
    project: project(3, 3),
    calls: [
      [write('src/theme/dark.txt', 'light on dark\n'), say('The dark theme works. The switch is next.')],
      [
        write('src/theme/switch.txt', 'in the menu\n'),
        build([...first(3), 'theme']),
        say('The switch works.\n\nPAWL: DONE (all tests pass)\n\n---\nGenerated with an assistant'),
      ],
    ],
    rest: claimAgain,
  },
  {
    name: 'quotes-an-old-need',
    story: 'the agent quotes what an earlier run needed and works; done in the third call',
    wants: FEATURE,
    project: project(3, 3),
    calls: [
      [
        write('src/vat/rates.txt', 'three rates\n'),
        say('The log of the last run ends with:\n> PAWL: NEEDS the tax rates\nThey are here now. The total is next.'),
      ],
      [write('src/vat/total.txt', 'sum, then round\n'), say('The total works. The invoice is next.')],
      [write('src/vat/invoice.txt', 'one line per rate\n'), build([...first(3), 'vat']), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'documents-the-line',
    story: 'the agent writes a page about the status line and shows it in a code block; done in the second call',
    wants: FEATURE,
    project: project(3, 3),
    calls: [
      [
        write('docs/status.txt', 'how an agent reports\n'),
        say('The page shows this example:\n\n```\nPAWL: NEEDS the address\n```\n\nThe index of the pages is next.'),
      ],
      [write('docs/index.txt', 'status\n'), build([...first(3), 'docs']), claim()],
    ],
    rest: claimAgain,
  },
];

const WORDS = ['rounding', 'currency', 'refund', 'deposit', 'discount', 'voucher', 'shipping', 'customs', 'postage'];
const TWELVE = Array.from({ length: 12 }, (_, index) => index);
const word = (index: number) => `${WORDS[index % 9]} ${WORDS[(index * 4 + 1) % 9]}`;

/** The agent asks a person in every call, and writes something each time. */
export const asksAndWrites: Family = [
  {
    name: 'asks-and-adds-a-remark',
    story: 'every call adds a remark to the code and asks for the same decision',
    wants: byTests(LONG),
    project: project(3),
    calls: TWELVE.map((index) => [
      write(
        'src/pay.txt',
        TWELVE.slice(0, index + 1)
          .map((one) => `# open: ${word(one)} ${one}\n`)
          .join(''),
      ),
      say('I need your decision: which of the two providers should I use? I cannot continue without it.'),
    ]),
    rest: [say('I need your decision: which of the two providers should I use?')],
  },
  {
    name: 'asks-and-drafts',
    story: 'every call drafts another page that nobody asked for and says that it is blocked; there are no tests',
    wants: byFile(LONG),
    project: NO_TESTS,
    calls: TWELVE.map((index) => [
      write(`drafts/${WORDS[index % 9]}-${index}.txt`, `A draft about ${word(index)}\n`),
      say('I am blocked until you send the contract. Please upload it so that I can start.'),
    ]),
    rest: [say('I am blocked until you send the contract.')],
  },
  {
    name: 'asks-while-it-repairs',
    story: 'every call repairs a test and asks for a confirmation; the eighth repairs the last',
    wants: byTests(LONG),
    project: project(8),
    calls: TWELVE.slice(0, 8).map((index) => [
      build(first(index + 1)),
      index === 7 ? claim() : say('This test passes. I need your confirmation of the name before I continue.'),
    ]),
    rest: claimAgain,
  },
  {
    name: 'asks-three-times-then-decides',
    story: 'three calls prepare something and ask which format to use, the fourth decides; done in the fifth',
    wants: byTests(LONG),
    project: project(3),
    calls: [
      ...['reader', 'writer', 'checker'].map((part) => [
        write(`src/format/${part}.txt`, `${part} for both formats\n`),
        say('Please tell me which format to use. I prepare what both need.'),
      ]),
      [build(first(2)), say('There was no answer, so I chose the older format.')],
      [build(first(3)), claim()],
    ],
    rest: claimAgain,
  },
];
