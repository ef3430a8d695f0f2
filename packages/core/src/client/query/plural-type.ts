// The English plural of a lower-case word as a type: `Plural<'category'>` is `'categories'`. It names the collections of a client, so it has the
// rules of `lib/naming/plural.ts`, which names endpoints. Types only.

/** Words whose plural follows no rule. */
interface Irregular {
  i: 'we'
  me: 'us'
  he: 'they'
  she: 'they'
  them: 'them'
  myself: 'ourselves'
  yourself: 'yourselves'
  itself: 'themselves'
  herself: 'themselves'
  himself: 'themselves'
  themself: 'themselves'
  is: 'are'
  was: 'were'
  has: 'have'
  this: 'these'
  that: 'those'
  echo: 'echoes'
  dingo: 'dingoes'
  volcano: 'volcanoes'
  tornado: 'tornadoes'
  torpedo: 'torpedoes'
  genus: 'genera'
  viscus: 'viscera'
  stigma: 'stigmata'
  stoma: 'stomata'
  dogma: 'dogmata'
  lemma: 'lemmata'
  schema: 'schemata'
  anathema: 'anathemata'
  ox: 'oxen'
  axe: 'axes'
  die: 'dice'
  yes: 'yeses'
  foot: 'feet'
  eave: 'eaves'
  goose: 'geese'
  tooth: 'teeth'
  quiz: 'quizzes'
  human: 'humans'
  proof: 'proofs'
  carve: 'carves'
  valve: 'valves'
  looey: 'looies'
  thief: 'thieves'
  groove: 'grooves'
  pickaxe: 'pickaxes'
  passerby: 'passersby'
  thou: 'you'
  mouse: 'mice'
  louse: 'lice'
  titmouse: 'titmice'
  oxen: 'oxen'
  dice: 'dice'
  feet: 'feet'
  geese: 'geese'
  teeth: 'teeth'
  genera: 'genera'
  viscera: 'viscera'
  schemata: 'schemata'
  stigmata: 'stigmata'
  stomata: 'stomata'
  dogmata: 'dogmata'
  lemmata: 'lemmata'
  anathemata: 'anathemata'
  mice: 'mice'
  lice: 'lice'
  titmice: 'titmice'
  passersby: 'passersby'
  we: 'we'
  us: 'us'
  those: 'those'
  they: 'they'
  are: 'are'
  were: 'were'
  have: 'have'
  these: 'these'
}

/** Words that are their own plural. */
type Uncountable =
  | 'adulthood'
  | 'aid'
  | 'blood'
  | 'cod'
  | 'mud'
  | 'advice'
  | 'agenda'
  | 'aircraft'
  | 'alcohol'
  | 'ammo'
  | 'analytics'
  | 'anime'
  | 'athletics'
  | 'audio'
  | 'bison'
  | 'bream'
  | 'buffalo'
  | 'butter'
  | 'carp'
  | 'cash'
  | 'chassis'
  | 'chess'
  | 'clothing'
  | 'commerce'
  | 'cooperation'
  | 'corps'
  | 'debris'
  | 'diabetes'
  | 'digestion'
  | 'elk'
  | 'energy'
  | 'equipment'
  | 'excretion'
  | 'expertise'
  | 'firmware'
  | 'flounder'
  | 'fun'
  | 'gallows'
  | 'garbage'
  | 'graffiti'
  | 'hardware'
  | 'headquarters'
  | 'health'
  | 'herpes'
  | 'highjinks'
  | 'homework'
  | 'housework'
  | 'information'
  | 'jeans'
  | 'justice'
  | 'kudos'
  | 'labour'
  | 'literature'
  | 'machinery'
  | 'mackerel'
  | 'mail'
  | 'media'
  | 'mews'
  | 'moose'
  | 'music'
  | 'manga'
  | 'news'
  | 'only'
  | 'personnel'
  | 'pike'
  | 'plankton'
  | 'pliers'
  | 'police'
  | 'pollution'
  | 'premises'
  | 'rain'
  | 'research'
  | 'rice'
  | 'salmon'
  | 'scissors'
  | 'series'
  | 'sewage'
  | 'shambles'
  | 'shrimp'
  | 'software'
  | 'species'
  | 'staff'
  | 'swine'
  | 'tennis'
  | 'traffic'
  | 'transportation'
  | 'trout'
  | 'tuna'
  | 'wealth'
  | 'welfare'
  | 'whiting'
  | 'wildebeest'
  | 'wildlife'
  | 'you'

type Vowel = 'a' | 'e' | 'i' | 'o' | 'u'

/** Endings of words that are their own plural. */
type Unchanged =
  | `${string}${'sheep' | 'pox' | 'ois' | 'ous' | 'measles' | 'fish' | 'deer' | 'pokemon' | 'eaux'}`
  | `${string}${Vowel}las`
  | `${string}${'e' | 'j' | 'z' | 'r'}as`
  | `${string}${'i' | 'u'}am`

/** Words in -um with a plural in -a, without the ending: bacterium, bacteria. */
type LatinUm =
  | 'agend'
  | 'addend'
  | 'millenni'
  | 'dat'
  | 'extrem'
  | 'bacteri'
  | 'desiderat'
  | 'strat'
  | 'candelabr'
  | 'errat'
  | 'ov'
  | 'symposi'
  | 'curricul'
  | 'automat'
  | 'quor'

