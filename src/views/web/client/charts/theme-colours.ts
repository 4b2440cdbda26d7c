/** The colours of the style sheet, for what is drawn. They are there when the element that asks for them is. */
export function themeColours(element: HTMLElement, names: readonly string[]): Readonly<Record<string, string>> {
  const probe = document.createElement('span');
  element.append(probe);
  const colours = names.map((name) => {
    probe.style.color = `var(--${name})`;
    return [name, getComputedStyle(probe).color] as const;
  });
  probe.remove();
  return Object.fromEntries(colours);
}
