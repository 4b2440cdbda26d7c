import { build, byTests, claim, claimAgain, type Family, first, project, say, shell, tool, write } from '../steps.js';

const LONG = { maxIterations: 15 };
const FEATURE = byTests({ task: 'build', ...LONG });

const NPM = `npm error code E401
npm error Unable to authenticate, your authentication token seems to be invalid.
npm error To correct this please try logging in again with:
npm error   npm login`;
const AWS = 'fatal error: Unable to locate credentials';
const DOCKER = 'denied: requested access to the resource is denied';
const MYSQL = "ERROR 1045 (28000): Access denied for user 'guest'@'localhost' (using password: YES)";

/** Programs say in words of their own that a login is missing. */
export const missingLogins: Family = [
  {
    name: 'npm-wants-a-login',
    story: 'each call installs packages, the registry refuses the token, and nothing else is tried',
    wants: byTests(LONG),
    project: project(3, 1),
    calls: [],
    rest: [shell('npm ci', NPM, true), say('The installation failed again.')],
  },
  {
    name: 'cloud-without-credentials',
    story: 'each call uploads the build, the cloud finds no credentials, and nothing else is tried',
    wants: byTests(LONG),
    project: project(3, 1),
    calls: [],
    rest: [shell('aws s3 cp dist s3://shop --recursive', AWS, true), say('I tried the upload once more.')],
  },
  {
    name: 'refuses-the-guest',
    story: 'the feature is a database that refuses guests: its refusal is the same in each call; done in the fifth',
    wants: FEATURE,
    project: project(3, 3),
    calls: [
      ...['grants', 'roles', 'views', 'audit'].map((part) => [
        write(`src/database/${part}.txt`, `${part}: guests read nothing\n`),
        shell('mysql -u guest -p"$GUEST" -e "select * from orders"', MYSQL, true),
        say(`The guest is refused, as it should be. The ${part} are written.`),
      ]),
      [write('src/database/backup.txt', 'every night\n'), build([...first(3), 'database']), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'another-login-each-time',
    story: 'three calls meet three refusals and write nothing; the fourth finds the vault and finishes',
    wants: FEATURE,
    project: project(3, 3),
    calls: [
      [shell('docker push shop', DOCKER, true), say('The push was refused. I will look at the registry next.')],
      [shell('npm ci', NPM, true), say('The packages come from there as well. I will look at the vault next.')],
      [
        shell('aws s3 ls', AWS, true),
        say('So does the cloud. The vault has all three. I will read them from it next.'),
      ],
      [write('src/deploy/vault.txt', 'read the three tokens\n'), build([...first(3), 'deploy']), claim()],
    ],
    rest: claimAgain,
  },
];

/** A need does not always fit into one line. */
export const needsOverLines: Family = [
  {
    name: 'need-over-two-lines',
    story: 'the status line names what the agent needs and is wrapped',
    wants: FEATURE,
    project: project(3, 3),
    calls: [],
    rest: [
      write('src/mail/send.txt', 'one at a time\n'),
      say(
        'The sending is written.\n\nPAWL: NEEDS the password of the mail server, because each\nrequest is refused with 535',
      ),
    ],
  },
  {
    name: 'need-with-a-list',
    story: 'the status line says that it needs the following, and a list follows',
    wants: FEATURE,
    project: project(3, 3),
    calls: [],
    rest: [
      write('src/sync/pull.txt', 'newest first\n'),
      say(
        'The pull is written.\n\nPAWL: NEEDS the following:\n\n1. the host of the database\n2. a user that may write to it',
      ),
    ],
  },
  {
    name: 'needs-nothing-over-two-lines',
    story: 'the status line says over two lines that nothing is needed; done in the second call',
    wants: FEATURE,
    project: project(3, 3),
    calls: [
      [
        write('src/search/terms.txt', 'lower case\n'),
        say('The terms work.\n\nPAWL: NEEDS nothing from you at this point,\nthe index is next'),
      ],
      [write('src/search/index.txt', 'by term\n'), build([...first(3), 'search']), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'needs-more-work-over-two-lines',
    story: 'the status line says over two lines that it needs more work; done in the second call',
    wants: FEATURE,
    project: project(3, 3),
    calls: [
      [
        write('src/feed/read.txt', 'hourly\n'),
        say('The reader works.\n\nPAWL: NEEDS more work on the cache,\nwhich I write in the next step'),
      ],
      [write('src/feed/cache.txt', 'ten minutes\n'), build([...first(3), 'feed']), claim()],
    ],
    rest: claimAgain,
  },
];

const CONSENT = [
  ['dialog', 'The dialog now reads: We cannot continue without your consent.'],
  ['second-page', "The second page says 'Please confirm what we may keep. We are waiting for your answer.'"],
  ['choices', 'I added these texts:\n- Please choose what to allow\n- We are waiting for your decision'],
  ['mail', 'The mail is:\n\n"Dear customer,\n\nwe cannot proceed without your approval."\n\nIt is sent once.'],
  ['hint', 'The hint says: I am blocked until you answer.'],
  ['button', 'The button is labelled «We need your approval before we can start».'],
] as const;

const BOT = 'The bot now asks: Which address should I use? I am waiting for your answer.';

/** An agent quotes the words of what it builds, in quotation marks or without. */
export const quotedWords: Family = [
  {
    name: 'asks-below-a-quotation',
    story: 'the agent quotes a text, asks for a decision about it in each call, and changes nothing',
    wants: FEATURE,
    project: project(3, 3),
    calls: [],
    rest: [
      tool('Read', 'Please confirm your address'),
      say("The page says 'Please confirm your address'. I need your decision on whether that text stays."),
    ],
  },
  {
    name: 'asks-after-a-program-has',
    story: 'the agent repeats what a program says, asks for a token in each call, and changes nothing',
    wants: FEATURE,
    project: project(3, 3),
    calls: [],
    rest: [say('The registry says: you have to sign in first. Please provide a token, I cannot continue without one.')],
  },
  {
    name: 'writes-a-consent-dialog',
    story: 'the feature asks for consent, and each of six messages repeats a text of it; done in the seventh call',
    wants: FEATURE,
    project: project(3, 3),
    calls: [
      ...CONSENT.map(([part, words]) => [write(`src/consent/${part}.txt`, `${part} of the consent\n`), say(words)]),
      [write('src/consent/store.txt', 'with the date\n'), build([...first(3), 'consent']), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'tries-the-bot',
    story: 'two of four calls only try the bot and repeat what it asks; done in the fourth',
    wants: FEATURE,
    project: project(3, 3),
    calls: [
      [write('src/bot/ask.txt', 'one question\n'), say('The bot asks one question.')],
      [shell('./bot --try', 'Which address should I use?'), say(BOT)],
      [shell('./bot --try twice', 'Which address should I use?'), say(`${BOT} It asks once, and that is right.`)],
      [write('src/bot/answer.txt', 'by number\n'), build([...first(3), 'bot']), claim()],
    ],
    rest: claimAgain,
  },
];

const ESLINT = '/bin/bash: line 1: eslint: command not found';
const HADOLINT = '/bin/bash: line 1: hadolint: command not found';

/** A command that belongs to the agent's routine is missing, and it works all the same. */
export const missingHelpers: Family = [
  {
    name: 'linter-is-missing',
    story: 'each call runs a linter that is not installed; the third of five only reads; done in the fifth',
    wants: FEATURE,
    project: project(3, 3),
    calls: [
      [shell('eslint src', ESLINT, true), write('src/tags/add.txt', 'one at a time\n'), say('Tags can be added.')],
      [shell('eslint src', ESLINT, true), write('src/tags/drop.txt', 'by name\n'), say('Tags can be dropped.')],
      [
        shell('eslint src', ESLINT, true),
        tool('Read', 'by name'),
        say('I read how names are compared. Merging is next.'),
      ],
      [shell('eslint src', ESLINT, true), write('src/tags/merge.txt', 'keep the older\n'), say('Tags can be merged.')],
      [write('src/tags/list.txt', 'by use\n'), build([...first(3), 'tags']), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'checker-is-missing',
    story: 'each call runs a checker that is not installed; the second and third of five only read; done in the fifth',
    wants: FEATURE,
    project: project(3, 3),
    calls: [
      [shell('hadolint Dockerfile', HADOLINT, true), write('src/image/base.txt', 'slim\n'), say('The base is chosen.')],
      [
        shell('hadolint Dockerfile', HADOLINT, true),
        tool('Read', 'slim'),
        say('I read what the base has. Users are next.'),
      ],
      [
        shell('hadolint Dockerfile', HADOLINT, true),
        tool('Read', 'root'),
        say('I read who runs it. I will write that next.'),
      ],
      [
        shell('hadolint Dockerfile', HADOLINT, true),
        write('src/image/user.txt', 'not root\n'),
        say('The user is set.'),
      ],
      [write('src/image/health.txt', 'every minute\n'), build([...first(3), 'image']), claim()],
    ],
    rest: claimAgain,
  },
  {
    name: 'writes-and-then-lacks-a-login',
    story: 'the first call writes code; each later one only meets the same refusal of a login',
    wants: FEATURE,
    project: project(3, 3),
    calls: [
      [
        write('src/upload/parts.txt', 'five megabytes each\n'),
        shell('aws s3 mb s3://shop', AWS, true),
        say('The parts are cut. The upload is refused.'),
      ],
    ],
    rest: [shell('aws s3 mb s3://shop', AWS, true), say('The upload is refused.')],
  },
  {
    name: 'two-programs-are-missing',
    story: 'each call meets the same two missing programs and changes nothing',
    wants: byTests(LONG),
    project: project(3, 1),
    calls: [],
    rest: [
      shell('terraform plan', '/bin/bash: line 1: terraform: command not found', true),
      shell('tofu plan', '/bin/bash: line 1: tofu: command not found', true),
      say('There is no plan yet.'),
    ],
  },
];
