/** model-api serve: its output, what it serves, and how it ends. */
import { createServer } from 'node:net'
import type { Envelope } from '@model-api/core'
import { equal, match, ok } from '../support/assert.ts'
import { databaseBeside, type TestDatabase } from '../support/databases.ts'
import { eachDatabase, runsOn, suite } from '../support/suite.ts'
import { baseIn, connection } from './processes.ts'
import { command, sqliteFile, started } from './support.ts'

runsOn('one server of each engine')

const script = `
create table authors (id integer primary key, name varchar(80) not null, born integer);
create table books (id integer primary key, title varchar(80) not null, price decimal(8,2), author_id integer,
  foreign key (author_id) references authors (id));
create table tags (id integer primary key, word varchar(20) not null);
create table book_tags (book_id integer not null, tag_id integer not null, primary key (book_id, tag_id),
  foreign key (book_id) references books (id), foreign key (tag_id) references tags (id));
create table log (line varchar(80));
create view dear_books as select id, title from books where price > 10;
create view totals as select author_id, max(title) as last from books group by author_id;
insert into authors values (1, 'Jane Austen', 1775), (2, 'Virginia Woolf', 1882);
insert into books values (1, 'Emma', 12.50, 1), (2, 'Persuasion', 9.90, 1), (3, 'Orlando', 11, 2);
insert into tags values (1, 'classic');
insert into book_tags values (1, 1), (3, 1);
`

/** A trigger of the database, with a message for users. */
const rule = {
  sqlite: `create trigger rule before insert on tags when new.word = 'bad' begin select raise(abort, 'Not this word.'); end;`,
  postgres: `create function rule() returns trigger language plpgsql as $$ begin if new.word = 'bad' then raise exception 'Not this word.'; end if; return new; end $$;
    create trigger rule before insert on tags for each row execute function rule();`,
  mysql: `create trigger rule before insert on tags for each row if new.word = 'bad' then signal sqlstate '45000' set message_text = 'Not this word.'; end if;`,
}

const requestsIn = (text: string): string[] =>
  [...text.matchAll(/curl -g "([^"]+)"/g)].map((found) => found[1] ?? '')

