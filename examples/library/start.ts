// `npm start`: serves the library; with a file or URL after `--`, serves that database instead.

import { createServer, run } from '@model-api/http-node'
import { openLibrary } from './library.ts'

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const stopped = new Promise<void>((resolve) => {
  // Only once: a second Ctrl+C ends the process immediately.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
})

const words = process.argv.slice(2)
if (words.length === 0) await serveLibrary()
else if (words[0]?.startsWith('--workers') && words.length <= 2) {
  process.stderr.write(
    'The library is in the memory of one process, and several would each have their own. ' +
      'With a database of your own: npm start -- <file or URL> --workers 2\n',
  )
  process.exitCode = 2
} else {
  process.exitCode = await run(['serve', ...words], {
    out: say,
    err: (line) => void process.stderr.write(`${line}\n`),
    env: process.env,
    stopped,
  })
}

/** Five requests, each showing another part of the query language. */
function exampleRequests(url: string): readonly string[] {
  return [
    `curl -g '${url}/api/books?title__ilike=island&order_by=-first_published'`,
    `curl -g '${url}/api/authors/1?dump=json'`,
    `curl -g '${url}/api/books?join=author&author.country_code__eq=FR&price__lt=10&fields=title,author.name,price'`,
    `curl -g '${url}/api/books?or[language__in=(fr,de),pages__gt=900]&limit=3'`,
    `curl -g '${url}/api/books?join=author&groupby=author.country_code&id|books__count=1&price|average__avg=1&order_by=-books'`,
  ]
}

async function serveLibrary(): Promise<void> {
  say('model-api: filling a library of classic literature …')
  const library = await openLibrary((line) => say(`  ${line}`))
  const server = createServer(library.api)
  const port = Number(process.env.PORT ?? 3000)
  const host = process.env.HOST ?? '127.0.0.1'
  let url: string
  try {
    url = await server.listen(port, host)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason =
      code === 'EADDRINUSE' ? 'the port is taken; choose another with PORT=3001' : error
    process.stderr.write(`Cannot listen at ${host}:${port}: ${reason}\n`)
    process.exitCode = 1
    await library.close()
    return
  }
  say(`\nListening at ${url}  (Ctrl+C ends it)\n\nWorth trying`)
  for (const line of exampleRequests(url)) say(`  ${line}`)
  say(`\nIn a browser: ${url} and ${url}/docs`)
  say(
    `\nWriting needs a login: ada-admin, emil-editor or vera-viewer is the password of ada, emil or vera`,
  )
  say(
    `  curl '${url}/auth/login' -H 'content-type: application/json' -d '{"username":"emil","password":"emil-editor"}'`,
  )
  say("\nYour own database: npm start -- <file or URL>, such as npm start -- 'postgres://…'")
  await stopped
  await server.close()
  await library.close()
}
