/** A worker on workerd, started by miniflare, with an empty D1. */
import { join } from 'node:path'
import { load } from './packages.ts'

export interface Worker {
  fetch(path: string): Promise<Response>
  stop(): Promise<void>
}

/** Bundles `worker.js` of the project in the same way as wrangler, and starts it with these compatibility flags. */
export async function startWorker(folder: string, flags: readonly string[]): Promise<Worker> {
  const { build } = await load('esbuild')
  const { Miniflare } = await load('miniflare')
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'worker.js')],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    conditions: ['workerd', 'worker', 'browser'],
    target: 'es2022',
    // The packages of the project are symbolic links.
    preserveSymlinks: true,
    logLevel: 'silent',
  })
  const miniflare = new Miniflare({
    modules: [{ type: 'ESModule', path: 'worker.js', contents: outputFiles[0].text }],
    compatibilityDate: '2026-01-01',
    compatibilityFlags: flags,
    d1Databases: ['DB'],
    cf: false,
  })
  return {
    fetch: (path) => miniflare.dispatchFetch(`http://localhost${path}`),
    stop: () => miniflare.dispose(),
  }
}
