import { useId } from 'react';
import type { LimitField } from './limit-field.js';

interface LimitChoiceProps {
  readonly fields: readonly LimitField[];
  readonly chosen: string;
  readonly onChoose: (key: string) => void;
}

/** Which limit is meant. */
export function LimitChoice({ fields, chosen, onChoose }: LimitChoiceProps) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>The run stops</label>
      <select id={id} value={chosen} onChange={({ target }) => onChoose(target.value)}>
        {fields.map(({ key, label }) => (
          <option key={key} value={key}>
            {label}
          </option>
        ))}
      </select>
    </>
  );
}
