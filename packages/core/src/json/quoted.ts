// A text as JSON: between quotes as it is, where nothing in it has to be escaped.

/** What JSON.stringify escapes: quotes, backslashes, control characters, and halves of surrogate pairs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: what JSON must escape
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/

/** As `JSON.stringify(text)`. */
export const quoted = (text: string): string =>
  escaped.test(text) ? JSON.stringify(text) : `"${text}"`

/** What `JSON.stringify(text)` has between its quotes. */
export const insideQuotes = (text: string): string =>
  escaped.test(text) ? JSON.stringify(text).slice(1, -1) : text
