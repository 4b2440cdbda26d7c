import type { Call } from '../scenario.js';
import { byFile, byTests, type Family, NO_TESTS, project, say, shell, write } from '../steps.js';

const LONG = { maxIterations: 20 } as const;
const FEATURE = byTests({ ...LONG, task: 'build' });

const TWENTY = Array.from({ length: 20 }, (_, index) => index + 1);
const every = (callFor: (call: number) => Call): readonly Call[] => TWENTY.map(callFor);
const inTurn = <Value>(values: readonly Value[], call: number): Value => values[(call - 1) % values.length] as Value;

const DEVICES = ['iPhone', 'iPad', 'Watch', 'Mac', 'Vision', 'TV', 'Duo'];
const KINDS = ['Deployment', 'Service', 'Ingress', 'ConfigMap', 'Secret', 'CronJob', 'Role', 'NetworkPolicy'];
const FLAGS = [
  '.ReleaseFast',
  '.ReleaseSafe',
  '.ReleaseSmall',
  '.strip = true',
  '.lto = true',
  '.single_threaded = true',
];
const NANOSECONDS = ['103.1', '102.8', '103.4', '102.9', '103.2', '103.0', '102.7', '103.3', '103.5', '102.6'];

const VPN = [
  'The mirror is behind the VPN, which I cannot join. Please connect this machine; I cannot continue without it.',
  'I still cannot reach the mirror. I need you to connect the VPN before the modules can be installed.',
  'Without the VPN the installation is blocked. Could you connect it, please? I have written a fallback in the meantime.',
];

const PORTUGUESE = [
  'Antes de começar, preciso da senha do banco de dados de homologação. Pode me enviar?',
  'Ainda preciso da senha do banco de homologação. Não consigo continuar sem ela.',
  'Estou bloqueado: por favor, envie a senha do banco de homologação.',
];

/** What comes to nothing, although it looks busy. */
export const sick: Family = [
  {
    name: 'previews-of-no-screen',
    story: 'three of five tests fail; each call writes another SwiftUI preview of a screen that does not exist',
    wants: byTests(LONG),
    project: project(5, 2),
    calls: every((call) => [
      write(
        `Previews/${inTurn(DEVICES, call)}${call}Preview.swift`,
        `#Preview("${inTurn(DEVICES, call)} ${call}") {\n  CheckoutScreen(cart: .sample${call})\n}\n`,
      ),
      say(`There is a preview for ${inTurn(DEVICES, call)} now. Next I add one in landscape.`),
    ]),
    rest: [say('I add another preview.')],
  },
  {
    name: 'manifests-and-no-service',
    story: 'all tests pass and an endpoint is asked for; each call writes another Kubernetes manifest, and no code',
    wants: FEATURE,
    project: project(3, 3),
    calls: every((call) => [
      write(
        `deploy/${inTurn(KINDS, call).toLowerCase()}-${call}.yaml`,
        `kind: ${inTurn(KINDS, call)}\nmetadata:\n  name: export-${call}\n  labels: { tier: t${call} }\n`,
      ),
      say(`The ${inTurn(KINDS, call)} is ready for the endpoint. Next I prepare the one for staging.`),
    ]),
    rest: [say('I prepare the next manifest.')],
  },
  {
    name: 'runs-the-notebook-again',
    story: 'there are no tests; each call executes the same Jupyter notebook again, whose cells only get other numbers',
    wants: byFile(LONG),
    project: NO_TESTS,
    calls: every((call) => [
      write(
        'churn.ipynb',
        `{\n  "cell_type": "code",\n  "execution_count": ${call * 3},\n  "source": ["fit(model)"],\n  "text": ["loss 0.43${call % 10}${(call * 7) % 10}"]\n}\n`,
      ),
      shell(
        'jupyter nbconvert --execute --inplace churn.ipynb',
        `[NbConvertApp] Writing ${4100 + call} bytes to churn.ipynb`,
      ),
      say('The notebook ran without errors. The loss has not changed much, so I run it again.'),
    ]),
    rest: [say('I run it again.')],
  },
  {
    name: 'noise-for-a-gain',
    story:
      'there are no tests; each call sets another flag of a Zig build and runs the benchmark, which varies by half a percent by chance; the agent is pleased',
    wants: byFile(LONG),
    project: NO_TESTS,
    calls: every((call) => [
      write('build.zig', `exe.options(.{ ${inTurn(FLAGS, call)}, .pad = ${call} });\n`),
      shell('zig build bench', `hash64: ${inTurn(NANOSECONDS, call)}${call} ns/op`),
      say(`It takes ${inTurn(NANOSECONDS, call)} ns now, which is slightly better. There may be more in it.`),
    ]),
    rest: [say('There may be more in it.')],
  },
  {
    name: 'tests-that-say-true',
    story: 'two of four tests fail; each call adds one more Kotlin test that always passes, and repairs none',
    wants: byTests(LONG),
    project: project(4, 2),
    calls: every((call) => [
      write(`tests/smoke${call}.test`, 'true\n'),
      say(`The coverage is better: there are ${4 + call} tests now. The two old failures need more thought.`),
    ]),
    rest: [say('The two old failures need more thought.')],
  },
  {
    name: 'mirror-behind-a-vpn',
    story:
      'two of three tests fail; each call asks the user to connect a VPN for the Perl modules, and writes another fallback for them',
    wants: byTests(LONG),
    project: project(3, 1),
    calls: every((call) => [
      shell('cpanm --mirror https://cpan.intra Moose', '! Could not resolve host: cpan.intra', true),
      write(`lib/Fallback${call}.pm`, `package Fallback${call};\nsub new { bless { n => ${call} }, shift }\n1;\n`),
      say(inTurn(VPN, call)),
    ]),
    rest: [say('I still need the VPN.')],
  },
  {
    name: 'precisa-de-uma-senha',
    story: 'the agent speaks Portuguese, asks in each call for the password of a database, and changes nothing',
    wants: byTests(LONG),
    project: project(3, 1),
    calls: every((call) => [
      shell('psql -h homolog -c "select 1"', 'psql: error: fe_sendauth: no password supplied', true),
      say(inTurn(PORTUGUESE, call)),
    ]),
    rest: [say('Ainda preciso da senha.')],
  },
  {
    name: 'migrates-and-rolls-back',
    story:
      'all tests pass and a column is asked for; each call runs a migration of Ecto and rolls it back, and changes nothing',
    wants: FEATURE,
    project: project(3, 3),
    calls: every((call) => [
      shell('mix ecto.migrate', `10:${20 + call}:11.${call}03 [info] == Migrated 20240301 in 0.${call}s`),
      shell('mix ecto.rollback', `10:${20 + call}:14.${call}41 [info] == Rolled back 20240301 in 0.${call}s`),
      say('The migration runs in both directions. I want to be sure that it is safe before I add the column.'),
    ]),
    rest: [say('I want to be sure that it is safe.')],
  },
];
