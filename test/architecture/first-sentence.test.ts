/** The first sentence of every source file says what the file contains. */
import { equal, ok } from '../support/assert.ts'
import { filesBelow, readSource } from '../support/source.ts'
import { suite } from '../support/suite.ts'

/** The opening comment on one line, without comment marks; empty if there is none. */
function openingOf(text: string): string {
  const body = text.replace(/^#!.*\n/, '').trimStart()
  const block = /^\/\*\*?([\s\S]*?)\*\//.exec(body)?.[1]
  const lines = /^(?:\/\/.*(?:\n|$))+/.exec(body)?.[0]
  return (block ?? lines ?? '')
    .replace(/^\s*(\*|\/\/+)/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

function hasSentence(text: string): boolean {
  return /^(?!(?:biome|eslint|@ts)\b)\S+ \S+ .*?[.:;]( |$)/.test(openingOf(text))
}

suite('the first sentence', (test) => {
  test('opens every source file', () => {
    const folders = ['packages', 'test', 'examples', 'bench', 'scripts']
    const files = folders.flatMap((folder) => filesBelow(folder))
    ok(files.length > 0)
    equal(
      files.filter((file) => !hasSentence(readSource(file))),
      [],
    )
  })

  test('is distinguished from its absence', () => {
    ok(hasSentence('/** Reads the query string. */\nimport'))
    ok(hasSentence('/**\n * Reads the query\n * string.\n */'))
    ok(hasSentence('#!/usr/bin/env node\n// Reads the query string.\n'))
    ok(!hasSentence('import x from "./x.ts"\n/** Reads the query string. */'))
    ok(!hasSentence('/** Query */\nexport const x = 1'))
    ok(!hasSentence('// biome-ignore lint: reasons.\n'))
    ok(!hasSentence(''))
  })
})
