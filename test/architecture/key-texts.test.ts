/**
 * Lists every place in the core that compares keys of rows by their texts, and why that is right where a collation finds keys equal whose
 * texts differ: the database tells which row a key names. Adding a place here is a deliberate decision.
 */
import { equal } from '../support/assert.ts'
import { filesBelow, readSource, scan } from '../support/source.ts'
import { suite } from '../support/suite.ts'

const root = 'packages/core/src/'

const comparing = /\b(?:keyText|keyTextIn|keyTextOfOne)\b/g

const bothStored = 'both texts are of keys that rows of the same columns hold'
const alone =
  'with a collation, each key is looked up alone, so that what is found is what it names'
const caution = 'equal texts are equal keys; what is taken for different costs a statement at most'

/** Why the texts of keys may be compared in each file. */
const places: Readonly<Record<string, string>> = {
  'auth/users/users.ts': 'writes and reads the key in tokens; the user is found by the database',
  'http/endpoints/writes/bulk.ts': `duplicates of a list, which the look-up finds by the stored keys, too; ${bothStored}`,
  'http/endpoints/writes/response/echo.ts': `keys of written records; ${bothStored}`,
  'query/run/embed.ts':
    'rows tell the number of their parent (`numberedKeys`), unless the dialect says that equal keys have equal texts',
  'query/run/key.ts': 'the functions',
  'write/body/record-count.ts': 'counts records for a limit: at most one more for each spelling',
  'write/check/overlaps.ts': `which records an error names; ${caution}`,
  'write/check/referred-records.ts': bothStored,
  'write/check/segment-references.ts': alone,
  'write/check/write-checks.ts': `whether a reference changes; ${caution}`,
  'write/links/change-children.ts': `children; ${bothStored}. Parents: all of them, if the keys do not tell`,
  'write/links/link-keys.ts':
    'own keys are those that were asked for; `chunksByKey` asks for each alone',
  'write/links/link-records.ts': 'soft-deleted links, which the links of the list have restored',
  'write/links/nested-records.ts': `written records, and records to link, as they were found; ${bothStored}`,
  'write/links/write-links.ts': 'linked records have the stored keys of `storedTexts`',
  'write/refusals/explain-refusal.ts': `which field an error names; ${caution}`,
  'write/removal/empty-references.ts': `whether a callback has kept a reference; ${bothStored}`,
  'write/removal/find-referrers.ts': 'goes on one by one where a key does not tell its parent',
  'write/removal/removed-links.ts': 'own keys are those that were asked for',
  'write/removal/removal-types.ts': bothStored,
  'write/resolve/look-up-records.ts': bothStored,
  'write/resolve/resolve-changes.ts': alone,
  'write/resolve/resolve-named.ts': alone,
  'write/resolve/resolve-unique-names.ts': alone,
  'write/resolve/stored-changes.ts': bothStored,
  'write/resolve/stored-texts.ts': 'the database numbers the keys',
  'write/segments/call-hooks.ts': 'only whether there is a key',
  'write/store/change-log.ts': bothStored,
  'write/store/changed-users.ts': bothStored,
  'write/store/generated-keys.ts': 'generated keys, which have one spelling',
  'write/store/rows/default-keys.ts': 'generated keys, which have one spelling',
  'write/store/rows/referrers-first.ts':
    'the order of rows; where it is not found, the database refuses them together and each is tried alone',
  'write/store/rows/remove-rows.ts':
    'whether a record refers to itself; with a collation, every reference to its table counts',
  'write/store/rows/update-rows.ts':
    'whether a value is taken over; if the database refuses the rows together, they are divided',
  'write/statements/locks-in-order.ts': `records to lock; ${caution}`,
  'write/store/ruled-records.ts': `records to check; ${caution}`,
}

const comparesTexts = (file: string): boolean =>
  (scan(readSource(file)).code.match(comparing)?.length ?? 0) > 0

suite('texts of keys', (test) => {
  test('are compared where this file says, and nowhere else', () => {
    const found = filesBelow(root).filter(comparesTexts)
    equal(found.map((file) => file.slice(root.length)).sort(), Object.keys(places).sort())
  })
})
