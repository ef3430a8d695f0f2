/** A trigger of the application refuses a write: 422, without its message. */
import { type AnyModel, defineModel, hasMany } from '@model-api/core'
import { type Answer, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const

const Account = defineModel('Account', {
  columns: { id, balance: { type: 'integer' } },
  relations: { bookings: hasMany('Booking', 'account_id') },
  meta: {},
})
const Booking = defineModel('Booking', {
  columns: { id, amount: { type: 'integer' }, account_id: { type: 'integer', nullable: true } },
  meta: {},
})
const models: readonly AnyModel[] = [Account, Booking]

const config = { API_ALLOW_NESTED_WRITES: true, API_ALLOW_SELECT_FIELDS: true }

const message = 'The balance cannot be negative.'
const noDeletion = 'Accounts are never deleted.'

/** Each of them refuses a negative balance and every deletion. */
const triggers: Readonly<Record<'sqlite' | 'postgres' | 'mysql', readonly string[]>> = {
  sqlite: [
    `create trigger i before insert on accounts when new.balance < 0 begin select raise(abort, '${message}'); end`,
    `create trigger u before update on accounts when new.balance < 0 begin select raise(abort, '${message}'); end`,
    `create trigger d before delete on accounts begin select raise(abort, '${noDeletion}'); end`,
  ],
  postgres: [
    `create function positive() returns trigger language plpgsql as $$ begin if new.balance < 0 then raise exception '${message}'; end if; return new; end $$`,
    'create trigger iu before insert or update on accounts for each row execute function positive()',
    `create function kept() returns trigger language plpgsql as $$ begin raise exception '${noDeletion}'; end $$`,
    'create trigger d before delete on accounts for each row execute function kept()',
  ],
  mysql: [
    `create trigger i before insert on accounts for each row if new.balance < 0 then signal sqlstate '45000' set message_text = '${message}'; end if`,
    `create trigger u before update on accounts for each row if new.balance < 0 then signal sqlstate '45000' set message_text = '${message}'; end if`,
    `create trigger d before delete on accounts for each row signal sqlstate '45000' set message_text = '${noDeletion}'`,
  ],
}

eachDatabase('a trigger that rejects a write', (test, db) => {
  const api = testApi(db, models, config)
  test.before(async () => {
    await createTables(db, models)
    for (const ddl of triggers[db.name]) await db.execScript(ddl)
    await insertRows(db, Account, [{ id: 1, balance: 5 }])
  })
  const verdict = ({ status, errors }: Answer): unknown => [status, errors?.reason, errors?.code]
  const refused = [422, 'A rule of the database refuses this change.', 'refused_by_database']

  const writes: readonly (readonly [string, string, string, unknown])[] = [
    ['a record', 'POST', '/api/accounts', { balance: -1 }],
    ['a record with nested ones', 'POST', '/api/accounts', nested(-1)],
    ['an update', 'PATCH', '/api/accounts/1', { balance: -1 }],
    ['a deletion', 'DELETE', '/api/accounts/1', undefined],
  ]
  for (const [title, method, url, body] of writes) {
    const options = body === undefined ? {} : { body }
    test(`${title}: without its message`, async () =>
      equal(verdict(await send(api, method, url, options)), refused))
  }

  test('only writes that the trigger allows are stored', async () => {
    const created = await send(api, 'POST', '/api/accounts', { body: nested(7) })
    const { value } = await send(api, 'GET', '/api/accounts?fields=balance&order_by=id')
    equal([created.status, value], [201, [{ balance: 5 }, { balance: 7 }]])
  })
})

function nested(balance: number): unknown {
  return { balance, bookings: [{ amount: 1 }] }
}
