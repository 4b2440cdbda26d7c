interface Manifest {
  readonly packages?: Readonly<Record<string, { readonly version?: string; readonly resolved?: string }>>;
  readonly dependencies?: Readonly<Record<string, unknown>>;
  readonly devDependencies?: Readonly<Record<string, unknown>>;
}

/** A text at the start and now; undefined where there is no such file. */
export interface BothTexts {
  readonly before: string | undefined;
  readonly now: string | undefined;
}

/**
 * Whether a package, by its folder such as `node_modules/chai`, differs because another version was installed: the lock file of npm
 * says so, or, where there is none, the manifest does. What was changed in place is no version.
 */
export function isUpgraded(folder: string, lock: BothTexts, manifest: BothTexts): boolean {
  if (lock.before !== undefined || lock.now !== undefined) return differs(lock, (text) => locked(text, folder));
  const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
  return differs(
    manifest,
    ({ dependencies = {}, devDependencies = {} }) => dependencies[name] ?? devDependencies[name],
  );
}

function locked({ packages = {} }: Manifest, folder: string): unknown {
  const { version, resolved } = packages[folder] ?? {};
  return `${version} ${resolved}`;
}

function differs({ before, now }: BothTexts, valueIn: (manifest: Manifest) => unknown): boolean {
  const [earlier, later] = [before, now].map((text) => valueIn(parsed(text)));
  return earlier !== later;
}

function parsed(text = '{}'): Manifest {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
