/** The public surface of a package as text: every exported declaration of an entry, from the `.d.ts` files of its bundle. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The exported declarations of the entry file, sorted by name, without comments, each with those that it extends and that are not exported. */
export function surfaceOf(entry: string): string {
  const files = new Map<string, DeclarationFile>()
  const read = (file: string): DeclarationFile => {
    const known = files.get(file) ?? declarationFile(file)
    files.set(file, known)
    return known
  }
  const textOf = (file: string, exported: string): string => {
    const { exports, imports, declarations } = read(file)
    const local = exports.get(exported)
    const imported = local === undefined ? undefined : imports.get(local)
    if (imported !== undefined) return textOf(imported.file, imported.name)
    const own = declarations.filter((one) => one.name === local)
    if (own.length === 0) throw new Error(`${file} declares no ${exported}`)
    const inherited = declarations.filter(
      ({ name }) => !read(entry).exports.has(name) && own.some((one) => isExtended(name, one.text)),
    )
    return [...own, ...inherited].map(({ text }) => text).join('\n')
  }
  return [...read(entry).exports.keys()]
    .sort()
    .map((name) => textOf(entry, name))
    .join('\n')
}

/** Whether the `extends` of an interface names a declaration. */
const isExtended = (name: string, text: string): boolean =>
  (/^interface [^{]*> extends ([^{]*)/.exec(text)?.[1] ?? '').split(/[^\w$]+/).includes(name)

interface DeclarationFile {
  /** The local names, by the exported ones. */
  readonly exports: ReadonlyMap<string, string>
  /** Where local names come from, if they come from another file of the bundle. */
  readonly imports: ReadonlyMap<string, { readonly file: string; readonly name: string }>
  /** In the order of the file; a function has one for each overload. */
  readonly declarations: readonly { readonly name: string; readonly text: string }[]
}

const declared =
  /^(?:export )?(?:declare )?(?:abstract )?(?:const|function|class|interface|type) ([\w$]+)/

function declarationFile(file: string): DeclarationFile {
  const text = withoutComments(readFileSync(file, 'utf8'))
  const statements = text.split(/^(?=export |declare |type |interface |import )/m)
  const exports = new Map<string, string>()
  const imports = new Map<string, { readonly file: string; readonly name: string }>()
  const declarations: { readonly name: string; readonly text: string }[] = []
  for (const statement of statements) {
    const name = declared.exec(statement)?.[1]
    if (name !== undefined) {
      declarations.push({ name, text: statement.replace(/^export /, '').trimEnd() })
      if (statement.startsWith('export ')) exports.set(name, name)
    }
    const [, keyword, list, from] =
      /^(import|export) (?:type )?\{([^}]*)\}(?: from "(\.[^"]+)")?/.exec(statement) ?? []
    for (const [original, renamed] of namesIn(list)) {
      const source =
        from === undefined
          ? undefined
          : { file: join(dirname(file), declarationsOf(from)), name: original }
      if (keyword === 'export') exports.set(renamed, source === undefined ? original : renamed)
      if (source !== undefined) imports.set(renamed, source)
    }
  }
  return { exports, imports, declarations }
}

/** `A as B, type C` → `[['A', 'B'], ['C', 'C']]` */
const namesIn = (list = ''): [original: string, renamed: string][] =>
  list.split(',').flatMap((item) => {
    const name = item.replace(/^\s*type\s/, '').trim()
    const [original = '', renamed = original] = name.split(/\s+as\s+/)
    return name === '' ? [] : [[original, renamed]]
  })

const declarationsOf = (specifier: string): string => specifier.replace(/\.js$/, '.d.ts')

const withoutComments = (text: string): string =>
  text.replace(/^\s*\/\*\*[\s\S]*?\*\/\n/gm, '').replace(/^\s*\/\/.*\n?/gm, '')
