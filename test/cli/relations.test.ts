/** model-api: relations from a file, and relations that are suggested because of names. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { equal, match, ok } from '../support/assert.ts'
import { eachDatabase, runsOn, suite } from '../support/suite.ts'
import { command, sqliteFile } from './support.ts'

runsOn('one server of each engine')

suite('model-api --relations', (test) => {
  const folder = mkdtempSync(join(tmpdir(), 'relations-'))
  const file = (text: string): string => {
    const path = join(folder, 'relations.txt')
    writeFileSync(path, text)
    return path
  }
  test.after(() => rmSync(folder, { recursive: true }))
  const target = sqliteFile(`
    create table customers (id integer primary key, name text);
    create table lines (order_id integer not null, no integer not null, primary key (order_id, no));
    create table orders (id integer primary key, customer_id integer, line_order integer, line_no integer);`)

  test('prints the relations that names suggest, as lines to copy into the file', async () => {
    const before = await command(['serve', target, '--port', '0'])
    match(before.out, 'Relations that names suggest; none is taken.')
    match(before.out, '\n  orders.customer_id -> customers.id\n')
    match(before.out, '/api/orders     4 columns  0 rows\n')
    const path = file(
      '# shop\norders.customer_id -> customers.id # bought\n\norders.(line_order, line_no) -> lines.(order_id, no)\n',
    )
    const after = await command(['serve', target, '--port', '0', '--relations', path])
    match(after.out, '/api/orders     4 columns  0 rows  customer, line\n')
    ok(!after.out.includes('orders.customer_id -> customers.id'))
    const models = await command(['models', target, '--relations', path])
    match(models.out, "customer: belongsTo('Customer', 'customer_id')")
  })

  test('reports where the file is wrong', async () => {
    const path = file('orders.customer_id -> customers.id\norders -> customers\n')
    const { code, err } = await command(['models', target, '--relations', path])
    equal(code, 2)
    match(err, 'line 2: "orders -> customers" is no relation.')
    equal((await command(['models', target, '--relations', join(folder, 'none')])).code, 2)
    const unknown = await command([
      'models',
      target,
      '--relations',
      file('orders.customer_id -> customer.id'),
    ])
    equal(unknown.code, 1)
    match(unknown.err, 'there is no table "customer". Did you mean "customers"?')
  })
})

const script = (quote: string): string =>
  `
create table customers (id integer primary key);
create table orders (id integer primary key, "customer.id" integer);
create table authors (id integer primary key);
${Array.from({ length: 45 }, (_, i) => `create table b${i} (id integer primary key, author_id integer);`).join('\n')}
`.replaceAll('"', quote)

eachDatabase('model-api --suggest', (test, db) => {
  const folder = mkdtempSync(join(tmpdir(), 'relations-'))
  test.after(() => rmSync(folder, { recursive: true }))
  let target: string
  test.before(async () => {
    const text = script(db.name === 'mysql' ? '`' : '"')
    if (db.name === 'sqlite') target = sqliteFile(text)
    else await db.execScript(text)
    target ??= db.url ?? ''
  })

  test('prints all suggestions as a file that --relations takes', async () => {
    const before = await command(['serve', target, '--port', '0'])
    match(before.out, '… and 6 more; --suggest all prints all of them as such a file\n')
    const { out, err } = await command(['serve', target, '--suggest', 'all'])
    match(err, 'Reading the schema …\n')
    match(out, /^# Relations that names of /)
    match(out, '\norders."customer.id" -> customers.id\n')
    equal((await command(['models', target, '--suggest', 'all'])).out, out)
    const path = join(folder, 'relations.txt')
    writeFileSync(path, out)
    const taken = await command(['models', target, '--relations', path])
    match(taken.out, "customer: belongsTo('Customer', 'customer_id')")
    equal(taken.out.match(/belongsTo\('/g)?.length, 46)
    const rest = await command(['models', target, '--relations', path, '--suggest', 'all'])
    equal(rest.out.trim().split('\n').length, 1)
  })

  test('serves nothing, so that it takes no option of the server', async () => {
    const { code, err } = await command(['serve', target, '--suggest', 'all', '--port', '0'])
    equal(code, 2)
    match(err, '--suggest has no option "--port"')
    equal((await command(['serve', target, '--suggest', 'some'])).code, 2)
    equal((await command(['serve', './api.ts', '--suggest', 'all'])).code, 2)
  })
})
