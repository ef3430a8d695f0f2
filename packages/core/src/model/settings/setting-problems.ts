// Problems: collects every error of the configuration and the models at start-up, and throws them as one Error, so that all can be fixed at once.

/** An error in the configuration. */
export interface Problem {
  /** Where: `config.API_PREFIX`, `models.Book.meta.endpoint`. */
  readonly path: string
  readonly message: string
}

/** Collects problems until `throwProblems`. */
export interface Problems {
  readonly list: readonly Problem[]
  add(path: string, message: string): void
}

/** Returns an empty list, to which all checks of start-up add. */
export function collectProblems(): Problems {
  const list: Problem[] = []
  const seen = new Set<string>()
  return {
    list,
    add(path, message) {
      // Each model that inherits a wrong value of config reports it again; list it once.
      const line = `${path}: ${message}`
      if (seen.has(line)) return
      seen.add(line)
      list.push({ path, message })
    },
  }
}

/**
 * Throws one plain Error that lists every problem on its own line; does nothing when there is none.
 *
 * ```text
 * The API cannot start:
 * config.API_ALOW_JOIN: unknown key. Did you mean API_ALLOW_JOIN?
 * models.Book.relations.author: no model named "Autor". Did you mean "Author"?
 * ```
 */
export function throwProblems(problems: Problems): void {
  if (problems.list.length === 0) return
  const lines = problems.list.map((problem) => `${problem.path}: ${problem.message}`)
  throw new Error(['The API cannot start:', ...lines].join('\n'))
}
