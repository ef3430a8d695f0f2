/** Texts of any length that are expensive for bad parsers: runs that a pattern reads again from each position, and many small pieces. */

/** A text of about `n` characters. */
export type Shape = (n: number) => string

export type Shapes = Readonly<Record<string, Shape>>

const run =
  (piece: string, before = '', after = ''): Shape =>
  (n) =>
    before + piece.repeat(Math.ceil(n / piece.length)) + after

/** Texts for conversions of numbers and dates. */
export const digits: Shapes = {
  'zeros, then a letter': run('0', '', 'x'),
  'zeros behind the point, then a one': run('0', '1.', '1'),
  'zeros behind a one, then a one': run('0', '1', '1'),
  'a minus before zeros': run('0', '-', '.x'),
  nines: run('9'),
  'nines, a point, nines': (n) => `${'9'.repeat(n / 2)}.${'9'.repeat(n / 2)}`,
  'an exponent of zeros': run('0', '1e', '1'),
  'a second with many digits': run('0', '2024-05-14T10:30:00.', 'x'),
  'one character': () => '7',
}

/** The three of them that are most expensive for a bad pattern. */
export const fewDigits: Shapes = Object.fromEntries(
  Object.entries(digits).filter(([name]) => /^(?:zeros|nines$)/.test(name)),
)

/** Texts for everything else. */
export const words: Shapes = {
  letters: run('a'),
  'capitals and letters': run('aB'),
  blanks: run(' '),
  'blanks in letters': run(' ', 'a', 'a'),
  'line breaks': run('\n', 'a', 'a'),
  backslashes: run('\\'),
  'backslashes and quotes': run('\\"', '"'),
  quotes: run('"'),
  'a quote that is not closed': run('a', '"'),
  apostrophes: run("'"),
  'opening parentheses': run('('),
  'opening brackets': run('['),
  'closing brackets': run(']'),
  brackets: (n) => '('.repeat(n / 2) + ')'.repeat(n / 2),
  'brackets and commas': run('[],'),
  commas: run(','),
  'letters and commas': run('a,'),
  semicolons: run(';'),
  'names and semicolons': run('a=b; '),
  points: run('.'),
  'letters and points': run('a.'),
  hyphens: run('-'),
  'letters and hyphens': run('a-', '', '!'),
  underscores: run('_'),
  'letters and underscores': run('a_'),
  bars: run('|'),
  colons: run(':'),
  'letters and colons': run('a:'),
  slashes: run('/'),
  'letters and slashes': run('a/'),
  stars: run('*'),
  'equals signs': run('='),
  'at signs': run('a@'),
  'an address of many labels': run('a.', 'a@', '!'),
  'a web address': run('a/', 'https://example.org/'),
  'a web address of many labels': run('é.', 'https://'),
  'a web address of one long label': run('é', 'https://'),
  'tags of entities': run('"a",'),
  'the tag that is not closed': run('W/'),
  'NUL characters': run('\0'),
  'letters with accents': run('é'),
  'characters beyond 16 bits': run('😀'),
  'halves of surrogate pairs': run('\ud83d'),
  'base64 of zeros': run('AAAA'),
  'base64 without end': run('AAAA', '', '='),
}

export const texts: Shapes = { ...digits, ...words }

/** Parts of a raw query string, with escapes as they are sent. */
export const escapes: Shapes = {
  'escaped letters': run('%61'),
  'escaped commas': run('%2C'),
  'escaped brackets': run('%5B'),
  'escaped quotes': run('%22'),
  'escaped quotes and backslashes': run('%5C%22', '%22'),
  'escaped NUL characters': run('%00'),
  'escaped characters of four bytes': run('%F0%9F%98%80'),
  'escapes that are none': run('%'),
  'escapes of no character': run('%C3%28'),
  'escapes cut short': run('%61', '', '%6'),
  'plus signs': run('+'),
}

/** Escapes a text for a query string: only characters that would end it. */
export const inQuery = (text: string): string =>
  text.replaceAll(/[%&#+]/g, (sign) => encodeURIComponent(sign))

/** Escapes a text for a segment of a path: only characters that would end it. */
export const inPath = (text: string): string =>
  text.replaceAll(/[%#?]/g, (sign) => encodeURIComponent(sign))

/** JSON values of about `n` characters, valid and invalid, as text. */
export const jsonValues: Shapes = {
  ...Object.fromEntries(
    Object.entries(texts).map(([name, shape]) => [
      `a string: ${name}`,
      (n: number) => JSON.stringify(shape(n)),
    ]),
  ),
  'a number of zeros behind the point': run('0', '1.', '1'),
  'a number of zeros': run('0', '1'),
  'a number of zeros, then a one': run('0', '1', '1'),
  'a number of nines': run('9'),
  'a number with a long exponent': run('0', '1e', '1'),
  'a small number with a long exponent': run('9', '1e-'),
  'many numbers': run('1,', '[', '1]'),
  'many decimals': run('1.50,', '[', '1]'),
  'many strings': run('"a",', '[', '1]'),
  'many strings with a NUL character': run('"\\u0000",', '[', '1]'),
  'many strings with half a pair': run('"\\ud83d",', '[', '1]'),
  'many empty lists': run('[],', '[', '1]'),
  'many empty objects': run('{},', '[', '1]'),
  'many objects with an unknown key': run('{"aB":1},', '[', '1]'),
  'many objects with a hostile key': run('{"__proto__":1},', '[', '1]'),
  'many objects of a key given twice': run('{"a":1,"a":1},', '[', '1]'),
  'a key given again and again': run('"a":1,', '{', '"a":1}'),
  'long keys': (n) =>
    `{${Array.from({ length: Math.ceil(n / 1000) }, (_, i) => `"${'k'.repeat(990)}${i}":"\\u0000"`)}}`,
  'one long key': run('k', '{"', '":1}'),
  'a long key above many problems': (n) =>
    `{"${'k'.repeat(1000)}":${run('"\\u0000",', '[', '1]')(n)}}`,
  'escaped letters': run('\\u0061', '"', '"'),
  'escaped quotes': run('\\"', '"', '"'),
  'escaped backslashes': run('\\\\', '"', '"'),
  'escapes that are none': run('\\x', '"', '"'),
  'a string that is not closed': run('a', '"'),
  'an escape that is not closed': run('\\u00', '"'),
  'deep lists': run('['),
  'deep objects': run('{"a":'),
  'lists as deep as they may be, side by side': run(
    `${'['.repeat(24)}1${']'.repeat(24)},`,
    '[',
    '1]',
  ),
  blanks: run(' ', '[', ']'),
  'blanks without end': run(' '),
  'line breaks between numbers': run('\n1,', '[', '1]'),
  commas: run(','),
  'words that are none': run('tru'),
}

/** Objects with as many keys as one object may have, at most. */
export const manyKeys: Shape = (n) =>
  `{${Array.from({ length: Math.min(1000, Math.ceil(n / 8)) }, (_, i) => `"k${i}":1`)}}`
