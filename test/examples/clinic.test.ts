/** The clinic: its README shows the actual code; bookings, invoices, the takeover, the board and the form, on every database. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type Client, createClient } from '@model-api/core/client'
import type { Kysely } from 'kysely'
import { type Clinic, createClinic } from '../../examples/clinic/api.ts'
import { createApp } from '../../examples/clinic/app.ts'
import { Board } from '../../examples/clinic/board.ts'
import { createTables } from '../../examples/clinic/database.ts'
import { openForBusiness } from '../../examples/clinic/first-data.ts'
import { loadInvoice, saveInvoice } from '../../examples/clinic/invoice-form.ts'
import { germanMessages } from '../../examples/clinic/messages.ts'
import type { Database } from '../../examples/clinic/models.ts'
import { type OldCustomer, takeOver } from '../../examples/clinic/takeover.ts'
import { equal, ok } from '../support/assert.ts'
import { readSource } from '../support/source.ts'
import { eachDatabase, suite } from '../support/suite.ts'

const readme = readSource('examples/clinic/README.md')

suite('the page of the clinic', (test) => {
  test('shows code that stands in its files', () => {
    const blocks = [...readme.matchAll(/^```ts\n\/\/ (\S+)\n(.*?)^```/gms)]
    ok(blocks.length > 5, `${blocks.length} blocks`)
    equal(blocks.length, readme.match(/^```ts$/gm)?.length)
    for (const [, file = '', code = ''] of blocks) {
      const source = readSource(`examples/clinic/${file}`)
      let from = 0
      for (const part of code.split('// …\n')) {
        const found = source.indexOf(part, from)
        ok(found !== -1, `not in ${file}:\n${part}`)
        from = found + part.length
      }
    }
  })

  test('needs no SQL', () => {
    const files = ['api', 'app', 'board', 'database', 'first-data', 'invoice-form', 'models']
    for (const file of [...files, 'rules', 'server', 'takeover']) {
      const text = readSource(`examples/clinic/${file}.ts`)
      ok(!/\bsql\b|\bselect \w|insert into/.test(text), file)
    }
  })
})

const password = 'the password of the desk'
const origin = 'http://clinic.test'

eachDatabase('the clinic', (test, database) => {
  let api: Clinic
  let desk: Client<Clinic>
  let ada: Client<Clinic>
  let customer = 0

  const signIn = async (username: string): Promise<Client<Clinic>> => {
    const request = { username, password }
    const login = await api.handle({
      ...{ method: 'POST', url: '/auth/login', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify(request),
    })
    const { access_token } = (login.body as unknown as { value: { access_token: string } }).value
    return createClient<Clinic>(origin, {
      headers: { authorization: `Bearer ${access_token}` },
      fetch: (request) => api.fetch(request),
    })
  }

  test.before(async () => {
    const db: Kysely<Database> = database.kysely
    await createTables(db, database.name)
    api = createClinic(db, { access: 'a'.repeat(32), refresh: 'b'.repeat(32) })
    await api.ready
    await openForBusiness(api, password)
    desk = await signIn('desk')
    ada = await signIn('ada')
    const first = { number: 'K-1', name: 'Dora', email: null, birthday: null }
    customer = (await desk.customers.create(first).unwrap())?.id ?? 0
  })
  test.after(() => api?.close())

  const appointment = (hour: number, more: object = {}) => ({
    ...{ site_id: 1, technician_id: 1, customer_id: customer, status: 'open' as const },
    starts_at: `2026-12-01T${String(hour).padStart(2, '0')}:00:00.000Z`,
    ends_at: `2026-12-01T${String(hour + 1).padStart(2, '0')}:00:00.000Z`,
    ...more,
  })

  test('books a technician once for a time, however many ask', async () => {
    const hours = Array.from({ length: 20 }, () => desk.appointments.create(appointment(9)).send())
    const results = await Promise.all(hours)
    equal(results.map(({ status }) => status).sort(), [201, ...Array(19).fill(409)])
    const codes = new Set(results.map((result) => (result.ok ? '' : result.error.code)))
    equal([...codes].sort(), ['', 'overlap'])
    equal((await desk.appointments.create(appointment(10))).status, 201)
    equal((await desk.appointments.create(appointment(9, { technician_id: 2 }))).status, 201)
    const cancelled = appointment(9, { status: 'cancelled' })
    equal((await desk.appointments.create(cancelled)).status, 201)
    const mine = await ada.appointments.list({ fields: ['technician_id'] }).unwrap()
    equal(
      mine.map(({ technician_id }) => technician_id),
      [1, 1, 1],
    )
    const sites = await desk.sites.list({ orderBy: ['id'] }).unwrap()
    equal(
      sites.map(({ open_appointments }) => open_appointments),
      [3, 0],
    )
  })

  test('says in German what is wrong with an appointment', async () => {
    const said = async (hours: object) => {
      const result = await desk.appointments.create(appointment(9, hours))
      return result.ok ? {} : germanMessages(result.error.problems)
    }
    equal(await said({}), {
      starts_at: 'Beginn: In dieser Zeit ist der Techniker schon vergeben.',
    })
    equal(await said({ ends_at: '2026-12-01T08:00:00Z' }), {
      ends_at: 'Ende: Muss nach „Beginn“ liegen.',
    })
  })

  test('an invoice that is sent has the total of all its lines, while others add some', async () => {
    const line = (position: number) => ({ position, text: 'Check', quantity: 2, price: '40.10' })
    for (let round = 0; round < 5; round += 1) {
      const made = await desk.invoices.create({ customer_id: customer, lines: [line(1)] }).unwrap()
      const id = made?.id ?? 0
      const adding = [2, 3, 4].map((position) =>
        desk.lines.create({ ...line(position), invoice_id: id }).send(),
      )
      const sending = desk.invoices.update(id, { state: 'sent' }).send()
      const added = (await Promise.all(adding)).filter((result) => {
        ok(result.ok || result.error.code === 'invoice_sent', JSON.stringify(result))
        return result.ok
      })
      const sent = await sending
      ok(sent.ok, JSON.stringify(sent))
      const { total, sum_of_lines } = await desk.invoices.get(id).unwrap()
      equal([total, sum_of_lines], Array(2).fill(((1 + added.length) * 80.2).toFixed(2)))
    }
  })

  test('a sent invoice can only be paid', async () => {
    const lines = [{ position: 1, text: 'Check', price: '40.00' }]
    const made = await desk.invoices.create({ customer_id: customer, lines }).unwrap()
    const id = made?.id ?? 0
    equal((await desk.invoices.update(id, { state: 'sent' })).status, 200)
    const refused = [
      await desk.invoices.update(id, { state: 'draft' }),
      await desk.invoices.remove(id),
      await desk.lines.create({ invoice_id: id, position: 2, text: 'More', price: '1.00' }),
    ]
    equal(
      refused.map((result) => (result.ok ? 'stored' : result.error.code)),
      ['invoice_sent', 'invoice_sent', 'invoice_sent'],
    )
    const [line] = await desk.lines.list({ where: { invoice_id: { eq: id } } }).unwrap()
    const draft = await desk.invoices.create({ customer_id: customer }).unwrap()
    const moved = await desk.lines.update(line?.id ?? 0, { invoice_id: draft?.id } as never)
    const begun = await desk.invoices.create({ customer_id: customer, state: 'sent' })
    equal(
      [moved, begun].map((result) => (result.ok ? 'stored' : result.error.problems[0]?.path)),
      ['invoice_id', 'state'],
    )
    const paid = await desk.invoices.update(id, { paid: true }).unwrap()
    equal([paid?.total, paid?.paid], ['40.00', true])
    equal((await desk.customers.get(customer).unwrap()).revenue, '40.00')
  })

  test('the form keeps, adds and removes lines, and sees what others did', async () => {
    const lines = [
      { position: 1, text: 'Check', price: '40.00' },
      { position: 2, text: 'Repair', price: '95.50' },
    ]
    const made = await desk.invoices.create({ customer_id: customer, lines }).unwrap()
    const id = made?.id ?? 0
    const [mine, theirs] = [await loadInvoice(desk, id), await loadInvoice(desk, id)]
    const [first] = mine.lines
    ok(first !== undefined)
    const added = { text: 'Travel', quantity: 3, price: '12.00' }
    const saved = await saveInvoice(desk, { ...mine, lines: [added, { ...first, price: '41.00' }] })
    ok(saved.saved, JSON.stringify(saved))
    equal(
      saved.form.lines.map(({ text, price, quantity }) => [text, quantity, price]),
      [
        ['Travel', 3, '12.00'],
        ['Check', 1, '41.00'],
      ],
    )
    const late = await saveInvoice(desk, theirs)
    equal(late, {
      saved: false,
      messages: {
        '': 'Jemand anderes hat die Rechnung inzwischen geändert. Bitte neu laden.',
      },
    })
    const wrong = await saveInvoice(desk, {
      ...saved.form,
      lines: [
        { text: '', quantity: 0, price: '1.234' },
        { text: 'x'.repeat(201), quantity: 1, price: 'teuer' },
      ],
    })
    equal(wrong, {
      saved: false,
      messages: {
        'lines[0].text': 'Text: Mindestens 1 Zeichen.',
        'lines[0].quantity': 'Menge: Mindestens 1.',
        'lines[0].price': 'Preis: Höchstens 2 Stellen nach dem Komma.',
        'lines[1].text': 'Text: Höchstens 200 Zeichen, es sind 201.',
        'lines[1].price': 'Preis: Hier wird ein Betrag erwartet.',
      },
    })
  })

  test('the board hears 304 until something changes', async () => {
    const board = new Board(ada, 1)
    equal([await board.poll(), board.entries.length], [true, 2])
    equal(await board.poll(), false)
    await desk.appointments.create(appointment(14)).unwrap()
    equal([await board.poll(), board.entries.at(-1)?.starts_at], [true, '2026-12-01T14:00:00.000Z'])
    equal(await board.poll(), false)
  })

  test('takes 2,000 customers over while others write, twice, and stores each once', async () => {
    const old: OldCustomer[] = Array.from({ length: 2000 }, (_, i) => ({
      ...{ number: `A-${i}`, name: `Customer ${i}` },
      email: i % 3 === 0 ? null : `customer${i}@example.org`,
      birthday: i % 2 === 0 ? '1980-02-29' : null,
    }))
    let working = true
    const others = (async () => {
      let written = 0
      while (working) {
        const number = `W-${written}`
        await desk.customers.create({ number, name: 'Walked in' }).unwrap()
        written += 1
      }
      return written
    })()
    const first = await takeOver(desk, old)
    const again = await takeOver(desk, old)
    working = false
    equal([first, again], [[], []])
    const written = await others
    const stored = async (startswith: string) => {
      const list = await desk.customers.list({ where: { number: { startswith } }, limit: 1 })
      return list.ok ? list.total : undefined
    }
    equal([await stored('A-'), await stored('W-')], [2000, written])
    const bad = await takeOver(desk, [
      { ...(old[0] as OldCustomer), number: 'B-1', email: 'nobody' },
    ])
    equal(bad.length, 1)
  })

  test('answers on its own route with the rows of the user who asks', async () => {
    const server = createApp(api).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const post = (body: unknown): RequestInit => ({
      ...{ method: 'POST', body: JSON.stringify(body) },
      headers: { 'content-type': 'application/json' },
    })
    try {
      const login = await fetch(`${at}/auth/login`, post({ username: 'ben', password }))
      const { value } = (await login.json()) as { value: { access_token: string } }
      const headers = { authorization: `Bearer ${value.access_token}` }
      const mine = await fetch(`${at}/api/my-day`, { headers })
      equal(await mine.json(), [{ starts_at: '2026-12-01T09:00:00.000Z', name: 'Dora' }])
      equal((await fetch(`${at}/api/my-day`)).status, 401)
    } finally {
      server.close()
      server.closeAllConnections()
    }
  })
})
