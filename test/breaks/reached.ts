/** Reads from V8's coverage which places of the source a test file has executed. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

interface Range {
  readonly startOffset: number
  readonly endOffset: number
  readonly count: number
}

interface ScriptCoverage {
  readonly url: string
  readonly functions: readonly { readonly ranges: readonly Range[] }[]
}

interface Place {
  readonly file: string
  readonly start: number
}

/**
 * Returns those places that the processes which wrote `folder` (NODE_V8_COVERAGE) have executed, where the sources stand below
 * `root`. A place counts as executed if the smallest block around it is.
 */
export function reachedPlaces<P extends Place>(
  folder: string,
  root: string,
  places: readonly P[],
): Set<P> {
  const reached = new Set<P>()
  const byUrl = new Map<string, P[]>()
  for (const place of places) {
    const url = pathToFileURL(join(root, place.file)).href
    byUrl.set(url, [...(byUrl.get(url) ?? []), place])
  }
  for (const name of readdirSync(folder)) {
    const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
      readonly result: readonly ScriptCoverage[]
    }
    for (const { url, functions } of result) {
      // A test may import a module again under a query.
      const here = byUrl.get(url.split('?')[0] as string) ?? []
      if (here.length === 0) continue
      const ranges = functions.flatMap((one) => one.ranges)
      for (const place of here) if (isExecuted(ranges, place.start)) reached.add(place)
    }
  }
  return reached
}

function isExecuted(ranges: readonly Range[], offset: number): boolean {
  let smallest: Range | undefined
  for (const range of ranges) {
    if (offset < range.startOffset || offset >= range.endOffset) continue
    const size = range.endOffset - range.startOffset
    if (smallest === undefined || size <= smallest.endOffset - smallest.startOffset) {
      smallest = range
    }
  }
  return (smallest?.count ?? 0) > 0
}
