import type { SourceEntry, SourceNode } from '../config/source-node.js';

const NUMBER = /[-+.\w]+/y;

/** A manifest in which every id is as it is written: for YAML 1.50 is 1.5, and 007 is 7. */
export function withWrittenIds(root: SourceNode, text: string): SourceNode {
  const written = (node: SourceNode): SourceNode => asWritten(node, text);
  return changedAt(root, 'items', (items) =>
    items.kind === 'list'
      ? { ...items, items: items.items.map((item) => changedAt(written(item), 'id', written)) }
      : items,
  );
}

function asWritten(node: SourceNode, text: string): SourceNode {
  if (node.kind !== 'scalar' || !Number.isFinite(node.value)) return node;
  NUMBER.lastIndex = node.offset;
  const [value] = NUMBER.exec(text) ?? [];
  return value === undefined ? node : { ...node, value };
}

function changedAt(node: SourceNode, key: string, change: (value: SourceNode) => SourceNode): SourceNode {
  if (node.kind !== 'mapping') return node;
  const changed = (entry: SourceEntry) => (entry.key === key ? { ...entry, value: change(entry.value) } : entry);
  return { ...node, entries: node.entries.map(changed) };
}
