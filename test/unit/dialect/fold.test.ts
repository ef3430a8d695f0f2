// Case folding: our character classes are those of JavaScript's /iu, for every character.
import { caseForms } from '../../../packages/core/src/dialect/shared/sql/fold.ts'
import { equal, ok } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const escaped = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`

/** Every character with more than one form, according to regular expressions. */
function formsByRegExp(): Map<string, string> {
  const all: string[] = []
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code < 0xd800 || code > 0xdfff) all.push(String.fromCodePoint(code))
  }
  // Finds the other forms of each candidate by searching a text of all characters with a case, because `\P{x}` under /iu cannot
  // tell whether a character folds.
  const cased = all.filter((c) =>
    /\p{Changes_When_Casefolded}|\p{Changes_When_Casemapped}|\p{Cased}/u.test(c),
  )
  const text = cased.join('')
  const forms = new Map<string, string>()
  for (const character of cased) {
    const found = text.match(new RegExp(escaped(character), 'giu')) ?? []
    if (found.length > 1) forms.set(character, found.sort().join(''))
  }
  return forms
}

suite('dialect/fold', (test) => {
  test('every character has the forms that /iu gives it', () => {
    const expected = formsByRegExp()
    ok(expected.size > 2700, `${expected.size}`)
    let different = ''
    for (let code = 0; code <= 0x10ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue
      const character = String.fromCodePoint(code)
      const ours = Array.from(caseForms(character)).sort().join('')
      if (ours !== (expected.get(character) ?? character)) different += `${character} ${ours}; `
    }
    equal(different, '')
  })

  test('well-known special cases', () => {
    const set = (character: string): string => Array.from(caseForms(character)).sort().join(' ')
    equal(set('k'), 'K k \u212a')
    equal(set('\u212a'), 'K k \u212a')
    equal(set('S'), 'S s ſ')
    equal(set('ς'), 'Σ ς σ')
    equal(set('ß'), 'ß ẞ')
    equal(set('İ'), 'İ')
    equal(set('ı'), 'ı')
    equal(set('i'), 'I i')
    equal(set('😀'), '😀')
    equal(set('1'), '1')
    equal(set('𐐀'), '𐐀 𐐨')
  })
})
