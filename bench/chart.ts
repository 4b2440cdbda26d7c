const STYLE = `
    text { font: 13px system-ui, -apple-system, "Segoe UI", "Liberation Sans", sans-serif; fill: #1f2328 }
    .ground { fill: #ffffff; stroke: #d1d9e0 }
    .line { stroke: #d1d9e0 }
    .title { font-weight: 600; font-size: 15px }
    .strong { font-weight: 600 }
    .quiet { fill: #59636e }
    .small { font-size: 11px }
    .bar { fill: #818b98 }
    .own { fill: #1a7f5a }
    .rest { fill: #eff2f5 }
    .mark { fill: none; stroke-width: 2.4; stroke-linecap: round; stroke-linejoin: round }
    .good { stroke: #1a7f37 }
    .bad { stroke: #cf222e }
    .none { stroke: #818b98 }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc }
      .ground { fill: #0d1117; stroke: #3d444d }
      .line { stroke: #3d444d }
      .quiet { fill: #9198a1 }
      .bar { fill: #656c76 }
      .own { fill: #2ea37a }
      .rest { fill: #212830 }
      .good { stroke: #3fb950 }
      .bad { stroke: #f85149 }
      .none { stroke: #656c76 }
    }`;

type Anchor = 'start' | 'middle' | 'end';

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export function textAt(x: number, y: number, words: string, kind = '', anchor: Anchor = 'start'): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" class="${kind}" text-anchor="${anchor}">${escaped(words)}</text>`;
}

export function barAt(x: number, y: number, width: number, kind: 'bar' | 'own' | 'rest'): string {
  return `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${width.toFixed(1)}" height="18" rx="3" class="${kind}"/>`;
}

const SHAPES = { good: 'm-5 0 3.5 4 6.5-8', bad: 'm-4-4 8 8m0-8-8 8', none: 'm-4 0 8 0' } as const;

/** A tick, a cross or a dash, drawn: not every font has them. */
export function markAt(x: number, y: number, kind: keyof typeof SHAPES): string {
  const path = SHAPES[kind].replace('m', `M${x.toFixed(1)} ${y.toFixed(1)}m`);
  return `<path d="${path}" class="mark ${kind}"/>`;
}

export function lineAt(y: number, from: number, to: number): string {
  return `<path d="M${from} ${y.toFixed(1)}H${to}" class="line"/>`;
}

export interface Picture {
  readonly title: string;
  /** For who hears it read. */
  readonly about: string;
  readonly width: number;
  readonly height: number;
  readonly shapes: readonly string[];
}

/** On a ground of its own, since the page's theme and the one that the browser tells the picture can differ. */
export function asSvg({ title, about, width, height, shapes }: Picture): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `  <title>${escaped(title)}</title>`,
    `  <desc>${escaped(about)}</desc>`,
    `  <style>${STYLE}\n  </style>`,
    `  <rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" class="ground"/>`,
    ...[textAt(20, 30, title, 'title'), ...shapes].map((shape) => `  ${shape}`),
    '</svg>',
    '',
  ].join('\n');
}
