/** The public surface of a package as text: every exported declaration of an entry, from the compiled `.d.ts` files. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The exported declarations of the entry file, sorted by name, without comments. */
export function surfaceOf(entry: string): string {
  const exported = [
    ...readFileSync(entry, 'utf8').matchAll(/export (?:type )?\{([^}]*)\} from '([^']+)'/g),
  ]
  const found = exported.flatMap(([, list = '', from = '']) =>
    list.split(',').flatMap((item) => {
      const name = item.replace(/^\s*type\s/, '').trim()
      return name === '' ? [] : [{ name, text: declaration(join(dirname(entry), from), name) }]
    }),
  )
  return found
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ text }) => text)
    .join('\n')
}

/** A declaration of a `.d.ts` file, with all of its overloads. */
function declaration(file: string, name: string): string {
  const text = readFileSync(file.replace(/\.ts$/, '.d.ts'), 'utf8')
  const statements = withoutComments(text).split(/^(?=export |declare |type |interface |import )/m)
  const declares = new RegExp(
    `^export (?:declare )?(?:abstract )?(?:const|function|class|interface|type) ${name}\\b`,
  )
  const own = statements.filter((statement) => declares.test(statement))
  if (own.length === 0) throw new Error(`${file} declares no ${name}`)
  return own.join('').trimEnd()
}

const withoutComments = (text: string): string =>
  text.replace(/^\s*\/\*\*[\s\S]*?\*\/\n/gm, '').replace(/^\s*\/\/.*\n?/gm, '')
