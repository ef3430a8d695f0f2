/** A text that the character set of a column lacks is found nowhere, and cannot be stored. */
import { defineModel, hashPassword, passwordCheck } from '@model-api/core'
import { type Answer, get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { column } from '../support/expect.ts'
import { extent } from '../support/extent.ts'
import { eachDatabase } from '../support/suite.ts'

/** A text that the set lacks, one that it has, and others that it has, in the order of code points. */
interface CharacterSet {
  readonly beyond: string
  readonly own: string
  readonly others: readonly string[]
}

/** In `sjis`, `gbk`, `big5` and `cp932`, the second byte of some letters is a backslash, a quote or a lower-case letter of ASCII. */
const sets: Readonly<Record<string, CharacterSet>> = {
  latin1: { beyond: 'λ', own: 'é', others: ['%', '\\', '~', 'ß', 'ÿ', '€'] },
  ascii: { beyond: 'λ', own: 'e', others: ['"', "'", 'Z', '\\', '_', 'z'] },
  utf8mb3: { beyond: '😀', own: 'e', others: ['é', 'ﬀ', '\uffe5', '\ufffd'] },
  sjis: { beyond: 'é', own: '表', others: ['ソ', '予', '能', '貼', 'ｱ'] },
  cp932: { beyond: 'é', own: '表', others: ['①', 'ソ', '構', '髙', 'ｱ'] },
  gbk: { beyond: '😀', own: '縗', others: ['α', 'ァ', '丂', '乗', '誠', '鎈'] },
  big5: { beyond: 'é', own: '許', others: ['功', '吒', '娉', '閱'] },
  ujis: { beyond: '😀', own: '漢', others: ['あ', '丂', '表', 'ｱ'] },
  euckr: { beyond: 'é', own: '한', others: ['α', '가', '힝'] },
  swe7: { beyond: '{', own: 'ö', others: ['"', "'", 'Z', '_', 'z', 'Ä', 'å'] },
  tis620: { beyond: 'é', own: 'ก', others: ['"', '\\', 'z', 'ฮ', '๛'] },
  cp1251: { beyond: 'é', own: 'я', others: ['\\', '©', 'Ё', 'Ы', '€'] },
  // The same letters as Unicode, in other bytes.
  ucs2: { beyond: '😀', own: '表', others: ['"', '\\', '€', '\uffe5'] },
}

const inCodePoints = (texts: readonly string[]): readonly string[] =>
  [...texts].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))

const quoted = (text: string): string =>
  encodeURIComponent(`"${text.replaceAll(/["\\]/g, '\\$&')}"`)

/** A usual run has a set of each kind: one byte, two bytes, bytes of ASCII with another meaning. */
const asked =
  extent === 'usual' ? ['latin1', 'ascii', 'utf8mb3', 'sjis', 'gbk', 'swe7'] : Object.keys(sets)

