/** Tables and columns that look like credentials are neither published by model-api serve nor by the output of model-api models. */
import type { AnyModel } from '@model-api/core'
import { equal, match, ok } from '../support/assert.ts'
import { compiled } from '../support/compile.ts'
import { eachDatabase, runsOn } from '../support/suite.ts'
import { command, sqliteFile, started } from './support.ts'

runsOn('one server of each engine')

const script = `
create table accounts (id integer primary key, login varchar(80) not null, password_hash varchar(80), otp_secret varchar(80),
  api_token varchar(80), recovery_code varchar(20), token_count integer, content_hash varchar(64));
create table api_keys (id integer primary key, account_id integer, shown varchar(80), word varchar(80), value varchar(80),
  foreign key (account_id) references accounts (id));
create table logins (session_token varchar(80) primary key, address varchar(80), csrf_token varchar(80));
create table web_sessions (id varchar(80) primary key, address varchar(80));
create table token_types (id integer primary key, title varchar(80));
create view people as select id, login as handle, password_hash as word, content_hash from accounts;
create view again as select p.handle as nick, p.word as said from people p join token_types t on t.id = p.id;
create view with_keys as select a.login, k.shown as first from accounts a join api_keys k on k.account_id = a.id;
create view inner_words as select x.w from (select otp_secret as w from accounts) x;
insert into accounts values (1, 'ann', 'zz-hash', 'zz-otp', 'zz-token', 'zz-code', 7, 'zz-content');
insert into api_keys values (1, 1, 'zz-shown', 'zz-word', 'zz-value');
insert into web_sessions values ('zz-session', 'here');
insert into logins values ('zz-session', 'here', 'zz-csrf');
insert into token_types values (1, 'bearer');
`
const hidden = ['password_hash', 'otp_secret', 'api_token', 'recovery_code']

eachDatabase('credentials', (test, db) => {
  let target: string
  test.before(async () => {
    if (db.name === 'sqlite') target = sqliteFile(script)
    else {
      await db.execScript(script)
      target = db.url ?? ''
    }
  })

  test('are not served, and model-api serve says so', async () => {
    const running = started(['serve', target], { PORT: '0', HOST: '' })
    const text = await running.until(/Listening at .*\n/)
    const url = /http:\/\/[0-9.:]+/.exec(text)?.[0] ?? ''
    match(
      text,
      '  columns, hidden: accounts.password_hash, accounts.otp_secret, accounts.api_token,',
    )
    match(text, / again\.said,[^)]* people\.word\n/)
    match(text, '  tables, not published: api_keys, inner_words, logins, web_sessions, with_keys\n')
    match(text, '  To publish one that is no credential: --publish accounts.password_hash,…\n')
    const shown = await (await fetch(`${url}/api/accounts`)).text()
    ok(shown.includes('zz-content') && shown.includes('"token_count":7'), shown)
    for (const secret of ['zz-hash', 'zz-otp', 'zz-token', 'zz-code']) ok(!shown.includes(secret))
    for (const path of [
      'api-keys',
      'logins',
      'web-sessions',
      'accounts/1/api-keys',
      'accounts?join=api_keys',
      'with-keys',
      'inner-words',
    ]) {
      const { status } = await fetch(`${url}/api/${path}`)
      ok(status === 404 || status === 400, `${path}: ${status}`)
    }
    for (const name of hidden) {
      equal((await fetch(`${url}/api/accounts?${name}__like=zz`)).status, 400, name)
    }
    equal((await fetch(`${url}/api/token-types`)).status, 200)
    const views = await Promise.all(
      ['people', 'agains'].map(async (path) => (await fetch(`${url}/api/${path}`)).json()),
    )
    equal(
      views.map((body) => (body as { value: readonly object[] }).value),
      [[{ id: 1, handle: 'ann', content_hash: 'zz-content' }], [{ nick: 'ann' }]],
    )
    const index = (await (await fetch(`${url}/api`)).json()) as { value: { title: string } }
    equal(
      index.value.title,
      db.name === 'sqlite' ? 'library' : new URL(target).pathname.slice(1),
      'the title is the name of the database',
    )
    const document = await (await fetch(`${url}/openapi.json`)).text()
    for (const name of [...hidden, 'api-keys', 'ApiKey']) ok(!document.includes(name), name)
    running.process.kill('SIGTERM')
    equal(await running.ended, 0)
  })

  test('are hidden in the document of model-api openapi', async () => {
    const { out } = await command(['openapi', target])
    for (const name of [...hidden, 'ApiKey', '"Login"']) ok(!out.includes(name), name)
  })

  test('are hidden or without meta in the output of model-api models', async () => {
    const { out } = await command(['models', target])
    match(out, '// Published, since they have meta\n//   Account, Again, Person, TokenType\n')
    match(
      out,
      '//   tables, not published: api_keys, inner_words, logins, web_sessions, with_keys\n',
    )
    const { models } = (await compiled(out)) as { models: readonly AnyModel[] }
    equal(
      models.filter(({ meta }) => meta !== undefined).map(({ name }) => name),
      ['Account', 'Again', 'Person', 'TokenType'],
    )
    equal(models.map(({ name }) => name).sort(), [
      'Account',
      'Again',
      'ApiKey',
      'InnerWord',
      'Login',
      'Person',
      'TokenType',
      'WebSession',
      'WithKey',
    ])
    const account = models.find(({ name }) => name === 'Account')
    const columns = Object.entries(account?.columns ?? {})
    equal(
      columns.filter(([, column]) => column.hidden === true).map(([name]) => name),
      hidden,
    )
  })

  test('in a table that --only names, the columns stay hidden', async () => {
    const { out, err } = await command(['serve', target, '-p', '0', '--only', 'logins'])
    match(out, '/api/logins  2 columns')
    match(out, '  columns, hidden: logins.csrf_token\n')
    match(err, 'Login publishes session_token, which looks like a credential.')
  })

  test('are served if --publish says that they are none', async () => {
    const names = 'accounts.recovery_code,logins.session_token,api_keys,people.word'
    const { out, err } = await command(['serve', target, '-p', '0', '--publish', names])
    match(
      out,
      '  columns, hidden: accounts.password_hash, accounts.otp_secret, accounts.api_token,',
    )
    match(out, '  tables, not published: inner_words, web_sessions, with_keys\n')
    for (const path of ['api-keys', 'logins', 'people']) match(out, `\n  /api/${path} `)
    equal(err, '')
    const models = await command(['models', target, '--publish', names])
    const printed = (await compiled(models.out)) as { models: readonly AnyModel[] }
    const account = printed.models.find(({ name }) => name === 'Account')
    equal(
      ['password_hash', 'recovery_code'].map((name) => account?.columns[name]?.hidden),
      [true, false],
    )
    const wrong = await command(['models', target, '--publish', 'accounts.recovery_cod'])
    equal(wrong.code, 1)
    match(
      wrong.err,
      'no table or column "accounts.recovery_cod". Did you mean "accounts.recovery_code"?',
    )
  })

  test('in a table of keys that --only names, the column of the keys stays hidden', async () => {
    const { out, err } = await command(['serve', target, '-p', '0', '--only', 'api_keys'])
    match(out, '/api/api-keys  4 columns')
    match(out, '  columns, hidden: api_keys.value\n')
    equal(err, '')
  })
})
