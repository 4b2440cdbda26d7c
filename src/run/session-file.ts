import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { NODE_DISK, makeFolder } from '../journal/disk.js';
import { messageOf } from '../model/errors.js';
import { nextSession } from './next-session.js';
import type { RunParts } from './run-parts.js';

/**
 * `<session.state_dir>/<run>.json`: the session that the next iteration continues, for people and scripts that want to open
 * it with the agent's own CLI. A resume reads the record, not this file.
 */
export class SessionFile {
  readonly #parts: RunParts;
  #kept: string | undefined;
  #hasWarned = false;

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  /** Brings the file up to date after an iteration, for a run that keeps files. Never throws. */
  keep(): void {
    const { outputPlace, tree, warn } = this.#parts;
    const text = textOf(this.#parts);
    if (outputPlace === undefined || text === this.#kept) return;
    try {
      const isInTree = write(this.#parts, text);
      this.#kept = text;
      // The agent did not make this change.
      if (isInTree) tree?.disturb();
    } catch (error) {
      if (!this.#hasWarned) warn?.(`session.state_dir: the session is not kept: ${messageOf(error)}`);
      this.#hasWarned = true;
    }
  }
}

/** Empty when there is no session to continue. */
function textOf({ runId, spec, agent, journal, now }: RunParts): string {
  const { session } = journal.state;
  const { canResume, keepsConversation } = agent;
  const next = nextSession(journal.state, spec, { canResume, keepsConversation, nowMs: now() });
  if (!spec.session.persist || keepsConversation === true || next.kind !== 'continue') return '';
  const { workingDir } = spec;
  const kept = { runId, agent: agent.name, session: next.session, openedAt: session?.openedAt, workingDir };
  return `${JSON.stringify(kept, null, 2)}\n`;
}

/** Whether it has changed the tree that is tracked. */
function write({ spec: { session, workingDir }, runId }: RunParts, text: string): boolean {
  const path = join(session.stateDir, `${runId}.json`);
  if (text === '' && !existsSync(path)) return false;
  const inside = relative(workingDir, session.stateDir);
  const isInside = inside !== '' && !inside.startsWith('..') && !isAbsolute(inside);
  const place = isInside
    ? { base: workingDir, segments: inside.split(sep) }
    : { base: dirname(session.stateDir), segments: [basename(session.stateDir)], makesBase: true as const };
  const draft = join(makeFolder(NODE_DISK, place, 'refuse'), `.${runId}.${process.pid}`);
  if (text === '') rmSync(path, { force: true });
  else {
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, path);
  }
  return isInside && place.segments[0] !== '.ralph';
}
