import { describe, expect, it } from 'vitest';
import { countBoxes } from './count-boxes.js';

const counted = (text: string) => {
  const { checked, total } = countBoxes(text);
  return `${checked} of ${total}`;
};

describe('boxes of a list', () => {
  it.each([
    ['every mark of a list', '- [ ] a\n* [x] b\n+ [X] c\n1. [ ] d\n2) [x] e\n', '3 of 5'],
    ['nested lists', '- [ ] a\n  - [x] b\n    - [ ] c\n1. one\n   - [x] d\n', '2 of 4'],
    ['lists that are nested with tabs', '- a\n\t- [ ] b\n\t\t- [x] c\n', '1 of 2'],
    ['nested numbers with four spaces', '1. [x] a\n    1. [ ] b\n    2. [x] c\n', '2 of 3'],
    ['a list in a list item', '- - [ ] a\n', '0 of 1'],
    ['lines that end with CR LF, or with CR', '- [x] a\r\n- [ ] b\r\n- [x] c\r', '2 of 3'],
    ['a byte order mark', '\ufeff- [x] a\n', '1 of 1'],
    ['blank lines between items', '- [ ] a\n\n  more about a\n\n- [x] b\n\n  - [ ] c\n', '1 of 3'],
    ['a quoted list', '> - [ ] a\n> - [x] b\n', '1 of 2'],
    ['headings between lists', '# A\n- [x] a\n## B\n- [ ] b\n', '1 of 2'],
    ['text that follows at once', 'Next:\n- [ ] a\nmore\n- [x] b', '1 of 2'],
    ['a deep item right below another one: in doubt it is a box', '- a\n        - [ ] b\n', '0 of 1'],
  ])('counts %s', (_, text, expected) => {
    expect(counted(text)).toBe(expected);
  });

  it.each([
    ['fenced code', '```md\n- [ ] a\n```\n- [x] b\n'],
    ['fenced code with tildes, in which there are backticks', '~~~\n```\n- [ ] a\n~~~\n- [x] b\n'],
    ['a longer fence, in which there is a shorter one', '````\n```\n- [ ] a\n```\n- [ ] a\n````\n- [x] b\n'],
    ['fenced code in a list item', '- [x] b\n\n  ```\n  - [ ] a\n  ```\n'],
    ['a fence that begins with its item', '- ```\n  - [ ] a\n  ```\n- [x] b\n'],
    ['a fence without an end in an item: it ends with the item', '- one\n  ```\n  - [ ] a\n- [x] b\n'],
    ['indented code', 'Text.\n\n    - [ ] a\n\n- [x] b\n'],
    ['indented code in an item', '- [x] b\n\n      - [ ] a\n'],
    ['a comment', '<!-- - [ ] a -->\n- [x] b\n'],
    ['a comment of several lines', '<!--\n- [ ] a\n- [ ] c\n-->\n- [x] b\n'],
    ['a comment that ends before a box', '<!--\n- [ ] a\n--> \n- [x] b\n'],
    ['a box in inline code', '- `[ ]` a\n`- [ ] a`\n- [x] b\n'],
    ['a link', '- [ ](a.md)\n- [x](b.md) c\n- [x] b\n'],
    ['a box with nothing to do', '- [ ]\n- [x] b\n'],
    ['other marks in brackets', '- [-] a\n- [~] a\n- [] a\n- [xx] a\n- [x] b\n'],
    ['a box without a list', '[ ] a\ntext [ ] b\n- [x] b\n'],
  ])('does not count %s', (_, text) => {
    expect(counted(text)).toBe('1 of 1');
  });

  it('a comment mark in inline code, or in the middle of a line, hides nothing that follows', () => {
    expect(counted('- [ ] write `<!--` before it\n- [x] b\n- [ ] c\n')).toBe('1 of 3');
    expect(counted('- [ ] the mark <!-- begins it\n- [x] b\n')).toBe('1 of 2');
    expect(counted('- [x] a <!-- in the parser --> and more\n')).toBe('1 of 1');
  });

  it('inline code with fence marks opens no fence', () => {
    expect(counted('```js``` is a fence\n- [ ] a\n')).toBe('0 of 1');
  });

  it('a line of many backticks or spaces takes no time', () => {
    expect(
      counted(
        `- [ ] ${'`'.repeat(50_000)}${'<!-- `a'.repeat(20_000)}\n${' '.repeat(100_000)}\n${'> '.repeat(20_000)}\n- [x] b`,
      ),
    ).toBe('1 of 2');
  }, 2000);

  it('has what each box says', () => {
    expect(countBoxes('- [ ]   a  b \n- [x] c').items).toEqual([
      { text: 'a  b', isChecked: false },
      { text: 'c', isChecked: true },
    ]);
  });
});
