import type { GoalFacts } from '../model/observation.js';
import type { RunEvent } from '../model/run-event.js';
import { allPassed, type TestResults, testsRan, type TestStatus } from '../model/test-results.js';

/** What the tests of one tree have shown so far. */
interface Seen {
  readonly passed: Set<string>;
  readonly failed: Set<string>;
  readonly outcomes: Set<string>;
  /** The last look at which every failing test was named, and how many tests ran. */
  named?: { readonly failing: ReadonlySet<string>; readonly ran: number | undefined } | undefined;
}

const MOST_TREES = 500;

/** Tests that passed and failed on the same tree: nothing but chance lies between the two. */
export class FlakyTests {
  readonly #trees = new Map<string, Seen>();
  readonly #names = new Set<string>();
  #isFlaky = false;

  get names(): readonly string[] {
    return [...this.#names].toSorted();
  }

  /** Some tree has given different results, whether or not the tests were named. */
  get isFlaky(): boolean {
    return this.#isFlaky;
  }

  see(event: RunEvent): void {
    if (event.type !== 'iteration-ended' && event.type !== 'baseline-observed') return;
    const { observation } = event;
    const tree = observation.files?.treeAfter ?? observation.tree;
    const looks: readonly GoalFacts[] = [observation, ...(observation.confirmations ?? [])];
    // Repeated at once, the tree is the same, whatever it is.
    const seen = tree === undefined ? nothingSeen() : this.#seenOf(tree);
    for (const { tests } of looks) if (tests?.source === 'harness') this.#add(seen, tests);
  }

  #seenOf(tree: string): Seen {
    const known = this.#trees.get(tree) ?? nothingSeen();
    // The tree that was left longest ago is forgotten first.
    this.#trees.delete(tree);
    this.#trees.set(tree, known);
    const [oldest] = this.#trees.keys();
    if (this.#trees.size > MOST_TREES && oldest !== undefined) this.#trees.delete(oldest);
    return known;
  }

  #add(seen: Seen, tests: TestResults): void {
    if (tests.timedOut === true) return;
    const { passed, failed, outcomes } = seen;
    this.#compareNames(seen, tests);
    for (const { name, status } of tests.details) {
      if (status === 'passed') passed.add(name);
      if (isRed(status)) failed.add(name);
      if (passed.has(name) && failed.has(name)) this.#names.add(name);
    }
    outcomes.add(`${tests.passed} ${tests.failed} ${allPassed(tests)}`);
    this.#isFlaky ||= outcomes.size > 1;
  }

  /** Many runners name only what fails: a test that is missing among as many others has passed. */
  #compareNames(seen: Seen, { details, failed, ...tests }: TestResults): void {
    const failing = new Set(details.flatMap(({ name, status }) => (isRed(status) ? name : [])));
    if (failed === undefined || failing.size !== failed) return;
    const ran = testsRan({ details, failed, ...tests });
    const { named } = seen;
    if (named !== undefined && named.ran === ran) {
      for (const name of named.failing) if (!failing.has(name)) this.#names.add(name);
      for (const name of failing) if (!named.failing.has(name)) this.#names.add(name);
    }
    seen.named = { failing, ran };
  }
}

function isRed(status: TestStatus): boolean {
  return status === 'failed' || status === 'error';
}

function nothingSeen(): Seen {
  return { passed: new Set(), failed: new Set(), outcomes: new Set() };
}
