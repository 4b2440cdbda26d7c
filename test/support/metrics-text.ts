/** A strict reader of Prometheus' text format 0.0.4: what it does not know is an error. */
export interface ReadSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ReadFamily {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly ReadSample[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/y;
const VALUE = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/;

export function readMetrics(text: string): readonly ReadFamily[] {
  if (text !== '' && !text.endsWith('\n')) throw new Error('the last line has no end');
  const families: (Omit<ReadFamily, 'samples'> & { samples: ReadSample[] })[] = [];
  const lines = text.split('\n').slice(0, -1);
  const seen = new Set<string>();
  for (const [index, line] of lines.entries()) {
    const help = /^# HELP (\S+) (.+)$/.exec(line);
    const type = /^# TYPE (\S+) (counter|gauge)$/.exec(lines[index + 1] ?? '');
    if (help !== null) {
      const [, name = '', words = ''] = help;
      if (!NAME.test(name) || type?.[1] !== name) throw new Error(`no type follows: ${line}`);
      if (families.some((family) => family.name === name)) throw new Error(`a second time: ${name}`);
      families.push({ name, help: words, type: type[2] ?? '', samples: [] });
    } else if (!line.startsWith('# TYPE ')) {
      const sample = readSample(line);
      const key = JSON.stringify([sample.name, Object.entries(sample.labels).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
      if (seen.has(key)) throw new Error(`the same series twice: ${line}`);
      seen.add(key);
      const family = families.at(-1);
      if (family?.name !== sample.name) throw new Error(`outside of its family: ${line}`);
      family.samples.push(sample);
    }
  }
  return families;
}

function readSample(line: string): ReadSample {
  const whole = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/.exec(line);
  if (whole === null) throw new Error(`no sample: ${line}`);
  const [, name = '', inside = '', value = ''] = whole;
  if (!VALUE.test(value)) throw new Error(`no number: ${line}`);
  const labels: Record<string, string> = {};
  for (LABEL.lastIndex = 0; LABEL.lastIndex < inside.length; ) {
    const label = LABEL.exec(inside);
    if (label === null) throw new Error(`no labels: ${line}`);
    const [, key = '', written = ''] = label;
    if (key.startsWith('__') || Object.hasOwn(labels, key)) throw new Error(`a bad label: ${line}`);
    labels[key] = written.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
  }
  return { name, labels, value: Number(value) };
}
