import { useMemo, memo, useState } from 'react';
import { list, plural, count } from '../../../../model/figures.js';
import type { IterationDiff } from '../../wire/api.js';
import { useRequest } from '../live/use-request.js';
import { markedText } from '../text/marked-text.js';
import { shownText } from '../text/shown-text.js';
import { tokensOf } from './highlight-line.js';
import { type LinePiece, linePieces } from './line-pieces.js';
import { parsePatch, type PatchedFile, type PatchLine, type PatchLineKind } from './parse-patch.js';
import { sizeText } from '../text/figures.js';
import { foldText } from '../text/fold-text.js';

/** Beyond so many files none is open at first. */
const MOST_OPEN = 20;

/** What an iteration changed, file by file. */
export function DiffView({ path }: { readonly path: string }) {
  const { data, problem } = useRequest<IterationDiff>(path);
  const files = useMemo(() => parsePatch(data?.patch ?? ''), [data]);
  if (problem !== undefined) return <p className="problem-line">{shownText(problem.message)}</p>;
  if (data === undefined) return <p className="nothing">Reading the files…</p>;
  if (data.none !== undefined) return <p className="nothing">{shownText(data.none)}</p>;
  return (
    <div className="diff">
      {files.length === 0 ? <p className="nothing">No file was changed.</p> : null}
      {files.map((file) => (
        <DiffFile key={file.path} file={file} isOpen={files.length <= MOST_OPEN} />
      ))}
      {data.isCut ? <p className="nothing">There is more: pawl diff shows all of it.</p> : null}
      {data.leftOut.length === 0 ? null : (
        <p className="nothing">
          {plural(data.leftOut.length, 'file')} too large to be kept: {markedText(list(data.leftOut, 10))}
        </p>
      )}
    </div>
  );
}

const STEP_LINES = 300;

interface DiffFileProps {
  readonly file: PatchedFile;
  readonly isOpen: boolean;
}

/** The changed lines of one file. */
const DiffFile = memo(function DiffFile({ file, isOpen }: DiffFileProps) {
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
            <DiffLine key={index} line={line} path={path} />
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

const LONGEST = 2000;
const SIGNS: Readonly<Record<PatchLineKind, string>> = { added: '+', removed: '-', kept: ' ', hunk: '', note: '' };

interface DiffLineProps {
  readonly line: PatchLine;
  readonly path: string;
}

/** One line of a diff, with every character of it to be seen. */
const DiffLine = memo(function DiffLine({ line: { kind, text, changed }, path }: DiffLineProps) {
  const [asked, setAsked] = useState(0);
  const { shown, hidden } = text.length <= LONGEST ? { shown: text, hidden: 0 } : foldText(text, asked);
  // Characters that have to be named, or marks that pile up, are seen only where the line is in one piece.
  const isPlain = hidden === 0 && markedText(shown) === shown;
  const isCode = isPlain && kind !== 'hunk' && kind !== 'note';
  const pieces = isCode ? linePieces(shown, changed, tokensOf(path, shown)) : linePieces(shown);
  return (
    <div className={`diff-line ${kind}`}>
      {SIGNS[kind]}
      {pieces.map((piece, index) => (
        <LinePart key={index} {...piece} />
      ))}
      {hidden === 0 ? null : (
        <button type="button" className="link" onClick={() => setAsked(asked + 1)}>
          … show more ({sizeText(hidden)} hidden)
        </button>
      )}
    </div>
  );
});

function LinePart({ text, isChanged, token }: LinePiece) {
  const shown = markedText(text);
  const name = token === undefined ? undefined : `token ${token}`;
  if (isChanged) return <mark className={name}>{shown}</mark>;
  return name === undefined ? shown : <span className={name}>{shown}</span>;
}
