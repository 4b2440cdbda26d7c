import { isAbsolute, relative, resolve } from 'node:path';
import type { AgentEvent, AgentEventOf } from '../model/agent-event.js';
import { headOf } from '../model/cut-text.js';
import { fileKind, isWork } from '../model/file-kind.js';
import type { Observation } from '../model/observation.js';
import { shortDigest } from '../model/short-digest.js';
import { withoutTimes } from '../model/test-results.js';

const MOST_OPEN = 200;
const MOST_FAILURES = 20;
const MOST_LINES = 32;
const TEXT_CHARACTERS = 200;
/** What Claude Code shows above the output of a command. */
const EXIT_CODE = /^(?:Error: )?Exit code \d+$/;
/** A line that says what is wrong. Warnings and progress may come before it. */
const SAYS_WHY =
  /\b(?:error|fatal|panic|exception|denied|refused|unauthori[sz]ed|unable|cannot|failed|not (?:found|installed|recognized|logged in))\b/i;
const COMPARED_CHARACTERS = 10_000;
const PATH = /"(?:file_?path|path|filename|notebook_path)"\s*:\s*"((?:[^"\\]|\\.)*)"/i;
const TEMPORARY = /^(?:\/private)?\/(?:var\/)?(?:tmp|folders)\//;
const CONTENT = /"(?:content|new_?str(?:ing)?|new_?text|new_source|patch)"\s*:\s*"((?:[^"\\]|\\.)*)/i;

/** Of Claude Code, Codex, Copilot, Gemini, opencode, Qwen, pi, and of servers of files. */
const WRITES =
  /(?:^|[./]|__)(?:write|edit|multi_?edit|notebook_?edit|create|create_file|write_file|edit_file|replace|str_replace|apply_?patch|patch|insert)$/i;

/** What the tools of an agent did in one iteration: calls that failed, and files that were written outside the folder. */
export class ToolTrace {
  readonly #workingDir: string;
  readonly #redact: (text: string) => string;
  readonly #open = new Map<string, string>();
  readonly #failures = new Map<string, string>();
  readonly #outside = new Set<string>();
  #hasWritten = false;

  constructor(workingDir: string, redact: (text: string) => string) {
    this.#workingDir = workingDir;
    this.#redact = redact;
  }

  add(event: AgentEvent): void {
    if (event.kind === 'tool-call') this.#called(event);
    else if (event.kind === 'tool-result') this.#answered(event);
  }

  get observed(): Pick<Observation, 'toolFailures' | 'outsideLines' | 'wroteFiles'> {
    const toolFailures = [...this.#failures].map(([digest, text]) => ({ digest, text }));
    return {
      ...(toolFailures.length === 0 ? {} : { toolFailures }),
      ...(this.#hasWritten ? { wroteFiles: true } : {}),
      ...(this.#outside.size === 0 ? {} : { outsideLines: [...this.#outside].sort().slice(0, MOST_LINES) }),
    };
  }

  #called({ id, name, input = '' }: AgentEventOf<'tool-call'>): void {
    if (id !== undefined && this.#open.size < MOST_OPEN) this.#open.set(id, `${name} ${input}`);
    const [, path] = PATH.exec(input) ?? [];
    const [, content] = CONTENT.exec(input) ?? [];
    this.#hasWritten ||= WRITES.test(name) || (path !== undefined && content !== undefined);
    if (path === undefined || content === undefined || !this.#isOutside(path)) return;
    for (const line of content.split('\\n')) {
      const words = line.replace(/\s+/g, '');
      if (words !== '') this.#outside.add(shortDigest(`outside ${path} ${words}`));
    }
  }

  #answered({ id, failed, denied, output = '' }: AgentEventOf<'tool-result'>): void {
    const call = id === undefined ? undefined : this.#open.get(id);
    if (id !== undefined) this.#open.delete(id);
    if (call === undefined || !failed || denied === true || this.#failures.size >= MOST_FAILURES) return;
    const digest = shortDigest(`${call}\n${withoutTimes(this.#redact(output).slice(0, COMPARED_CHARACTERS))}`);
    this.#failures.set(digest, headOf(this.#redact(whyOf(output) ?? call), TEXT_CHARACTERS));
  }

  /** Scratch files, notes and logs are not work, wherever they are. */
  #isOutside(path: string): boolean {
    const full = resolve(this.#workingDir, path);
    const below = relative(this.#workingDir, full);
    const isOut = below.startsWith('..') || isAbsolute(below);
    const isScratch = TEMPORARY.test(full) && !TEMPORARY.test(this.#workingDir);
    return isOut && !isScratch && isWork(fileKind(full));
  }
}

function whyOf(output: string): string | undefined {
  const lines = output
    .slice(0, COMPARED_CHARACTERS)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const [first] = lines;
  const own = lines.filter((line, index) => index > 0 || !EXIT_CODE.test(line));
  return own.find((line) => SAYS_WHY.test(line)) ?? own[0] ?? first;
}
