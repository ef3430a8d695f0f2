/** Measures how long the compiler checks models: `pnpm bench:types`. Prints figures; no test asserts them. */
import { rmSync } from 'node:fs'
import { budgetFolder, compilerFigures, programOfModels } from '../test/support/ring-of-models.ts'

const folder = budgetFolder('bench-types')
try {
  // The first run reads files from disk, which later runs find in memory.
  compilerFigures(programOfModels(0), folder)
  const none = compilerFigures(programOfModels(0), folder)
  console.log('models  instantiations  a model  seconds of checking')
  for (const count of [50, 100, 200, 500]) {
    const { instantiations, checkSeconds } = compilerFigures(programOfModels(count), folder)
    const more = instantiations - none.instantiations
    const cells = [
      count,
      more,
      Math.round(more / count),
      (checkSeconds - none.checkSeconds).toFixed(2),
    ]
    const widths = [6, 16, 9, 21]
    console.log(cells.map((cell, i) => String(cell).padStart(widths[i] ?? 0)).join(''))
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
