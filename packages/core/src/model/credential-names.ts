// Recognises names of columns and tables that hold credentials (docs/guide/access.md): such columns of the user model are hidden, those of
// other models are warned about at start-up, and introspection hides them.

import { toCase } from '../lib/naming/case.ts'
import type { ColumnType } from './column.ts'
import { columnTypes } from './column-types.ts'

/** Words that mean a credential anywhere in a name: `password`, `reset_token_hash`, `otp_secret`. */
const credentials = new Set([
  ...['pwd', 'passcode', 'passcodes', 'passkey', 'passkeys'],
  ...['secret', 'secrets', 'token', 'tokens', 'jwt', 'credential', 'credentials'],
  ...['otp', 'totp', 'hotp', 'salt', 'cvv', 'cvc'],
])

/** Compounds written as one word: `passwordhash`, `userpasswd`, `authtoken`, `clientsecret`, `apikey`. */
const compounds =
  /passw(?:or)?d|passphrase|^pwd|pwd$|(?:token|secret)s?$|^(?:api|secret|private|access|auth|signing|encryption)keys?$/

/** Words before `key` or `code` that make it a credential: `api_key`, `recovery_codes`; not `sort_key`. */
const keysOf =
  /(?:^|_)(?:api|secret|private|access|auth|signing|encryption|master|session|activation|ssh)_keys?(?:_|$)/
const codesOf =
  /(?:^|_)(?:recovery|backup|scratch|reset|verification|activation|login|auth|access|mfa|one_time)_codes?(?:_|$)/
const answersOf = /(?:^|_)(?:security|secret)_answers?(?:_|$)/

/** A hash counts as a credential unless its name says that it hashes content. */
const hashOf = /(?:^|_)(?:([a-z]+)_)?hash(?:es)?$/
const contents = new Set([
  ...['content', 'contents', 'file', 'data', 'body', 'text', 'image', 'photo', 'video', 'media'],
  ...[
    'blob',
    'asset',
    'document',
    'page',
    'url',
    'etag',
    'row',
    'record',
    'object',
    'query',
    'schema',
  ],
  ...['commit', 'tree', 'git', 'build', 'source', 'block', 'transaction', 'tx', 'address', 'geo'],
])

/** Words before `pass` that make it a credential: `user_pass`; not `boarding_pass`. */
const passOf =
  /^(?:(?:user|admin|login|auth|account|root|db|database|smtp|mail|email|ftp|http|web)_)*pass$/
const passWith = /(?:^|_)pass_(?:word|phrase|code|key|crypt|hash|salt)(?:_|$)/

/** Last words that name something about a credential: `token_count`, `api_key_name`, `access_key_id`, `otp_method`. */
const about = new Set([
  ...['id', 'type', 'kind', 'name', 'label', 'title', 'description', 'question', 'owner', 'email'],
  ...['count', 'counts', 'size', 'length', 'limit', 'number', 'attempts', 'used', 'usage', 'ttl'],
  ...['status', 'state', 'method', 'algorithm', 'algo', 'format', 'version', 'policy', 'issuer'],
  ...['scope', 'scopes', 'expiry', 'expires', 'expiration', 'at', 'on', 'by', 'until', 'since'],
  ...['enabled', 'required', 'symbol'],
])

/** Plain names that mean a credential in a table of credentials (`api_keys.key`) or of sessions (`sessions.sid`). */
const contentOf =
  /^(?:(?:api|plain|plaintext|raw|encrypted|cipher)_)?(?:key|value|code|text|data|body|content|contents|payload|digest|signature|ciphertext)$/
const sessionOf = /^(?:sid|sess_?id|session_id)$/

/** Names of credentials that may be numbers, such as PINs. */
const digits = /(?:^|_)(?:pin|pins|otp|totp|hotp|cvv|cvc|passcode|password|code|codes)$/

/**
 * Whether a column with this name and type probably holds a credential, which must be neither shown nor searchable to
 * everyone who may read the rest of its table.
 *
 * Names are split into words, in any case. If in doubt, the answer is true: `hidden: false` undoes an unnecessary hiding, but
 * nothing undoes a leak. Types that cannot hold a credential (dates, booleans, enums; numbers except PINs and codes)
 * never match. The `table` of the column makes credentials of plain names: `key` in `api_keys`, `sid` in `sessions`.
 *
 * ```ts
 * looksLikeCredential('password_hash', 'string') // true
 * looksLikeCredential('tokenCount', 'integer') // false
 * ```
 */
export function looksLikeCredential(
  name: string,
  type: ColumnType = 'text',
  table?: string,
): boolean {
  const words = wordsOf(name)
  const text = words.join('_')
  const { secrets } = columnTypes[type]
  if (secrets === 'none') return false
  if (secrets === 'digits') return digits.test(text) && isCredential(words, text)
  return (
    (!about.has(words.at(-1) ?? '') && isCredential(words, text)) ||
    (table !== undefined && isContent(text, type, table))
  )
}

/** Whether a table with this name probably holds credentials. */
export function isCredentialTable(name: string): boolean {
  // Table names are plural, so the singular must look like a credential too: neither a `token_type` nor `token_types` holds
  // tokens.
  return looksLikeCredential(name) && looksLikeCredential(name.replace(/s$/i, ''))
}

const wordsOf = (name: string): readonly string[] =>
  toCase(name, 'snake')
    .split('_')
    .map((word) => word.replace(/^[0-9]+|[0-9]+$/g, ''))
    .filter((word) => word !== '')

/** Whether the plain name `text` means a credential in this table. */
function isContent(text: string, type: ColumnType, table: string): boolean {
  if (/^sessions?$/.test(wordsOf(table).at(-1) ?? '')) {
    // A login session has a text as its key, which is the content of its cookie. Other sessions, such as those of a conference,
    // have numbers or uuids.
    return sessionOf.test(text) || (text === 'id' && columnTypes[type].text === 'any')
  }
  return contentOf.test(text) && isCredentialTable(table)
}

/** Whether a name, as words and joined by underscores, means a credential in any table. */
function isCredential(words: readonly string[], text: string): boolean {
  return (
    words.some((word) => credentials.has(word) || compounds.test(word)) ||
    [keysOf, codesOf, answersOf, passOf, passWith, /(?:^|_)pins?$/].some((form) =>
      form.test(text),
    ) ||
    isHash(text)
  )
}

function isHash(text: string): boolean {
  const match = hashOf.exec(text)
  return match !== null && !contents.has(match[1] ?? '')
}
