/** model-api: relations from a file, and relations that are suggested because of names. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { equal, match, ok } from '../support/assert.ts'
import { suite } from '../support/suite.ts'
import { command, sqliteFile } from './support.ts'

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
    match(before.out, '/api/orders     4 columns\n')
    const path = file(
      '# shop\norders.customer_id -> customers.id # bought\n\norders.(line_order, line_no) -> lines.(order_id, no)\n',
    )
    const after = await command(['serve', target, '--port', '0', '--relations', path])
    match(after.out, '/api/orders     4 columns  customer, line\n')
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
