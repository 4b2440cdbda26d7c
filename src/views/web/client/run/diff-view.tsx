import { useMemo } from 'react';
import { list, plural } from '../../../../model/figures.js';
import type { IterationDiff } from '../../wire/api.js';
import { useRequest } from '../live/use-request.js';
import { markedText } from '../text/marked-text.js';
import { shownText } from '../text/shown-text.js';
import { DiffFile } from './diff-file.js';
import { parsePatch } from './parse-patch.js';

/** Beyond so many files none is open at first. */
const MOST_OPEN = 20;

/** What an iteration changed, file by file. */
export function DiffView({ path }: { readonly path: string }) {
  const { data, problem } = useRequest<IterationDiff>(path);
  const files = useMemo(() => parsePatch(data?.patch ?? ''), [data]);
  if (problem !== undefined) return <p className="problem-line">{shownText(problem.message)}</p>;
  if (data === undefined) return <p className="nothing">Looking at the files…</p>;
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
