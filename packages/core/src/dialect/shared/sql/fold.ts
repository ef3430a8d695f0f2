// Simple Unicode case folding, from JavaScript's own tables: the code points that the filter `ilike` treats as equal on every database.

/** For each code point that has other case forms: all code points with the same simple case folding. Undefined until the first use. */
let classes: ReadonlyMap<string, string> | undefined

const hasCase = /\p{Changes_When_Casemapped}/u
const kelvin = '\u212a'
const longS = '\u017f'

/**
 * Returns all case forms of a character, including itself: `k` → `kK` and the Kelvin sign. Full foldings are not included:
 * `ß` is never `ss`, and `İ` folds to itself.
 */
export function caseForms(character: string): string {
  if (character < '\u0080') return asciiForms(character)
  classes ??= foldClasses()
  return classes.get(character) ?? character
}

/** A search text in one case, and the replacements that bring other texts to that case. */
export interface Folded {
  /** The text with each letter replaced by the representative of its class: the ASCII lower case letter if there is one. */
  readonly text: string
  /** The replacements to make in a text before it is searched, after ASCII letters in it were converted to lower case. */
  readonly forms: readonly (readonly [form: string, by: string])[]
}

/**
 * Replaces each letter by one representative of its case forms, which may be of either case, and lists the other forms beyond ASCII.
 *
 * `ÉTÉ 5K` → text `ÉtÉ 5k`, forms `é` → `É` and the Kelvin sign → `k`
 */
export function folded(text: string): Folded {
  const forms = new Map<string, string>()
  const letters = Array.from(text, (character) => {
    const all = Array.from(caseForms(character)).sort()
    const by = (all.find((form) => form < '\u0080') ?? all[0] ?? character).toLowerCase()
    const letter = by < '\u0080' ? by : (all[0] ?? character)
    for (const form of all) if (form >= '\u0080' && form !== letter) forms.set(form, letter)
    return letter
  })
  return { text: letters.join(''), forms: [...forms] }
}

function asciiForms(character: string): string {
  const lower = character.toLowerCase()
  const upper = character.toUpperCase()
  if (lower === upper) return character
  if (lower === 'k') return `kK${kelvin}`
  return lower === 's' ? `sS${longS}` : lower + upper
}

/**
 * Finds candidates by full case mappings, and selects among them by case-insensitive regular expressions, which use simple case
 * folding.
 */
function foldClasses(): ReadonlyMap<string, string> {
  const candidates = new Map<string, string[]>()
  for (let code = 0; code <= 0x1ffff; code += 1) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    const character = String.fromCodePoint(code)
    if (!hasCase.test(character)) continue
    const key = character.toLowerCase().toUpperCase().toLowerCase()
    const others = candidates.get(key)
    if (others === undefined) candidates.set(key, [character])
    else others.push(character)
  }
  const found = new Map<string, string>()
  for (const characters of candidates.values()) {
    for (const character of characters) {
      const forms = isPair(characters) ? characters.join('') : formsAmong(characters, character)
      if (forms !== character) found.set(character, forms)
    }
  }
  return found
}

/** Whether the two letters are upper and lower case of each other, as most pairs are. Then no regular expression is needed. */
function isPair([a = '', b = '', ...others]: readonly string[]): boolean {
  if (others.length > 0 || b === '') return false
  return (
    (a.toLowerCase() === b && b.toUpperCase() === a) ||
    (b.toLowerCase() === a && a.toUpperCase() === b)
  )
}

function formsAmong(characters: readonly string[], character: string): string {
  const alike = new RegExp(`^${character}$`, 'iu')
  return characters.filter((other) => alike.test(other)).join('')
}
