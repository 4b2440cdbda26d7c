import { memo, useState } from 'react';
import { count } from '../../../../model/figures.js';
import { markedText } from '../text/marked-text.js';
import { DiffLine } from './diff-line.js';
import type { PatchedFile } from './parse-patch.js';

const STEP_LINES = 300;

interface DiffFileProps {
  readonly file: PatchedFile;
  readonly isOpen: boolean;
}

/** The changed lines of one file. */
export const DiffFile = memo(function DiffFile({ file, isOpen }: DiffFileProps) {
  const { path, change, isBinary, lines, added, removed } = file;
  const [most, setMost] = useState(STEP_LINES);
  return (
    <details className="diff-file" open={isOpen && lines.length <= STEP_LINES}>
      <summary>
        <span className="mono">{markedText(path)}</span>
        {change === undefined ? null : <span className="dim">{markedText(change)}</span>}
        {isBinary ? (
          <span className="dim">binary file</span>
        ) : (
          <>
            <span className="more">+{count(added)}</span>
            <span className="fewer">−{count(removed)}</span>
          </>
        )}
      </summary>
      {isBinary ? <p className="no-lines">A binary file: what is in it is not shown.</p> : null}
      {lines.length === 0 ? null : (
        <div className="diff-lines" tabIndex={0} role="group" aria-label={`Changes of ${markedText(path)}`}>
          {lines.slice(0, most).map((line, index) => (
            <DiffLine key={index} line={line} />
          ))}
        </div>
      )}
      {lines.length > most ? (
        <button type="button" className="unfold" onClick={() => setMost(most + STEP_LINES * 10)}>
          show more ({count(lines.length - most)} lines hidden)
        </button>
      ) : null}
    </details>
  );
});
