import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parseLayer } from '../../../src/config/file-layer.js';
import { parseSource } from '../../../src/config/parse-yaml.js';
import { resolveLayers } from '../../../src/config/load-config.js';
import { plainValue } from '../../../src/config/config-file.js';
import { ConfigError } from '../../../src/model/errors.js';
import type { RunSpec } from '../../../src/model/run-spec.js';
import { parseManifest } from '../../../src/pipeline/manifest/manifest-file.js';
import { parseTriedPolicy } from '../../../src/app/replay-policy.js';
import type { FuzzTarget } from '../fuzz-target.js';
import { recording } from './recordings.js';

const WHOLE = `# everything
agent: { name: claude, model: opus, args: [--verbose], env: { A: b }, permissions: edit, allow: ['Bash(npm test:*)'] }
prompt_path: PROMPT.md
working_dir: .
tests: { command: npm test, timeout: 10m, report: report.xml }
checks:
  lint: npm run lint
  types: { command: npx tsc, timeout: 2m }
max_iterations: 30
iteration_delay: 5s
iteration_timeout: 30m
idle_timeout: 5m
context_redline_percent: 60
session: { mode: continue, timeout: 1h }
stop:
  success: [all_tests_pass, { all: [{ check_passes: lint }, { not: { file_created: BLOCKED.md } }] }]
  failure:
    - { no_progress: 5 }
    - test_failure_streak: { count: 3, strict: true }
    - for: { iterations: 2, condition: { output_pattern: { pattern: 'sorry|cannot', is_regex: true } } }
  limits: [{ max_cost: 10 }, { max_duration: 1h 30m }, { max_tokens: 1e6 }, { deadline: '2026-12-01T00:00:00Z' }]
hooks: { before_iteration: echo a, on_stop: { command: echo b, timeout: 10s, on_failure: warn } }
track_file_changes: true
parse_tests: true
status_line: false
prices: { my-model: { input: 1, output: 2 } }
notify: { command: notify-send pawl }
`;

const ANCHORS = `defaults: &limits [{ max_iterations: 3 }]
stop: &stop
  limits: *limits
  success: [&a { any: [all_tests_pass, { file_created: 'a b' }] }, *a]
`;

const JSON_CONFIG = JSON.stringify({
  agent: { command: ['node', 'agent.mjs'] },
  prompt: 'Go.',
  checks: { lint: 'npm run lint' },
  stop: { success: [{ type: 'check_passes', name: 'lint' }], limits: [{ max_cost: 1.5 }, { max_iterations: 3 }] },
});

const STOP_PART =
  'success: [all_tests_pass]\nfailure: [{ no_progress: 5 }]\nlimits: [{ max_iterations: 30 }, { max_cost: 10 }]\n';

const MANIFEST = `items: [{ id: a, title: One }, { id: b }, c]
generate:
  prompt: Make {{item.id}} as {{item.title}}
  agent: { name: command, command: [cat] }
  output: out/{{item.id}}.txt
  timeout: 30s
  env: { A: b }
audit: { command: 'test -s "$PAWL_OUTPUT"', timeout: 10s }
concurrency: 2
limits: [{ max_cost: 5 }]
retry: { max_attempts: 3, backoff: 1s, circuit_breaker: 30, stop_conditions: { max_retry_rate: 0.3, max_consecutive_fails: 3, min_items: 6 } }
`;

export const CONFIG_TARGETS: Readonly<Record<string, FuzzTarget>> = {
  'config in YAML': {
    corpus: (root) => [
      WHOLE,
      ANCHORS,
      JSON_CONFIG,
      STOP_PART.replaceAll(/^/gm, '  ').replace(/^/, 'stop:\n'),
      recording(join(root, 'examples', 'own-agent', 'pawl.yaml')),
      recording(join(root, 'examples', 'demo', 'pawl.yaml')),
    ],
    check: (input) => configFault(input.toString('utf8'), 'pawl.yaml'),
  },
  'config in JSON': {
    corpus: () => [JSON_CONFIG, JSON.stringify(plainOf(WHOLE)), JSON.stringify(plainOf(WHOLE), undefined, 2)],
    check: (input) => configFault(input.toString('utf8'), 'pawl.json'),
  },
  'policy to replay': {
    corpus: () => [STOP_PART, `stop:\n${STOP_PART.replaceAll(/^(?=.)/gm, '  ')}`, WHOLE],
    check: (input) =>
      onlyConfigError(() => {
        for (const of of ['loop', 'pipeline'] as const) parseTriedPolicy(input.toString('utf8'), 'policy.yaml', of);
      }),
  },
  manifest: {
    corpus: (root) => [MANIFEST, recording(join(root, 'examples', 'sprites', 'sprites.yaml'))],
    check: (input) => manifestFault(input.toString('utf8'), 'pipeline.yaml'),
  },
  'manifest in JSON': {
    corpus: () => [JSON.stringify(plainOf(MANIFEST)), JSON.stringify(plainOf(MANIFEST), undefined, 1)],
    check: (input) => manifestFault(input.toString('utf8'), 'pipeline.json'),
  },
};

function manifestFault(text: string, name: string): string | undefined {
  return onlyConfigError(() => {
    for (const issue of parseManifest(text, name).issues)
      if (issue.message === '') throw new Error('an issue without words');
  });
}

/** Accepted, it is the same when what was read is written as JSON and read again. */
function configFault(text: string, name: string): string | undefined {
  let spec: RunSpec | undefined;
  const fault = onlyConfigError(() => void (spec = resolved(text, name)));
  if (fault !== undefined || spec === undefined) return fault;
  const again = resolved(JSON.stringify(plainOf(text, name) ?? {}), 'again.json');
  return isDeepStrictEqual(recorded(spec), recorded(again))
    ? undefined
    : `read again it is ${JSON.stringify(again).slice(0, 500)}`;
}

/** As a journal has it: JSON knows no -0. */
function recorded(spec: RunSpec): unknown {
  return JSON.parse(JSON.stringify(spec));
}

function resolved(text: string, name: string): RunSpec {
  const { layer, issues } = parseLayer(text, name, { source: 'project-file', path: name, cwd: '/', required: true });
  return resolveLayers(
    layer === undefined ? [] : [layer],
    { cwd: '/', defaultAgent: 'command', environment: {} },
    { issues, warnings: [] },
  ).spec;
}

function plainOf(text: string, name = 'pawl.yaml'): unknown {
  const parsed = parseSource(text, name);
  return 'problems' in parsed || parsed.root === undefined ? undefined : plainValue(parsed.root);
}

function onlyConfigError(read: () => void): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.issues.length > 1000 ? `${error.issues.length} issues` : undefined;
  }
}
