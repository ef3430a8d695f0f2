// Transliteration: names in other alphabets → letters, digits and underscores of ASCII, for the names of models that are made of a
// database's tables. The same name always gives the same text.

/** Pairs each letter with its Latin spelling: `а б` and `a b` → `а`, `a` and `б`, `b`. `-` means that a letter is left out. */
function pairs(letters: string, sounds: string): [string, string][] {
  const others = sounds.trim().split(/\s+/)
  return letters
    .trim()
    .split(/\s+/)
    .map((letter, i) => [letter, others[i] === '-' ? '' : (others[i] ?? '')])
}

const latin = pairs('ß æ œ ø ł đ ð þ ı ħ ŋ', 'ss ae oe o l d d th i h ng')
const cyrillic = pairs(
  'а б в г д е ё ж з и й к л м н о п р с т у ф х ц ч ш щ ъ ы ь э ю я і ї є ґ ў ђ ј љ њ ћ џ ә ө ү ұ қ ғ ң һ',
  'a b v g d e yo zh z i y k l m n o p r s t u f kh ts ch sh shch - y - e yu ya i yi ye g u dj j lj nj c dz a o u u q g ng h',
)
const greek = pairs(
  'α β γ δ ε ζ η θ ι κ λ μ ν ξ ο π ρ σ ς τ υ φ χ ψ ω',
  'a v g d e z i th i k l m n x o p r s s t y f ch ps o',
)
const hebrew = pairs(
  'א ב ג ד ה ו ז ח ט י כ ך ל מ ם נ ן ס ע פ ף צ ץ ק ר ש ת',
  'a b g d h v z h t y k k l m m n n s a p f ts ts q r sh t',
)
const arabic = pairs(
  'ا أ إ آ ء ؤ ئ ب ت ث ج ح خ د ذ ر ز س ش ص ض ط ظ ع غ ف ق ك ل م ن ه ة و ي ى پ چ ژ گ ک ی',
  'a a i a - w y b t th j h kh d dh r z s sh s d t z a gh f q k l m n h a w y a p ch zh g k y',
)
const kana = pairs(
  `あ い う え お か き く け こ が ぎ ぐ げ ご さ し す せ そ ざ じ ず ぜ ぞ た ち つ て と だ ぢ づ で ど な に ぬ ね の
  は ひ ふ へ ほ ば び ぶ べ ぼ ぱ ぴ ぷ ぺ ぽ ま み む め も や ゆ よ ら り る れ ろ わ ゐ ゑ を ん ぁ ぃ ぅ ぇ ぉ ゎ ゔ ー`,
  `a i u e o ka ki ku ke ko ga gi gu ge go sa shi su se so za ji zu ze zo ta chi tsu te to da ji zu de do na ni nu ne no
  ha hi fu he ho ba bi bu be bo pa pi pu pe po ma mi mu me mo ya yu yo ra ri ru re ro wa i e o n a i u e o wa vu -`,
)

const letters = new Map([...latin, ...cyrillic, ...greek, ...hebrew, ...arabic, ...kana])

// The code point of a Hangul syllable is computed from the numbers of its initial, vowel and final.
const initials = 'g kk n d tt r m b pp s ss - j jj ch k t p h'.split(' ')
const vowels = 'a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i'.split(' ')
const finals = '- k k k n n n t l k m p t t p l m p p t t ng t t k t p t'.split(' ')

/**
 * Converts a name to ASCII: letters of known alphabets by pronunciation, other letters to their code points. A run of other
 * characters becomes one underscore.
 *
 * `Größe` → `Grosse`, `заказы` → `zakazy`, `고객` → `gogaek`, `かな` → `kana`, `数` → `u6570`, `unit price` → `unit_price`
 */
export function transliterate(name: string): string {
  const text = Array.from(toHiragana(name.normalize('NFC')), ascii)
    .join('')
    .replace(/[^A-Za-z0-9_]+/g, '_')
  const isUpper = name === name.toUpperCase() && name !== name.toLowerCase()
  return isUpper ? text.toUpperCase() : text
}

/** Converts katakana to hiragana, and small letters together with the syllable that they change: `きゃ` → `kya`, `っか` → `kka`. */
function toHiragana(text: string): string {
  return text
    .replace(/[\u30A1-\u30F4]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0x60))
    .replace(/([きぎにひびぴみり])([ゃゅょ])/g, (_, first, second) => {
      return `${sound(first).slice(0, -1)}y${smallVowel(second)}`
    })
    .replace(/([しじちぢ])([ゃゅょ])/g, (_, first, second) => {
      return `${sound(first).slice(0, -1)}${smallVowel(second)}`
    })
    .replace(/っ(.)/g, (_, next) => `${sound(next).charAt(0) || next.charAt(0)}${next}`)
}

const sound = (letter: string): string => letters.get(letter) ?? ''
const smallVowel = (letter: string): string => 'auo'.charAt('ゃゅょ'.indexOf(letter))

function ascii(letter: string): string {
  if (/[ -~]/.test(letter)) return letter
  const spelling = withCase(letter)
  if (spelling !== undefined) return spelling
  const hangul = letter.charCodeAt(0) - 0xac00
  if (hangul >= 0 && hangul < 11_172) return syllable(hangul)
  const bare = letter.normalize('NFD').replace(/[\u0300-\u036F]/g, '')
  if (bare === '' || /^[ -~]+$/.test(bare)) return bare
  if (bare !== letter) return Array.from(bare, ascii).join('')
  return /[\p{L}\p{M}\p{N}\p{So}]/u.test(letter) ? `u${letter.codePointAt(0)?.toString(16)}` : '_'
}

function withCase(letter: string): string | undefined {
  const lower = letter.toLowerCase()
  const found = letters.get(lower)
  if (found === undefined || lower === letter) return found
  return found.charAt(0).toUpperCase() + found.slice(1)
}

function syllable(number: number): string {
  const parts = [
    initials[Math.floor(number / 588)],
    vowels[Math.floor((number % 588) / 28)],
    finals[number % 28],
  ]
  return parts.filter((part) => part !== '-').join('')
}
