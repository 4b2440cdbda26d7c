export function toRoman(number) {
  throw new Error('not implemented');
}

export function fromRoman(text) {
  throw new Error('not implemented');
}
