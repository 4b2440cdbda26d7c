import { memo, type MouseEvent, useEffect, useMemo, useRef } from 'react';
import { count, plural } from '../../../../model/figures.js';
import type { ReplayStop } from '../../wire/api.js';
import type { IterationRow } from '../../wire/run-view.js';
import { useIsDark } from '../live/theme.js';
import { useWidth } from '../live/use-width.js';
import { drawStrip, stripPitch } from './draw-strip.js';
import { blockKind, stripBlocks, type BlockKind } from './strip-blocks.js';

interface IterationStripProps {
  readonly rows: readonly IterationRow[];
  readonly isOpen: boolean;
  readonly replayStop: ReplayStop | undefined;
  readonly selectedSeq: number | undefined;
  readonly onSelect: (seq: number) => void;
}

/** All iterations at one glance, coloured by how they ended; the table below has the same in words. */
export const IterationStrip = memo(function IterationStrip(props: IterationStripProps) {
  const { rows, isOpen, replayStop, selectedSeq, onSelect } = props;
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(box);
  const isDark = useIsDark();
  const blocks = useMemo(() => stripBlocks(rows, Math.floor(width / 2)), [rows, width]);
  const kinds = useMemo(() => [...new Set(rows.map(blockKind))], [rows]);
  const stopRow = replayStop === undefined ? -1 : rows.findIndex(({ iteration }) => iteration >= replayStop.iteration);
  const selectedRow = rows.findIndex(({ seq }) => seq === selectedSeq);
  useEffect(() => {
    if (canvas.current !== null && width > 0)
      drawStrip(canvas.current, { blocks, width, isOpen, stopRow, selectedRow });
    // The colours of the theme are read when it is drawn.
  }, [blocks, width, isOpen, stopRow, selectedRow, isDark]);
  const select = ({ nativeEvent }: MouseEvent) => {
    const block = blocks[Math.floor(nativeEvent.offsetX / stripPitch(blocks.length + (isOpen ? 1 : 0), width))];
    const row = block === undefined ? undefined : rows[block.first];
    if (row !== undefined) onSelect(row.seq);
  };
  return (
    <div className="strip" ref={box}>
      <canvas ref={canvas} role="img" aria-label={`${plural(rows.length, 'iteration')} by outcome`} onClick={select} />
      <ul className="legend">
        {kinds.map((kind) => (
          <li key={kind} className={`block-${kind}`}>
            {BLOCK_WORDS[kind]} <small>{count(rows.filter((row) => blockKind(row) === kind).length)}</small>
          </li>
        ))}
        {replayStop === undefined ? null : <li className="block-replay">the policy you tried stops here</li>}
      </ul>
    </div>
  );
});

const BLOCK_WORDS: Readonly<Record<BlockKind, string>> = {
  completed: 'completed',
  'no-progress': 'completed without progress',
  failed: 'failed',
  'timed-out': 'timed out',
  skipped: 'skipped',
  interrupted: 'interrupted',
  limited: 'limited',
};
