/**
 * Bundlers must find every file that the core refers to: Turbopack failed at the name of a source file in `new URL()`, and at an
 * import of the application's modules, whose names are known only at run time.
 */
import { equal } from '../support/assert.ts'
import { filesBelow, readSource } from '../support/source.ts'
import { suite } from '../support/suite.ts'

suite('imports of the core for bundlers', (test) => {
  const files = filesBelow('packages/core/src')

  test('no file names a source by import.meta.url', () => {
    const named = files.filter((file) =>
      /new URL\('[^']*\.ts', import\.meta/.test(readSource(file)),
    )
    equal(named, [])
  })

  test('imports whose module is only known at run time are marked', () => {
    const unknown = files.filter((file) =>
      [...readSource(file).matchAll(/\bimport\(([^)]*)\)/g)].some(
        ([, inner = '']) =>
          !/^\s*'[^']+'\s*$/.test(inner) &&
          !/webpackIgnore: true[\s\S]*turbopackIgnore: true[\s\S]*@vite-ignore/.test(inner),
      ),
    )
    equal(unknown, [])
  })
})
