/** The memory store has a limited size, and many addresses cannot displace a full count; parsing of addresses, ranges and limits. */
import {
  clientAddress,
  inRange,
  memoryStore,
  parseIp,
  parseIpRange,
  readRateWindows,
} from '@model-api/core/internals'
import { equal, ok } from '../support/assert.ts'
import { steepness } from '../support/growth.ts'
import { suite } from '../support/suite.ts'

suite('the memory store', (test) => {
  test('counts per key until the window ends', async () => {
    const store = memoryStore()
    equal(await store.hit('a', 1000, 0), { count: 1, resetsAt: 1000 })
    equal(await store.hit('a', 1000, 999), { count: 2, resetsAt: 1000 })
    equal(await store.hit('b', 1000, 999), { count: 1, resetsAt: 1999 })
    equal(await store.peek?.('a', 1000, 999), { count: 2, resetsAt: 1000 })
    equal(await store.peek?.('a', 1000, 1000), { count: 0, resetsAt: 2000 })
    equal(await store.hit('a', 1000, 1000), { count: 1, resetsAt: 2000 })
  })

  test('many addresses do not evict a full count', async () => {
    const store = memoryStore(1000)
    for (let i = 0; i < 50; i++) await store.hit('attacker', 60_000, 0)
    for (let i = 0; i < 20_000; i++) await store.hit(`address ${i}`, 60_000, i / 2)
    equal((await store.peek?.('attacker', 60_000, 10_001))?.count, 50)
  })

  test('its memory is bounded', async () => {
    const store = memoryStore(10_000)
    const before = process.memoryUsage().heapUsed
    for (let i = 0; i < 50_000; i++) await store.hit(`203.0.113.${i}`, 60_000, 0)
    ok(process.memoryUsage().heapUsed - before < 60_000_000)
  })

  test('its speed does not depend on the number of keys', async () => {
    const hits = (count: number) => async () => {
      const store = memoryStore(1_000)
      for (let i = 0; i < count; i++) await store.hit(`203.0.113.${i}`, 60_000, 0)
    }
    equal(await steepness(12_500, hits), undefined)
  })

  test('it keeps at most the configured number of keys', async () => {
    const store = memoryStore(100)
    const keys = Array.from({ length: 1000 }, (_, i) => `address ${i}`)
    for (const key of keys) await store.hit(key, 60_000, 0)
    const counts = await Promise.all(keys.map((key) => store.peek?.(key, 60_000, 1)))
    equal(counts.filter((known) => known?.count === 1).length, 100)
  })

  test('expired counts are evicted first', async () => {
    const store = memoryStore(100)
    for (let i = 0; i < 99; i++) await store.hit(`old ${i}`, 1000, 0)
    await store.hit('long', 60_000, 0)
    for (let i = 0; i < 99; i++) await store.hit(`new ${i}`, 60_000, 2000)
    equal((await store.peek?.('long', 60_000, 2000))?.count, 1)
  })
})

suite('addresses', (test) => {
  const address = (ip: string | undefined, forwarded?: string | string[], trusted = 0) =>
    clientAddress(
      {
        method: 'GET',
        url: '/',
        ...(ip === undefined ? {} : { ip }),
        ...(forwarded === undefined ? {} : { headers: { 'x-forwarded-for': forwarded } }),
      },
      trusted,
    )

  test('are reduced to the network of one client', () => {
    equal(address('192.0.2.7'), '192.0.2.7')
    equal(address('::ffff:192.0.2.7'), '192.0.2.7')
    equal(address('::ffff:c000:207'), '192.0.2.7')
    equal(address('2001:db8:1:2:3:4:5:6'), '20010db800010002::/64')
    equal(address('2001:0DB8:0001:0002::'), address('2001:db8:1:2:3:4:5:6'))
    equal(address('fe80::1%eth0'), address('fe80::2'))
    for (const ip of [
      undefined,
      '',
      'localhost',
      '1.2.3',
      '01.2.3.4',
      '256.1.1.1',
      '::1::2',
      'g::',
    ]) {
      equal(address(ip), 'unknown', String(ip))
    }
  })

  test('are read from the right, past the trusted hops', () => {
    equal(address('10.0.0.1', '1.1.1.1, 2.2.2.2'), '10.0.0.1')
    equal(address('10.0.0.1', '1.1.1.1, 2.2.2.2', 1), '2.2.2.2')
    equal(address('10.0.0.1', '1.1.1.1, 2.2.2.2', 2), '1.1.1.1')
    equal(address('10.0.0.1', '1.1.1.1, 2.2.2.2', 3), '1.1.1.1')
    equal(address('10.0.0.1', ['1.1.1.1', '2.2.2.2'], 1), '2.2.2.2')
    equal(address('10.0.0.1', '2.2.2.2:4711', 1), '2.2.2.2')
    equal(address('10.0.0.1', '[2001:db8::1]:4711', 1), address('2001:db8::1'))
    equal(address('10.0.0.1', '1.1.1.1, nonsense', 2), '10.0.0.1')
    equal(address('10.0.0.1', `${'9.9.9.9, '.repeat(100_000)}2.2.2.2`, 1), '2.2.2.2')
    equal(address(undefined, '1.1.1.1', 1), '1.1.1.1')
  })

  test('are inside or outside of ranges', () => {
    const holds = (range: string, ip: string): boolean => {
      const [of, address] = [parseIpRange(range), parseIp(ip)]
      if (of === undefined || address === undefined) throw new Error(`${range} ${ip}`)
      return inRange(address, of)
    }
    equal(holds('10.0.0.0/8', '10.255.1.2'), true)
    equal(holds('10.0.0.0/8', '11.0.0.0'), false)
    equal(holds('0.0.0.0/0', '203.0.113.1'), true)
    equal(holds('0.0.0.0/0', '2001:db8::1'), false)
    equal(holds('::ffff:10.0.0.0/104', '10.1.1.1'), true)
    equal(holds('fd00::/8', 'fdff::1'), true)
    equal(holds('192.0.2.1', '192.0.2.1'), true)
    equal(holds('192.0.2.1', '192.0.2.2'), false)
    for (const range of ['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0/8', '::/129', 'x']) {
      equal(parseIpRange(range), undefined, range)
    }
  })
})

suite('rate limits as strings', (test) => {
  test('are parsed to windows, the shortest first', () => {
    const minute = { count: 5, ms: 60_000 }
    equal(readRateWindows('5 per minute'), [minute])
    equal(readRateWindows('5/minute'), [minute])
    equal(readRateWindows(' 5  per  minutes '), [minute])
    equal(readRateWindows('100 per 15 minutes'), [{ count: 100, ms: 900_000 }])
    equal(readRateWindows('1000/day;5/minute'), [minute, { count: 1000, ms: 86_400_000 }])
    equal(readRateWindows('3 per 2 hours')?.[0]?.ms, 7_200_000)
    equal(readRateWindows('3 per second')?.[0]?.ms, 1000)
    for (const text of ['', ';', '5', '5 minute', '5 per', 'x per minute', '5 per 9999 days']) {
      equal(readRateWindows(text), undefined, text)
    }
  })
})
