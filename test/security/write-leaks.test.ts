/**
 * The leak matrix of writes: every write × every secret. The answer, and what the writer reads afterwards, equal those
 * of a world in which the secret does not exist. The exceptions are those of docs/access.md, and stand here by name.
 */
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { apiOf, createWorld, fillWorld, full, viewer } from './world.ts'
import { taken, type Write, writes } from './write-doors.ts'
import { type Row, type Secret, secrets, told } from './write-secrets.ts'

eachDatabase('a write', (test, db) => {
  test.before(() => createWorld(db))

  const inWorld = async ({ variant, change }: Secret, write: Write): Promise<string> => {
    await fillWorld(db, change)
    return told(apiOf(db, variant, viewer), write)
  }

  for (const [name, list] of Object.entries(writes)) {
    test(`tells nothing of any secret: ${name}`, async () => {
      let succeeded = 0
      for (const write of list) {
        const answer = await inWorld({ variant: full }, write)
        ok(!answer.startsWith('5'), `${write.method} ${write.url}\n${answer}`)
        if (answer.startsWith('2')) succeeded++
        for (const [secret, lacking] of Object.entries(secrets)) {
          const about = `${secret}: ${write.method} ${write.url} ${JSON.stringify(write.body)}`
          equal(answer, await inWorld(lacking, write), about)
        }
      }
      const refusedAll = ['a hidden column', 'an unpublished relation', 'parameters of a write']
      ok(succeeded > 0 || refusedAll.includes(name), 'no write of this kind succeeds')
    })
  }

  test('tells by 409 that a key is taken, which no policy can hide', async () => {
    for (const write of taken) {
      ok((await inWorld({ variant: full }, write)).startsWith('409'))
      const nobody = (row: Row) => (row.owner_id === 7 && row.deleted === false ? row : null)
      ok((await inWorld({ variant: full, change: nobody }, write)).startsWith('201'))
    }
  })
})