/** Words in -on with a plural in -a, without the ending: criterion, criteria. */
type GreekOn =
  | 'apheli'
  | 'hyperbat'
  | 'periheli'
  | 'asyndet'
  | 'noumen'
  | 'phenomen'
  | 'criteri'
  | 'organ'
  | 'prolegomen'
  | 'hedr'
  | 'automat'

/** Words in -us with a plural in -i, without the ending: radius, radii. */
type LatinUs =
  | 'alumn'
  | 'syllab'
  | 'vir'
  | 'radi'
  | 'nucle'
  | 'fung'
  | 'cact'
  | 'stimul'
  | 'termin'
  | 'bacill'
  | 'foc'
  | 'uter'
  | 'loc'
  | 'strat'

/** Words that end with `y`; `S` is the word without it. */
type PluralOfY<S extends string> = S extends `${string}${Vowel | 'y'}`
  ? S extends `${string}qu`
    ? `${S}ies`
    : S extends `${infer Before}${'i' | 'e' | 'o'}${'l' | 'n'}e`
      ? Before extends '' | `${string}${'c' | 'h'}`
        ? `${S}ys`
        : S extends `${infer Stem}e`
          ? `${Stem}ies`
          : never
      : `${S}ys`
  : S extends ''
    ? 'ys'
    : `${S}ies`

/** Words that end with `s`. */
type PluralOfS<W extends string> = W extends `${string}ss`
  ? `${W}es`
  : W extends `${infer Stem}sis`
    ? `${Stem}ses`
    : W extends `${infer Stem extends `${string}${LatinUs}`}us`
      ? `${Stem}i`
      : W extends `${string}ias`
        ? W extends `${string}lias`
          ? PluralOfLias<W>
          : W
        : W extends `${string}${'enus' | 'emus' | 'aus' | 'uus'}`
          ? W
          : W extends `${string}us`
            ? `${W}es`
            : W extends `${string}${'tlas' | 'tmas' | 'gas' | 'ris'}`
              ? `${W}es`
              : W extends `${infer Stem}${'ax' | 'test'}is`
                ? W extends `${infer Start}is`
                  ? `${Start}es`
                  : `${Stem}s`
                : W

/** Words that end with `lias`: `alias` → `aliases`. */
type PluralOfLias<W extends string> = W extends `${string}alias` ? `${W}es` : W

/** Words that end with `f` or `fe`. */
type PluralOfF<W extends string> =
  W extends `${infer Stem extends `${string}${'kni' | 'wi' | 'li'}`}fe`
    ? `${Stem}ves`
    : W extends `${infer Stem extends `${string}${'ar' | 'l' | 'ea' | 'eo' | 'oa' | 'hoo'}`}f`
      ? `${Stem}ves`
      : `${W}s`

/** Words with any other ending. */
type PluralOfOther<W extends string> = W extends `${infer Stem}m${'a' | 'e'}n`
  ? `${Stem}men`
  : W extends `${string}child`
    ? `${W}ren`
    : W extends `${infer Stem}person`
      ? `${Stem}people`
      : W extends `${string}${'children' | 'people'}`
        ? W
        : W extends `${infer Stem extends `${string}${'matr' | 'cod' | 'mur' | 'sil' | 'vert' | 'ind' | 'append'}`}${'ix' | 'ex'}`
          ? `${Stem}ices`
          : W extends `${string}${'x' | 'ch' | 'sh' | 'zz'}`
            ? `${W}es`
            : W extends `${infer Stem extends `${string}${GreekOn}`}on`
              ? `${Stem}a`
              : W extends `${infer Stem extends `${string}${LatinUm}`}um`
                ? `${Stem}a`
                : W extends `${string}${GreekOn | LatinUm}a`
                  ? W
                  : W extends `${string}${'her' | 'at' | 'gr'}o`
                    ? `${W}es`
                    : W extends `${string}${'seraph' | 'cherub'}`
                      ? `${W}im`
                      : W extends `${string}${'seraphim' | 'cherubim'}`
                        ? W
                        : W extends `${string}${'alumn' | 'alg' | 'vertebr'}a`
                          ? `${W}e`
                          : W extends
                                | `${string}${'alumn' | 'alg' | 'vertebr'}ae`
                                | `${string}${LatinUs}i`
                            ? W
                            : `${W}s`

/** Words that end with `ese`: `japanese` stays, `cheese` → `cheeses`. */
type PluralOfEse<W extends string> = W extends `${string}${Vowel}ese` ? `${W}s` : W

/** `person` → `people`, `category` → `categories`, `series` → `series`. */
export type Plural<W extends string> = W extends keyof Irregular
  ? Irregular[W]
  : W extends Uncountable | Unchanged
    ? W
    : W extends `${string}s`
      ? PluralOfS<W>
      : W extends `${infer S}y`
        ? PluralOfY<S>
        : W extends `${string}${'f' | 'fe'}`
          ? PluralOfF<W>
          : W extends `${string}ese`
            ? PluralOfEse<W>
            : PluralOfOther<W>