eachDatabase('model-api serve', (test, db: TestDatabase) => {
  let target: string
  const replicas: TestDatabase[] = []
  /** Another database with the same tables, in which the first author has this name. */
  const replicaWith = async (name: string): Promise<string> => {
    const renamed = script.replaceAll('Jane Austen', name)
    if (db.name === 'sqlite') return sqliteFile(renamed)
    const replica = databaseBeside(db)
    if (replica.url === undefined) throw new Error('the database has a server')
    replicas.push(replica)
    await replica.execScript(renamed)
    return replica.url
  }
  test.after(async () => {
    for (const replica of replicas) await replica.close()
  })
  test.before(async () => {
    if (db.name === 'sqlite') target = sqliteFile(script + rule.sqlite)
    else {
      await db.execScript(script)
      await db.execScript(rule[db.name])
      target = db.url ?? ''
    }
  })

  test('--write shows what becomes writable, and serves it once it is confirmed', async () => {
    const running = started(['serve', '--write', '--yes', target], { PORT: '0', HOST: '' })
    const text = await running.until(/Worth trying(\n.*){5,}\n/)
    const writable = /Writable by everyone who reaches the server, without a login\n((?: {2}.*\n)*)/
    equal(writable.exec(text)?.[1], '  /api/authors\n  /api/books\n  /api/tags\n')
    const base = new URL(requestsIn(text)[0] ?? '').origin
    const send = (method: string, url: string, body?: object) =>
      fetch(`${base}${url}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    // SQLite generates an integer key itself.
    const tag = db.name === 'sqlite' ? { word: 'new' } : { id: 7, word: 'new' }
    const made = await send('POST', '/api/tags', tag)
    equal(made.status, 201)
    const { value } = (await made.json()) as Envelope<{ readonly id: number }>
    const id = value?.id
    equal((await send('PATCH', `/api/tags/${id}`, { word: 'newer' })).status, 200)
    equal((await send('DELETE', `/api/tags/${id}`)).status, 200)
    const refused = await send('POST', '/api/tags', { ...tag, word: 'bad' })
    const { errors } = (await refused.json()) as Envelope<null>
    // The message of the trigger is for those who look after the database, not for everyone who reaches the server.
    equal([refused.status, errors?.code], [422, 'refused_by_database'])
    for (const path of ['/api/logs', '/api/totals', '/api/dear-books']) {
      equal((await send('POST', path, {})).status, 405, path)
    }
    running.process.kill('SIGTERM')
    equal(await running.ended, 0)
  })

  test('--write asks for confirmation, and serves nothing without it', async () => {
    const asked: string[] = []
    const refuse = async (question: string) => {
      asked.push(question)
      return 'y'
    }
    const env = { PORT: '0', HOST: '' }
    const refused = await command(['serve', '--write', target], env, refuse)
    equal([refused.code, asked], [1, ['Let clients change these tables? (yes/no) ']])
    match(refused.err, 'Nothing is served: not confirmed.')
    ok(!refused.out.includes('Listening'))
    const agreed = await command(['serve', '--write', target], env, async () => ' Yes ')
    equal(agreed.code, 0)
    match(agreed.out, 'Listening')
    const alone = await command(['serve', '--write', target], env)
    equal(alone.code, 2)
    match(alone.err, 'there is no terminal; add --yes')
  })

  test('prints its progress, serves what it prints, and shuts down cleanly', async () => {
    const running = started(['serve', target], { PORT: '0', HOST: '' })
    const text = await running.until(/Worth trying(\n.*){5,}\n/)
    match(text, /^Connecting to .+ …\nReading the schema …\n/)
    match(text, /\/api\/authors +3 columns +\d rows? +books\n/)
    match(text, /\/api\/books +4 columns +\d rows? +author, tags\n/)
    const isSqlite = db.name === 'sqlite'
    match(
      text,
      isSqlite ? /\/api\/logs +2 columns +\d rows?\n/ : /\/api\/logs +1 column +\d rows?\n/,
    )
    match(text, 'Left out\n  book_tags: junction of Book and Tag\n')
    match(
      text,
      isSqlite
        ? 'Lists only, without single records\n  totals: a view without a key\n  To give one a key: --key totals=<column>,… names columns'
        : 'Lists only, without single records\n  log: a table without a key\n  totals: a view without a key\n  To give one a key: --key log=<column>,… names columns',
    )
    match(text, /Listening at http:\/\/127\.0\.0\.1:\d+ /)
    const requests = requestsIn(text)
    equal(requests.length, 5)
    for (const request of requests) {
      const response = await fetch(request)
      const { value, total_count } = (await response.json()) as Envelope
      equal(response.status, 200, request)
      ok(Array.isArray(value) && value.length > 0 && total_count > 0, request)
    }
    const base = new URL(requests[0] ?? '').origin
    equal((await fetch(`${base}/api/books`, { method: 'POST', body: '{}' })).status, 405)
    equal((await fetch(`${base}/elsewhere`)).status, 404)
    const joined = await fetch(`${base}/api/books?join=author&author.name__eq=Jane%20Austen`)
    equal(((await joined.json()) as Envelope).total_count, 2)
    const grouped = await fetch(
      `${base}/api/books?join=author&groupby=author.name&price|total__sum=1&order_by=author.name`,
    )
    equal(((await grouped.json()) as Envelope).value, [
      { name: 'Jane Austen', total: '22.40' },
      { name: 'Virginia Woolf', total: '11.00' },
    ])
    running.process.kill('SIGTERM')
    equal(await running.ended, 0)
  })

  test('--replica names the database to read from', async () => {
    const from = await replicaWith('J. Austen')
    const running = started(['serve', target, '--replica', from], { PORT: '0', HOST: '' })
    const text = await running.until(/Worth trying(\n.*){5,}\n/)
    match(text, /\nReading from .+\n/)
    const base = new URL(requestsIn(text)[0] ?? '').origin
    const { value } = (await (await fetch(`${base}/api/authors/1`)).json()) as Envelope
    equal((value as { name: string }).name, 'J. Austen')
    running.process.kill('SIGTERM')
    equal(await running.ended, 0)
  })

  test('every worker reads from several replicas in turn', async () => {
    const replicas = [await replicaWith('First'), await replicaWith('Second')]
    const words = replicas.flatMap((replica) => ['--replica', replica])
    const args = ['serve', target, '--workers', '2', '--port', '0', ...words]
    const running = started(args, { HOST: '' })
    const base = baseIn(await running.until(/workers: processes .*\n/))
    for (let i = 0; i < 4; i++) {
      // The supervisor hands connections to the workers in turn.
      const one = connection(base)
      const read = async () => (await one.ask('GET', '/api/authors/1')).body.value.name
      equal(new Set([await read(), await read()]), new Set(['First', 'Second']))
      one.close()
    }
    running.process.kill('SIGTERM')
    equal(await running.ended, 0)
  })

  test('--key gives a view a key', async () => {
    const running = started(['serve', target, '--key', 'totals=author_id'], { PORT: '0', HOST: '' })
    const text = await running.until(/Worth trying(\n.*){5,}\n/)
    match(text, '  dear_books: a view; its key is that of books\n')
    match(text, '  totals: its key is (author_id), as given\n')
    const base = new URL(requestsIn(text)[0] ?? '').origin
    const read = async (path: string) =>
      ((await (await fetch(`${base}${path}`)).json()) as Envelope).value
    equal(await read('/api/totals/1'), { author_id: 1, last: 'Persuasion' })
    equal(await read('/api/dear-books/1'), { id: 1, title: 'Emma' })
    running.process.kill('SIGTERM')
    equal(await running.ended, 0)
  })

  test('--only and --except select tables', async () => {
    const only = await command(['serve', target, '--port', '0', '--only', 'authors,books'])
    match(only.out, /\/api\/books +4 columns +\d rows? +author\n/)
    match(only.out, 'Left out\n  book_tags, dear_books, log, tags, totals: not in "only"\n')
    const except = await command(['serve', target, '-p', '0', '--except=log', '--except', 'tags'])
    match(except.out, '  log, tags: in "except"\n')
    equal(except.code, 0)
  })
})

suite('model-api serve', (test) => {
  const empty = sqliteFile('create virtual table log using fts5(line)')
  const file = sqliteFile(script)

  test('reports that a port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    const { code, err } = await command(['serve', file], { PORT: String(port) })
    equal(
      [code, err],
      [
        1,
        `model-api: Port ${port} is taken on 127.0.0.1. Choose another with --port, or --port 0 for any free one.\n`,
      ],
    )
    other.close()
  })

  test('reports that an address does not belong to this machine', async () => {
    const { code, err } = await command(['serve', file, '--host', '192.0.2.1'])
    equal(
      [code, err],
      [1, 'model-api: "192.0.2.1" is no address of this machine. Choose another with --host.\n'],
    )
  })

  test('warns when others can reach it', async () => {
    const { out } = await command(['serve', file, '--host', '0.0.0.0', '--port', '0'])
    match(out, 'Everyone who can reach this machine can read what is published.')
  })

  test('reports that there is nothing to publish, and why', async () => {
    const { code, out, err } = await command(['serve', empty])
    equal(code, 1)
    match(out, 'log: a virtual table')
    match(err, /^model-api: .*library\.db has no table that can be published\.\n$/)
  })

  test('every example request succeeds, with null, dangling and empty keys', async () => {
    const boss = 'boss_id integer references staff (id), name varchar(9)'
    const region = 'name varchar(20) primary key, size integer'
    const files = [
      sqliteFile(
        `create table staff (id integer primary key, ${boss}); insert into staff values (1, null, 'Ann');`,
      ),
      sqliteFile(`create table places (id integer primary key, city varchar(9) references cities (name), name varchar(9));
        create table cities (name varchar(9) primary key, size integer);
        pragma foreign_keys = off; insert into places values (1, 'Atlantis', 'Here');`),
      sqliteFile(`create table regions (${region}); insert into regions values ('', 7);`),
    ]
    for (const one of files) {
      const running = started(['serve', one, '--port', '0'])
      const requests = requestsIn(await running.until(/Worth trying\n( .*\n){2,}/))
      ok(requests.length > 1)
      for (const request of requests) equal((await fetch(request)).status, 200, request)
      running.process.kill('SIGTERM')
      await running.ended
    }
  })

  test('example requests are printed for a table without rows, too', async () => {
    const bare = sqliteFile('create table things (id integer primary key)')
    const { out } = await command(['serve', bare, '--port', '0'])
    match(out, /curl -g "http:\/\/127\.0\.0\.1:\d+\/api\/things"\n/)
  })
})
