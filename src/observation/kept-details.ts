import { isFailing, type TestDetail } from '../model/test-results.js';

const MOST_DETAILS = 500;
const NAME_CHARACTERS = 500;
const ERROR_CHARACTERS = 1000;
/** Of further errors the first line or two. */
const FULL_ERRORS = 50;
const SHORT_ERROR_CHARACTERS = 200;

const WORSE: Readonly<Record<TestDetail['status'], number>> = { error: 0, failed: 0, skipped: 1, passed: 2 };

/** The details that a record keeps, failing ones first. Of each test that is named here the worst result is kept. */
export function keptDetails(
  details: readonly TestDetail[],
  names: readonly string[],
): { readonly details: readonly TestDetail[]; readonly omitted: number } {
  const worst = worstByName(details, new Set(names));
  const named = new Set(worst.values());
  const others = details.filter((detail) => !named.has(detail));
  const room = Math.max(0, MOST_DETAILS - named.size);
  const kept = failingFirst([...named, ...failingFirst(others).slice(0, room)]);
  return {
    details: kept.map((detail, index) => shortened(detail, index, worst.has(detail.name))),
    omitted: details.length - kept.length,
  };
}

function worstByName(details: readonly TestDetail[], names: ReadonlySet<string>): ReadonlyMap<string, TestDetail> {
  const worst = new Map<string, TestDetail>();
  for (const detail of details) {
    if (!names.has(detail.name)) continue;
    const known = worst.get(detail.name);
    if (known === undefined || WORSE[detail.status] < WORSE[known.status]) worst.set(detail.name, detail);
  }
  return worst;
}

function failingFirst(details: readonly TestDetail[]): readonly TestDetail[] {
  return [...details.filter(isFailing), ...details.filter((detail) => !isFailing(detail))];
}

function shortened(detail: TestDetail, index: number, isNamed: boolean): TestDetail {
  const { name, error } = detail;
  return {
    ...detail,
    name: isNamed ? name : name.slice(0, NAME_CHARACTERS),
    ...(error === undefined
      ? {}
      : { error: error.slice(0, index < FULL_ERRORS ? ERROR_CHARACTERS : SHORT_ERROR_CHARACTERS) }),
  };
}
