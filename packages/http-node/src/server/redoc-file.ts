// installedAsset: reads the script of the documentation page (`/docs`) from the package redoc, if it is installed.

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Asset } from '@model-api/core'

let redoc: Promise<Asset | undefined> | undefined

/** Returns the installed Redoc script; undefined if there is none. Read once. */
export function installedAsset(): Promise<Asset | undefined> {
  redoc ??= readRedoc()
  return redoc
}

async function readRedoc(): Promise<Asset | undefined> {
  const folder = redocFolder()
  if (folder === undefined) return undefined
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const text = await readFile(join(folder, 'bundles/redoc.standalone.js'), 'utf8')
  return { text: withoutRequests(text), module: Number.parseInt(version, 10) >= 3 }
}

/** Resolves redoc from this package and from the working directory, since the application installs it; undefined if neither finds it. */
function redocFolder(): string | undefined {
  for (const from of [import.meta.url, join(process.cwd(), 'package.json')]) {
    try {
      return createRequire(from).resolve('redoc/package.json').slice(0, -'/package.json'.length)
    } catch {
      // Not found; try the next place.
    }
  }
  return undefined
}

/** The inline SVG that replaces the logo which Redoc loads from its vendor's server. */
const picture =
  '<svg xmlns="http://www.w3.org/2000/svg" width="44" height="14"><text y="11" font-family="sans-serif" font-size="12" fill="#777">Redoc</text></svg>'

/** The script without the address of the logo, so that the page sends no request to others. */
const withoutRequests = (script: string): string =>
  script.replace(
    /https:\/\/cdn\.redoc\.ly\/redoc\/[\w.-]+\.svg/g,
    `data:image/svg+xml,${encodeURIComponent(picture).replaceAll("'", '%27')}`,
  )
