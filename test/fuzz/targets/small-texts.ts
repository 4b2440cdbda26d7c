import { ConfigError } from '../../../src/model/errors.js';
import { parseCondition } from '../../../src/model/parse-condition.js';
import { AuditReader } from '../../../src/pipeline/audit-verdict.js';
import { decodeItems } from '../../../src/pipeline/manifest/list-items.js';
import { readCsv } from '../../../src/pipeline/manifest/read-csv.js';
import { parseRequest } from '../../../src/run/control-request.js';
import type { FuzzTarget } from '../fuzz-target.js';

const RUN = 'loop_01KZZZZZZZZZZZZZZZZZZZZZZZ';
const REQUESTS = [
  `{"run":"${RUN}","command":{"type":"steer","text":"look at the tests"},"by":"me"}`,
  `{"run":"${RUN}","command":{"type":"stop","now":true},"by":"me"}`,
  `{"run":"${RUN}","command":{"type":"extend","limit":{"type":"all","conditions":[{"max_cost":20},{"max_iterations":5}]}},"by":"me"}`,
  `{"run":"${RUN}","claim":{"claim":"done","evidence":"all tests pass"},"cookie":"abc","by":"agent"}`,
];
const CONDITIONS = [
  '{"type":"all","conditions":[{"max_cost":20},{"not":{"file_created":"a"}},{"any":["all_tests_pass",{"no_progress":5}]}]}',
  '{"for":{"iterations":2,"condition":{"output_pattern":{"pattern":"(a+)+$","is_regex":true}}}}',
  '{"custom_script":{"script":"./a.sh","args":["x"],"timeout":"10s"}}',
  '{"diff_exceeds":{"files":3,"lines":200}}',
];
const VERDICTS = [
  'measured 3 px\n{"verdict":"retry","reasons":["TOO_WIDE","EMPTY"],"score":0.25,"message":"too wide"}',
  '{"verdict":"approved","reasons":[]}\n',
  'one\ntwo\n{"verdict":"rejected","reasons":["X"]}',
];
const TABLES = ['id,title\na,"One, ""two"""\nb,"line\nbreak"\n', 'id\ttitle\r\na\tb\r\n', '\ufeffid\na\n'];
const OUTCOMES = ['approved', 'rejected', 'retry'];

export const SMALL_TEXT_TARGETS: Readonly<Record<string, FuzzTarget>> = {
  'request to a run': {
    corpus: () => REQUESTS,
    check: (input) => onlyErrors(() => void parseRequest(input.toString('utf8')), ConfigError),
  },
  condition: {
    corpus: () => CONDITIONS,
    check: (input) =>
      onlyErrors(() => void parseCondition(JSON.parse(input.toString('utf8'))), ConfigError, SyntaxError),
  },
  'verdict of an audit': {
    corpus: () => VERDICTS,
    check: (input) => {
      const lines = input.toString('utf8').split('\n');
      for (const exitCode of [0, 1, 10, 7]) {
        const reader = new AuditReader();
        for (const line of lines) reader.add(line);
        const { outcome, reasons, score, message } = reader.verdict({ exitCode, timedOut: false }, new AuditReader());
        if (!OUTCOMES.includes(outcome)) return `the outcome is ${outcome}`;
        if (exitCode !== 0 && outcome === 'approved') return `exit ${exitCode} is approved`;
        if (reasons.length > 20 || reasons.some((reason) => typeof reason !== 'string')) return 'reasons';
        if (score !== undefined && !Number.isFinite(score)) return `the score is ${score}`;
        if ((message?.length ?? 0) > 4000) return 'the message has no end';
      }
      return undefined;
    },
  },
  'items in a table': {
    corpus: () => TABLES,
    check: (input) =>
      onlyErrors(() => {
        const text = decodeItems(input);
        for (const separator of [',', '\t'] as const) readCsv(text, separator, 1000);
      }, Error),
  },
};

type ErrorClass = new (...words: never[]) => Error;

function onlyErrors(read: () => void, ...allowed: readonly ErrorClass[]): undefined {
  try {
    read();
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) throw error;
    if (!allowed.some((one) => error instanceof one)) throw error;
  }
  return undefined;
}
