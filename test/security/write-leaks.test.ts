/**
 * The leak matrix of writes: every write × every secret. The answer, and what the writer reads afterwards, equal those
 * of a world in which the secret does not exist. The exceptions are those of docs/access.md, and stand here by name.
 */
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createWorld, full } from './world.ts'
import { taken, type Write, writes } from './write-doors.ts'
import { type Row, secrets, writerIn } from './write-secrets.ts'

eachDatabase('a write', (test, db) => {
  test.before(() => createWorld(db))

  for (const [name, list] of Object.entries(writes)) {
    test(`tells nothing of any secret: ${name}`, async () => {
      let succeeded = 0
      const answers = new Map<Write, string>()
      const write = writerIn(db, { variant: full })
      for (const one of list) {
        const answer = await write(one)
        ok(!answer.startsWith('5'), `${one.method} ${one.url}\n${answer}`)
        if (answer.startsWith('2')) succeeded++
        answers.set(one, answer)
      }
      for (const [secret, lacking] of Object.entries(secrets)) {
        const writeWithout = writerIn(db, lacking)
        for (const one of list) {
          const about = `${secret}: ${one.method} ${one.url} ${JSON.stringify(one.body)}`
          equal(answers.get(one), await writeWithout(one), about)
        }
      }
      const refusedAll = ['a hidden column', 'an unpublished relation', 'parameters of a write']
      ok(succeeded > 0 || refusedAll.includes(name), 'no write of this kind succeeds')
    })
  }

  test('tells by 409 that a key is taken, which no policy can hide', async () => {
    const nobody = (row: Row) => (row.owner_id === 7 && row.deleted === false ? row : null)
    const write = writerIn(db, { variant: full })
    for (const one of taken) ok((await write(one)).startsWith('409'))
    const writeAlone = writerIn(db, { variant: full, change: nobody })
    for (const one of taken) ok((await writeAlone(one)).startsWith('201'))
  })
})
