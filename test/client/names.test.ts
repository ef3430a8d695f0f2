/** The names of collections in types are those of the endpoints: for every rule of English plurals, and names of every form. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { segmentOf } from '../../packages/core/src/client/collection-name.ts'
import { toCase } from '../../packages/core/src/lib/naming/case.ts'
import { pluralIn } from '../../packages/core/src/lib/naming/plural.ts'
import { equal } from '../support/assert.ts'
import { suite } from '../support/suite.ts'

const tsc = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url))
const folder = fileURLToPath(
  new URL(`../node_modules/.cache/names-${process.pid}/`, import.meta.url),
)

/** Names of tables, with at least one for every rule and list of plurals. */
const words = `
account activity address admin advice agenda aircraft alias alumnus alumna analysis analytics apparatus appendix archive area
article asset atlas audio audit author axe axis bacterium badge basis batch beau bill bird blog body bonus book box branch
brief bus business calf campus canvas car carp cart case cash category census channel chassis chateau chateaux chef cherub
chief child children chinese city class clothing code codex coin comment commerce company contact corps country course cow
crisis criterion cup currency curriculum customer cycle dairy data date datum day deer delivery department device diagnosis
dice die dish document dog dogma dwarf echo elf emu energy entry equipment event exam expertise eye eyelash fax fee file fish
fishing fix flag flour fly focus foot form fox friend fungus gas genus giraffe glass goal goose group grief gulf half hardware
hero hoof hour house human hypothesis idea index information invoice iris issue item job journey judge justice key kidney
kiss knife knee label language leaf leave legend lemma lens letter life line list literature loaf location log loss louse
machine mail man matrix measles media medium member memo menu message money monkey moose mouse movie music name nebula need
news note nucleus oasis octopus offer office ox order organ organisation organism page parent party pass patch payment penny
person phenomenon photo piano picture pike plan play police policy pony post potato premise price proof property proxy quiz
quota radio radius rain record reef region reindeer release reply report research review rice role roof room rule safe salary
sale salmon scarf schema scissors search self series session shelf shoe shop sku soliloquy species staff status stimulus
stock stomach store story strategy strata stratum street studio style subject success suffix supply survey syllabus synopsis
syrup table tag tariff task tax taxi team tennis terminus test testis thesis thief timetable title token tomato tooth topic
tornado toy traffic transaction transportation tree trout trunk turf tuna type unit university us user valley value valve
vertebra vertex veto video view virus visa visit volcano voucher wage waltz warehouse watch way wealth week welfare wharf
wife wildlife wish wolf woman word world worksheet yes you zebra zero zoo zucchini seraph bias gallows trellis pancreas
genera people feet mice men women passerby alga algae alumni foci pokemon swiss portuguese maltese glasses atlases wives
tray quay guy buy spy honey trolley donkey chimney alley volley pulley money attorney jersey turkey abbey coney
axes tests leaves hives status statuses canvas virtuoso embargo cargo ratio logo macro combo tattoo kangaroo agro
area arena camera drama formula opera persona pizza saga sauna umbrella visa asylum forum museum premium stadium quorum ovum
automaton polyhedron hexahedron noumenon organon perihelion champion million companion icon horizon melon salon carbon
genius radius cactus circus corpus cosmos chaos ethos kudos lotus minus nexus opus prospectus rhinoceros surplus thermos
tennis debris ibis pelvis penis trellis clitoris tigris ramekin ram exam dam dram ham clam program diagram sodium helium
am us those me he she them is was has this that thou deer sheep herpes diabetes athletics jeans chess claus
`
  .trim()
  .split(/\s+/)

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** Names that are not simply in Pascal case are used unchanged as names of collections. */
const odd = ['order_item', 'UserID', 'MyHTTP', 'A', 'order-line', 'DNS', 'Café', 'B2B']

function mistakes(expected: ReadonlyMap<string, string>): readonly string[] {
  mkdirSync(folder, { recursive: true })
  const types = fileURLToPath(
    new URL('../../packages/core/src/client/collection-name.ts', import.meta.url),
  )
  const lines = [...expected].map(
    ([name, key], i) => `export const k${i}: CollectionName<'${name}'> = '${key}'`,
  )
  const text = [`import type { CollectionName } from '${types}'`, ...lines].join('\n')
  writeFileSync(`${folder}names.ts`, text)
  const compilerOptions = {
    ...{ target: 'ES2022', module: 'NodeNext', strict: true, noEmit: true, types: [] },
    allowImportingTsExtensions: true,
  }
  writeFileSync(`${folder}tsconfig.json`, JSON.stringify({ compilerOptions, files: ['names.ts'] }))
  const { stdout } = spawnSync(tsc, ['-p', folder, '--pretty', 'false'], { encoding: 'utf8' })
  return stdout.split('\n').filter((line) => line.includes('error TS'))
}

suite('the names of collections in types', (test) => {
  test('are the plural names of the endpoints', () => {
    const names = [...new Set(words)].flatMap((word) => [capital(word), `Order${capital(word)}`])
    // A single letter is used unchanged, because no lower-case letter follows it.
    const plain = names.filter((name) => name.length > 1)
    const expected = new Map(plain.map((name) => [name, pluralIn(name, 'camel')]))
    try {
      equal(mistakes(expected), [])
      for (const [name, key] of expected) {
        for (const letterCase of ['kebab', 'snake', 'camel', 'pascal'] as const) {
          equal(segmentOf(key, letterCase), pluralIn(name, letterCase), name)
        }
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('of other forms are the names of the models, which are aliases of the endpoints', () => {
    const expected = new Map(odd.map((name) => [name, name]))
    // Capitals at the beginning are kept together, so that they are one word in the endpoint too.
    for (const [name, key] of [
      ['HTTPLog', 'HTTPLogs'],
      ['AType', 'ATypes'],
      ['MP3', 'MP3s'],
      ['Model12', 'model12s'],
    ] as const) {
      expected.set(name, key)
      equal(segmentOf(key, 'kebab'), pluralIn(name, 'kebab'))
    }
    try {
      equal(mistakes(expected), [])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
    for (const name of odd) {
      for (const letterCase of ['kebab', 'snake', 'camel', 'pascal'] as const) {
        equal(segmentOf(name, letterCase), toCase(name, letterCase), name)
      }
    }
  })
})
