/** A file that failed beside others runs once more, alone, at the end of the run. The last lines tell of both. */
import type { Report } from '../worker.ts'
import type { Job } from './coverage.ts'
import { type FileReport, sum } from './table.ts'

/** More failed files than this are no accident of a busy machine, so none of them runs again. */
const mostFiles = 5

export interface FailedFile {
  readonly job: Job
  readonly report: Report
}

/** The files that run again: none if they were named, for then somebody works on them, and none if many failed. */
export function filesToRepeat(
  failed: readonly FailedFile[],
  wereNamed: boolean,
): readonly FailedFile[] {
  return wereNamed || failed.length > mostFiles ? [] : failed
}

/** The reports with those of the second try in place of the first ones. A file counts as failed where its second try failed. */
export function withSecondTries(
  files: readonly FileReport[],
  second: readonly FileReport[],
): readonly FileReport[] {
  const later = new Map(second.map(({ file, report }) => [file, report]))
  return files.map(({ file, report: first }) => {
    const report = later.get(file)
    if (report === undefined) return { file, report: first }
    const { failed } = sum([report])
    if (failed > 0) return { file, report }
    const times = sum([first]).failed
    return { file, report, failedOnce: `${times} failed beside other files, none alone` }
  })
}