for (const set of asked) {
  const { beyond, own, others } = sets[set] as CharacterSet
  for (const collation of [{}, { collation: 'database' }] as const) {
    eachDatabase(
      `texts beyond ${set}${'collation' in collation ? ', under its collation' : ''}`,
      (test, db) => {
        const Code = defineModel('Code', {
          columns: {
            code: { type: 'string', maxLength: 20, primaryKey: true, ...collation },
            name: { type: 'string', maxLength: 20, nullable: true, unique: true, ...collation },
          },
          relations: {},
          meta: { allowed_methods: ['GET', 'POST', 'PATCH', 'DELETE'], allow_bulk: true },
        })
        const sent = encodeURIComponent(beyond)
        const type = `varchar(20) character set ${set}`
        test.before(async () => {
          await db.execScript(
            `create table codes (code ${type} not null primary key, name ${type} unique)`,
          )
          await db.kysely
            .insertInto('codes')
            .values([
              { code: 'a', name: own },
              { code: 'b', name: '?' },
              { code: 'c', name: null },
            ])
            .execute()
        })
        const api = testApi(db, [Code], {})
        const codes = (condition: string) =>
          column(api, `/api/codes?order_by=code&${condition}`, 'code')

        test('are 200 without a match in filters', async () => {
          for (const operator of [
            'eq',
            'like',
            'ilike',
            'startswith',
            'istartswith',
            'endswith',
            'iendswith',
          ]) {
            equal(await codes(`name__${operator}=${sent}`), [], operator)
          }
          for (const operator of ['lt', 'le', 'gt', 'ge']) {
            const { status } = await get(api, `/api/codes?name__${operator}=${sent}`)
            equal(status, 200, operator)
          }
          equal((await get(api, `/api/codes?name__between=(a,${sent})`)).status, 200)
          equal(await codes(`name__in=(${sent})`), [])
          equal(await codes(`name__in=(${sent},${encodeURIComponent(own)})`), ['a'])
          equal(await codes(`name__in=(${sent},${encodeURIComponent(own)},x,y,z,1,2,3,4,5)`), ['a'])
          equal(await codes(`name__eq=${encodeURIComponent(own)}`), ['a'])
          equal(await codes(`or[name__eq=${sent},name__eq=${encodeURIComponent(own)}]`), ['a'])
          for (const operator of ['ne', 'nlike', 'nilike']) {
            equal(await codes(`name__${operator}=${sent}`), ['a', 'b'], operator)
          }
          equal(await codes(`name__nin=(${sent})`), ['a', 'b'])
          equal(await codes(`not[name__eq=${sent}]`), ['a', 'b'])
        })

        test('name no record', async () => {
          equal((await get(api, `/api/codes/${sent}`)).status, 404)
          equal(
            (await send(api, 'PATCH', `/api/codes/${sent}`, { body: { name: 'x' } })).status,
            404,
          )
          equal((await send(api, 'DELETE', `/api/codes/${sent}`)).status, 404)
        })

        test('cannot be stored', async () => {
          const body = { code: 'd', name: beyond }
          const refused = await send(api, 'POST', '/api/codes', { body })
          equal([refused.status, Object.keys(refused.errors.reason)], [422, ['name']], refused.text)
          const changed = await send(api, 'PATCH', '/api/codes/a', { body: { name: beyond } })
          equal([changed.status, Object.keys(changed.errors.reason)], [422, ['name']], changed.text)
          const key = await send(api, 'POST', '/api/codes', { body: { code: beyond } })
          equal([key.status, Object.keys(key.errors.reason)], [422, ['code']], key.text)
        })

        test('cannot be stored by upserts', async () => {
          for (const [conflict, body] of [
            ['name', { code: 'd', name: beyond }],
            ['code', { code: beyond, name: 'd' }],
          ] as const) {
            const url = `/api/codes?on_conflict=${conflict}`
            const refused = await send(api, 'POST', url, { body })
            equal(
              [refused.status, Object.keys(refused.errors.reason)],
              [422, [conflict]],
              refused.text,
            )
            const list = await send(api, 'POST', url, { body: [{ code: 'f', name: 'f' }, body] })
            equal(
              [list.status, Object.keys(list.errors.reason)],
              [422, [`[1].${conflict}`]],
              list.text,
            )
          }
          equal(await codes(''), ['a', 'b', 'c'])
        })

        test('stand beside those of the set, which are stored, found and paged exactly', async () => {
          const texts = [own, ...others].map((text, i) => `${text}x${i}`)
          for (const code of texts) {
            const { status, value, text } = await send(api, 'POST', '/api/codes', {
              body: { code, name: `n${code}` },
            })
            equal([status, value?.code, value?.name], [201, code, `n${code}`], text)
            const url = `/api/codes/${encodeURIComponent(code)}`
            equal((await get(api, url)).value?.code, code, code)
            equal((await send(api, 'PATCH', url, { body: { name: `m${code}` } })).status, 200, code)
          }
          const stored = await codes(`code__in=(${texts.map(quoted).join(',')})`)
          equal(stored.length, texts.length)
          for (const code of texts) {
            const one = quoted(code)
            for (const operator of ['eq', 'like', 'ilike', 'startswith', 'iendswith'])
              equal(await codes(`code__${operator}=${one}`), [code], `${operator} ${code}`)
          }
          const all = await codes('name__startswith=m')
          const paged: string[] = []
          let url: string | null =
            '/api/codes?name__startswith=m&order_by=code&limit=1&paging=cursor'
          while (url !== null && paged.length <= texts.length) {
            const page: Answer = await get(api, url)
            equal(page.status, 200, url)
            paged.push(page.value[0].code)
            url = page.body.next_url
          }
          equal(paged, all)
          if (!('collation' in collation)) equal(all, inCodePoints(texts))
          for (const code of texts)
            equal(
              (await send(api, 'DELETE', `/api/codes/${encodeURIComponent(code)}`)).status,
              200,
              code,
            )
        })
      },
      { only: 'mysql' },
    )
  }
}

const User = defineModel('User', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    login: { type: 'string', maxLength: 40 },
    password_hash: { type: 'string', maxLength: 100 },
  },
  methods: { check: passwordCheck('password_hash') },
  meta: {},
})

eachDatabase(
  'a login beyond latin1',
  (test, db) => {
    test.before(async () => {
      await db.execScript(
        'create table users (id integer primary key, login varchar(40) character set latin1, password_hash varchar(100))',
      )
      await db.kysely
        .insertInto('users')
        .values({ id: 1, login: 'ann', password_hash: await hashPassword('secret') })
        .execute()
    })
    const api = testApi(db, [User], {
      API_AUTHENTICATE_METHOD: ['jwt', 'basic'],
      API_USER_MODEL: User,
      API_USER_LOOKUP_FIELD: 'login',
      API_CREDENTIAL_CHECK_METHOD: 'check',
      ACCESS_SECRET_KEY: 'a'.repeat(32),
      REFRESH_SECRET_KEY: 'b'.repeat(32),
      API_PASSWORD_COST: 4,
    })

    test('is that of no user', async () => {
      const login = (username: string) =>
        send(api, 'POST', '/auth/login', { body: { username, password: 'secret' } })
      equal((await login('ann')).status, 200)
      equal((await login('λ')).status, 401)
      const both = await Promise.all([login('λ'), login('ann')])
      equal(
        both.map(({ status }) => status),
        [401, 200],
      )
    })
  },
  { only: 'mysql' },
)
