/** The arguments of the model-api command, and one message for every mistake in them. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { AnyModel } from '@model-api/core'
import { equal, match } from '../support/assert.ts'
import { compiled } from '../support/compile.ts'
import { eachDatabase, runsOn, suite } from '../support/suite.ts'
import { command, sqliteFile, started } from './support.ts'

runsOn('one server of each engine')

const file = sqliteFile(`
create table authors (id integer primary key, name text not null);
create table books (id integer primary key, "unit price" integer, author_id integer references authors);
create table log (line text);`)

suite('model-api', (test) => {
  test('--help, help and no arguments print the usage', async () => {
    for (const args of [['--help'], ['-h'], ['help'], [], ['serve', '--help']]) {
      const { code, out, err } = await command(args)
      equal([code, err], [0, ''])
      match(out, 'model-api serve <file or URL>')
      match(out, 'API_ALLOW_JOIN')
    }
  })

  test('--version is that of the package', async () => {
    const { code, out } = await command(['--version'])
    equal(code, 0)
    match(out, /^\d+\.\d+\.\d+\n$/)
  })

  for (const [args, sentence] of [
    [['serve', 'x.db', '--yes'], '--yes answers what --write asks; there is no --write.'],
    [['serve', 'x.db', '--write', '--workers', '2'], '--write with --workers needs --yes.'],
    [
      ['serve', './api.ts', '--write'],
      '--write is for a database; ./api.ts says itself what clients may write.',
    ],
    [['models', 'x.db', '--write'], 'models has no option "--write".'],
    [['sreve', 'x.db'], 'there is no command "sreve". Did you mean "serve"?'],
    [['frob'], 'there is no command "frob". There are: serve, models, openapi, exposure, check.'],
    [
      ['serve'],
      'serve needs a database: a SQLite file, postgres://user@host/database or mysql://user@host/database.',
    ],
    [['serve', 'a.db', 'b.db'], 'expected one database; "b.db" is a second one.'],
    [['serve', 'a.db', '--prot', '1'], 'there is no option "--prot". Did you mean "--port"?'],
    [['serve', 'a.db', '--port', 'x'], '"x" is not a port. Expected a number from 0 to 65535.'],
    [
      ['serve', 'a.db', '--port', '70000'],
      '"70000" is not a port. Expected a number from 0 to 65535.',
    ],
    [['models', 'a.db', '--port', '1'], 'models has no option "--port".'],
  ] as const) {
    test(`exit code 2: ${args.join(' ')}`, async () => {
      const { code, out, err } = await command(args)
      equal(
        [code, out, err],
        [2, '', `model-api: ${sentence}\nmodel-api --help lists commands and options.\n`],
      )
    })
  }

  test('exit code 2 for an option without its value', async () => {
    const { code, err } = await command(['serve', 'a.db', '--port'])
    equal(code, 2)
    match(err, '--port')
  })

  const folder = fileURLToPath(new URL('.', import.meta.url))
  const nothing = sqliteFile('')
  writeFileSync(nothing, 'this is text, and rather more of it than the header of a database has')
  for (const [target, sentence] of [
    ['nowhere.db', 'There is no file "nowhere.db".'],
    [folder, `"${folder}" is not a file.`],
    [nothing, `Cannot read ${nothing}: it is not a SQLite database.`],
    [
      'mssql://host/db',
      '"mssql://" is not a supported database. Expected a SQLite file, postgres://user@host/database or mysql://user@host/database.',
    ],
    [
      'postgres:host',
      '"postgres:host" is not a complete URL. Expected a SQLite file, postgres://user@host/database or mysql://user@host/database.',
    ],
    [
      'postgres://ann:secret@127.0.0.1:1/x',
      'Cannot read postgres://ann@127.0.0.1:1/x: nothing answers at this address. Is the server running?',
    ],
    [
      'mariadb://ann:se:cr@127.0.0.1:1/x',
      'Cannot read mariadb://ann@127.0.0.1:1/x: nothing answers at this address. Is the server running?',
    ],
  ] as const) {
    test(`exit code 1: ${target.replace(folder, '<folder>').replace(nothing, '<text file>')}`, async () => {
      for (const name of ['serve', 'models']) {
        const { code, err } = await command([name, target])
        equal(code, 1)
        equal(
          err.split('\n').filter((line) => line.startsWith('model-api: ')),
          [`model-api: ${sentence}`],
        )
        equal(/^ {4}at /m.test(err), false)
      }
    })
  }

  test('files may be given as URLs', async () => {
    for (const target of [`file:${file}`, `sqlite:${file}`, `sqlite://${file}`, `file://${file}`]) {
      equal((await command(['models', target])).code, 0, target)
    }
  })

  test('models prints a module and nothing else to stdout', async () => {
    const { code, out, err } = await command(['models', file])
    equal(code, 0)
    match(err, 'Reading the schema …')
    match(out, /^\/\/ The models of .*library\.db\. A model is published by its meta; .*\n\/\/\n/)
    match(out, '//   log: a table without a key, so its key is rowid and it is read-only\n')
    match(out, '//   books.unit price: called unit_price in requests\n')
    match(out, '  meta: {},\n')
    const { models } = await compiled(out)
    equal(
      (models as readonly AnyModel[]).map((model) => model.name),
      ['Author', 'Book', 'Log'],
    )
  })

  test('the process ends with the code of the command', async () => {
    const failing = started(['models', 'nowhere.db'])
    match(await failing.until(/\n/), 'model-api: There is no file "nowhere.db".\n')
    equal(await failing.ended, 1)
  })
})

eachDatabase('model-api models', (test, db) => {
  test('the error names a database or schema that does not exist', async () => {
    if (db.url === undefined) return
    await db.execScript('create table a (id integer primary key)')
    const missing = await command(['models', db.url.replace(/\/[^/]*$/, '/model_api_no_such')])
    match(missing.err, 'the server has no such database.')
    const schema = await command(['models', db.url, '--schema', 'nowhere'])
    match(schema.err, /There is no (schema|database) "nowhere"\. This user sees: "/)
    equal([missing.code, schema.code], [1, 1])
  })

  test('tables are selected by name, and a misspelt one is an error', async () => {
    const target = db.url ?? file
    const name = db.url === undefined ? 'authors' : 'a'
    match((await command(['models', target, '--only', name])).out, `  table: '${name}',`)
    const { code, err } = await command(['models', target, '--only', `${name}x`])
    equal(code, 1)
    match(err, `only: there is no table "${name}x".`)
  })
})
