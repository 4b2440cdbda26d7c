import { SaxesParser, type SaxesTagPlain } from 'saxes';
import type { TestDetail } from '../model/test-results.js';
import { addCounts, countDetails, listedTests, type Reading, testDetail, unfinishedTests } from './parsed-tests.js';
import { nestedName } from './test-tree.js';

const START = /^\s*<(?:\?xml|testsuites?)[\s>]/;

/** JUnit XML, one report or several. One that is cut off or malformed makes nothing green: what it lacks may be red. */
export function junitReport(lines: readonly string[]): Reading {
  const reports = reportsIn(lines);
  if (reports.length === 0) return undefined;
  const details = reports.flatMap((report) => report.details);
  if (!reports.every((report) => report.isWhole)) return unfinishedTests('junit', details);
  const counts = reports.map((report) => {
    const counted = countDetails(report.details);
    return { ...counted, failed: Math.max(counted.failed, report.claimedFailures) };
  });
  return listedTests('junit', addCounts(counts), details);
}

interface Report {
  readonly details: readonly TestDetail[];
  readonly isWhole: boolean;
  /** By the attributes of the outermost element that has them. */
  readonly claimedFailures: number;
}

function reportsIn(lines: readonly string[]): readonly Report[] {
  const reports: Report[] = [];
  let reader: ReportReader | undefined;
  for (const line of lines.flatMap(splitAtDeclaration)) {
    if (reader === undefined && START.test(line)) reader = new ReportReader();
    if (reader === undefined) continue;
    reader.read(line);
    if (!reader.isOver) continue;
    if (reader.isReport) reports.push(reader.report());
    reader = undefined;
  }
  if (reader?.isReport) reports.push(reader.report());
  return reports;
}

/** Reports put one after the other may share a line, for not all end with a line break. */
function splitAtDeclaration(line: string): readonly string[] {
  const [first = '', ...rest] = line.split('<?xml');
  return rest.length === 0 ? [line] : [first, ...rest.map((part) => `<?xml${part}`)];
}

/** Nothing more is to be read: the parser would complain about every character that follows. */
const BROKEN = new Error('the report is broken');

/** One report, line by line. */
class ReportReader {
  /** Its root has been closed, or it is broken: no more is to be read. */
  isOver = false;
  isReport = false;
  #isWhole = false;
  #depth = 0;
  #claimDepth = 0;
  #claimed = 0;
  /** Failures of tests that are yet to do: node:test reports them as both, and they fail no run. */
  #forgiven = 0;
  #case: Case | undefined;
  #isInError = false;
  #isToDo = false;
  readonly #suites: string[] = [];
  readonly #details: TestDetail[] = [];
  readonly #parser = new SaxesParser();

  constructor() {
    this.#parser.on('opentag', (tag) => this.#open(tag));
    this.#parser.on('closetag', (tag) => this.#close(tag.name));
    this.#parser.on('text', (text) => this.#text(text));
    this.#parser.on('cdata', (text) => this.#text(text));
    this.#parser.on('error', () => this.#break());
  }

  read(line: string): void {
    try {
      this.#parser.write(`${line}\n`);
    } catch (error) {
      if (error !== BROKEN) throw error;
    }
  }

  report(): Report {
    return { details: this.#details, isWhole: this.#isWhole, claimedFailures: this.#claimed - this.#forgiven };
  }

  /** What follows the root is the log's, unless it is one more report: that would be lost. */
  #break(): void {
    if (this.#isWhole) return;
    this.isOver = true;
    throw BROKEN;
  }

  #open(tag: SaxesTagPlain): void {
    if (this.isOver) {
      if (/^testsuites?$/.test(tag.name)) this.#isWhole = false;
      return;
    }
    this.#depth += 1;
    if (this.#depth === 1) {
      this.isReport = /^testsuites?$/.test(tag.name);
      this.isOver = !this.isReport;
    }
    this.#claim(tag);
    if (tag.name === 'testsuite') this.#suites.push(tag.attributes['name'] ?? '');
    if (tag.name === 'testcase') this.#case = caseOf(tag, this.#suites);
    if (tag.name === 'failure' || tag.name === 'error') this.#fail(tag);
    if (tag.name === 'skipped') this.#skip(tag);
  }

  #claim(tag: SaxesTagPlain): void {
    if (!/^testsuites?$/.test(tag.name)) return;
    const { failures, errors } = tag.attributes;
    if (failures === undefined && errors === undefined) return;
    if (this.#claimDepth === 0) this.#claimDepth = this.#depth;
    if (this.#depth === this.#claimDepth) this.#claimed += count(failures) + count(errors);
  }

  #skip(tag: SaxesTagPlain): void {
    if (this.#case?.status !== 'passed') return;
    this.#case.status = 'skipped';
    this.#isToDo = tag.attributes['type'] === 'todo';
  }

  /** Outside of any case it speaks of the whole suite. */
  #fail(tag: SaxesTagPlain): void {
    if (this.#case?.status === 'skipped' && this.#isToDo) {
      this.#forgiven += 1;
      return;
    }
    this.#case ??= { name: 'suite', durationMs: Number.NaN, status: 'passed', error: '' };
    this.#case.status = tag.name === 'error' ? 'error' : 'failed';
    this.#case.error ||= tag.attributes['message'] ?? '';
    this.#isInError = this.#case.error === '';
  }

  #text(text: string): void {
    if (this.#isInError && this.#case !== undefined && this.#case.error.length < 2000) this.#case.error += text;
  }

  #close(name: string): void {
    if (this.isOver) return;
    this.#depth -= 1;
    if (name === 'testsuite') this.#suites.pop();
    if (name === 'failure' || name === 'error') this.#isInError = false;
    if (this.#case !== undefined && (name === 'testcase' || name.startsWith('testsuite'))) {
      this.#details.push(testDetail(this.#case.name, this.#case.status, this.#case));
      this.#case = undefined;
    }
    if (this.#depth === 0) this.isOver = this.#isWhole = true;
  }
}

interface Case {
  readonly name: string;
  readonly durationMs: number;
  status: TestDetail['status'];
  error: string;
}

function caseOf(tag: SaxesTagPlain, suites: readonly string[]): Case {
  const { name = '', classname = '', time } = tag.attributes;
  const durationMs = Math.round(Number(time ?? Number.NaN) * 1_000_000) / 1000;
  return { name: caseName(classname, name, suites), durationMs, status: 'passed', error: '' };
}

/** Names are unique only within their class. node:test has suites instead, and elsewhere the class may be but the file. */
function caseName(className: string, name: string, suites: readonly string[]): string {
  if (className === 'test') return suites.length === 0 ? name : nestedName(suites.slice(-10).join(' > '), name);
  return className === '' || /\.[cm]?[jt]sx?$/.test(className) ? name : nestedName(className, name);
}

function count(attribute: string | undefined): number {
  const value = Number(attribute ?? 0);
  return Number.isSafeInteger(value) && value > 0 ? value : 0;
}
