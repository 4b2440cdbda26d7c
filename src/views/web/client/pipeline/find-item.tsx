import { type FormEvent, useState } from 'react';
import { say } from '../live/toasts.js';
import type { ItemCell } from './item-cells.js';

interface FindItemProps {
  readonly cells: readonly ItemCell[];
  readonly onFind: (index: number) => void;
}

/** The way to an item for anyone who knows its name, or uses no mouse. */
export function FindItem({ cells, onFind }: FindItemProps) {
  const [text, setText] = useState('');
  const find = (event: FormEvent) => {
    event.preventDefault();
    const wanted = text.trim().toLowerCase();
    if (wanted === '') return;
    const named = cells.filter(({ item }) => item !== undefined);
    const found =
      named.find(({ item }) => item?.toLowerCase() === wanted) ??
      named.find(({ item }) => item?.toLowerCase().includes(wanted) === true);
    if (found === undefined) say(`no started item is called ${text.trim()}`, { isProblem: true });
    else onFind(found.index);
  };
  return (
    <form onSubmit={find} className="find-item">
      <input
        type="search"
        aria-label="Find an item"
        placeholder="Find an item"
        value={text}
        spellCheck={false}
        autoComplete="off"
        onChange={({ target }) => setText(target.value)}
      />
    </form>
  );
}
