import { memo, useState } from 'react';
import { count } from '../../../../stop/figures.js';
import { shownText } from '../text/shown-text.js';
import type { PatchedFile, PatchLineKind } from './parse-patch.js';

const STEP_LINES = 300;
const LONGEST_LINE = 2000;
const SIGNS: Readonly<Record<PatchLineKind, string>> = { added: '+', removed: '-', kept: ' ', hunk: '', note: '' };

interface DiffFileProps {
  readonly file: PatchedFile;
  readonly isOpen: boolean;
}

/** The changed lines of one file. */
export const DiffFile = memo(function DiffFile({ file, isOpen }: DiffFileProps) {
  const { path, change, lines, added, removed } = file;
  const [most, setMost] = useState(STEP_LINES);
  return (
    <details className="diff-file" open={isOpen && lines.length <= STEP_LINES}>
      <summary>
        <span className="mono">{shownText(path)}</span>
        {change === undefined ? null : <span className="dim">{shownText(change)}</span>}
        <span className="more">+{count(added)}</span>
        <span className="fewer">−{count(removed)}</span>
      </summary>
      <div className="diff-lines" tabIndex={0} role="group" aria-label={`Changes of ${shownText(path)}`}>
        {lines.slice(0, most).map(({ kind, text }, index) => (
          <div key={index} className={`diff-line ${kind}`}>
            {SIGNS[kind]}
            {shownText(text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text)}
          </div>
        ))}
      </div>
      {lines.length > most ? (
        <button type="button" className="unfold" onClick={() => setMost(most + STEP_LINES * 10)}>
          show more ({count(lines.length - most)} lines hidden)
        </button>
      ) : null}
    </details>
  );
});
