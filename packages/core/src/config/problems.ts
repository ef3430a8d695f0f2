// Problems: everything that is wrong at start-up, collected first and thrown as one Error, so that an author fixes it in one round.

/** One thing that is wrong, and where. */
export interface Problem {
  /** Where: `config.API_PREFIX`, `models.Book.meta.endpoint`. */
  readonly path: string
  readonly message: string
}

/** Collects problems until somebody throws them. */
export interface Problems {
  readonly list: readonly Problem[]
  add(path: string, message: string): void
}

/** An empty collector. */
export function collectProblems(): Problems {
  const list: Problem[] = []
  const seen = new Set<string>()
  return {
    list,
    add(path, message) {
      // A wrong value of config shows up again with every model that inherits it.
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
