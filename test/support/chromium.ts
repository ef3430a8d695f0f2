/** Opens a page in a headless Chromium over the DevTools protocol, without a driver package. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What happened while a page was open. */
export interface Visit {
  /** The title, once the page has settled. */
  readonly title: string
  /** The visible text. */
  readonly text: string
  /** Console errors, exceptions, and resources that the browser refused to load. */
  readonly errors: readonly string[]
  /** Every requested URL. */
  readonly requests: readonly string[]
  /** A screenshot, as PNG. */
  readonly screenshot: Uint8Array
}

const places = [
  process.env.CHROMIUM ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** The path of the program; undefined if it is not installed. */
export const chromiumPath = (): string | undefined =>
  places.find((place) => place !== '' && existsSync(place))

/**
 * Opens a URL. Waits until the expression `settled`, which is evaluated in the page, is true, or until the time is over.
 *
 * visit('http://127.0.0.1:3000/docs', `document.body.innerText.includes('Books')`)
 */
export async function visit(url: string, settled: string, timeoutMs = 20_000): Promise<Visit> {
  const profile = mkdtempSync(join(tmpdir(), 'chromium-'))
  const browser = spawn(
    chromiumPath() ?? 'chromium',
    [
      '--headless=new',
      // As root in a container, Chromium cannot set up its sandbox.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--disable-component-update',
      '--no-first-run',
      '--window-size=1400,1000',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  try {
    return await look(await connect(await endpointOf(browser)), url, settled, timeoutMs)
  } finally {
    const gone = new Promise((resolve) => browser.once('exit', resolve))
    browser.kill('SIGKILL')
    await gone
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Chromium prints the address that it listens at. */
function endpointOf(browser: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = ''
    browser.stderr?.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      const found = /ws:\/\/\S+/.exec(printed)
      if (found !== null) resolve(found[0])
    })
    browser.once('error', reject)
    browser.once('exit', () => reject(new Error(`chromium ended early: ${printed.slice(-500)}`)))
  })
}

// biome-ignore lint/suspicious/noExplicitAny: messages of the protocol are read without types
type Message = any

interface Connection {
  call(method: string, params?: object, sessionId?: string): Promise<Message>
  onEvent(listen: (method: string, params: Message) => void): void
}

async function connect(endpoint: string): Promise<Connection> {
  const socket = new WebSocket(endpoint)
  const waiting = new Map<number, { resolve(value: Message): void; reject(error: Error): void }>()
  const listeners: ((method: string, params: Message) => void)[] = []
  let last = 0
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', () => reject(new Error('chromium does not answer')))
  })
  socket.addEventListener('message', ({ data }) => {
    const message: Message = JSON.parse(String(data))
    if (message.id === undefined) {
      for (const listen of listeners) listen(message.method, message.params)
      return
    }
    const { resolve, reject } = waiting.get(message.id) ?? {}
    waiting.delete(message.id)
    if (message.error === undefined) resolve?.(message.result)
    else reject?.(new Error(message.error.message))
  })
  return {
    onEvent: (listen) => void listeners.push(listen),
    call: (method, params = {}, sessionId) =>
      new Promise((resolve, reject) => {
        last += 1
        waiting.set(last, { resolve, reject })
        socket.send(JSON.stringify({ id: last, method, params, sessionId }))
      }),
  }
}

async function look(
  { call, onEvent }: Connection,
  url: string,
  settled: string,
  timeoutMs: number,
): Promise<Visit> {
  const errors: string[] = []
  const requests: string[] = []
  onEvent((method, params) => {
    if (method === 'Network.requestWillBeSent') requests.push(params.request.url)
    if (method === 'Runtime.exceptionThrown') {
      errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text)
    }
    if (method === 'Log.entryAdded' && params.entry.level === 'error') {
      errors.push(`${params.entry.text} ${params.entry.url ?? ''}`)
    }
    if (method === 'Runtime.consoleAPICalled' && params.type === 'error') {
      errors.push(params.args.map((arg: Message) => arg.value ?? arg.description).join(' '))
    }
  })
  const { targetId } = await call('Target.createTarget', { url: 'about:blank' })
  const { sessionId } = await call('Target.attachToTarget', { targetId, flatten: true })
  const page = (method: string, params?: object): Promise<Message> =>
    call(method, params, sessionId)
  for (const domain of ['Network', 'Runtime', 'Log', 'Page']) await page(`${domain}.enable`)
  await page('Page.navigate', { url })
  const evaluate = async (expression: string): Promise<Message> =>
    (await page('Runtime.evaluate', { expression, returnByValue: true })).result.value
  const until = Date.now() + timeoutMs
  while (Date.now() < until && (await evaluate(settled)) !== true) await pause(100)
  // Late errors and requests of the page need some time.
  await pause(500)
  const title = await evaluate('document.title')
  const text = await evaluate('document.body.innerText')
  const { data } = await page('Page.captureScreenshot', { format: 'png' })
  return { title, text, errors, requests, screenshot: Buffer.from(data, 'base64') }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
