/** Serves the demo of `npm start` on a port, and writes its OpenAPI document to a file in a folder for generated code. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Api } from '@model-api/core'
import { createServer } from '@model-api/http-node'
import { openLibrary } from '../../examples/library/library.ts'

export interface ServedLibrary {
  readonly url: string
  readonly document: Awaited<ReturnType<Api['openapi']>>
  readonly folder: string
  /** The document as JSON. */
  readonly file: string
  /** An access token of the user who may write and delete everything. */
  token(): Promise<string>
  stop(): Promise<void>
}

export async function serveLibrary(): Promise<ServedLibrary> {
  const library = await openLibrary()
  const server = createServer(library.api)
  const url = await server.listen(0)
  const folder = mkdtempSync(join(tmpdir(), 'model-api-clients-'))
  const file = join(folder, 'library.json')
  const document = await library.api.openapi()
  writeFileSync(file, JSON.stringify(document))
  return {
    url,
    document,
    folder,
    file,
    async token() {
      const answer = await fetch(`${url}/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username: 'ada', password: 'ada-admin' }),
      })
      const { value } = (await answer.json()) as { value: { access_token: string } }
      return value.access_token
    },
    async stop() {
      await server.close()
      await library.close()
      rmSync(folder, { recursive: true })
    },
  }
}
