const OWN = /^PAWL_(?:ITEM|ITEM_.*|ATTEMPT|FEEDBACK|REASONS|OUTPUT|LAST_OUTPUT)$/s;

/** The environment without what an attempt of another pipeline left in it: a command knows its own item only. */
export function outerEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !OWN.test(name)));
}
