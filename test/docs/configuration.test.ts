/** docs/reference/configuration.md is the output of its script, made from the table of settings, and has every key. */
import { readFileSync } from 'node:fs'
import { allSettings, settingTable } from '../../packages/core/src/model/settings/setting-table.ts'
import { configurationPage, page, settingsOf } from '../../scripts/configuration.ts'
import { equal, ok } from '../support/assert.ts'
import { suite } from '../support/suite.ts'

/** A default value as comments write it. */
function written(value: unknown): string {
  if (Array.isArray(value) && typeof value[0] === 'string' && value.length > 1) {
    return value.join(',')
  }
  return Array.isArray(value) ? JSON.stringify(value) : String(value)
}

const plain = (text: string): string => text.replaceAll(/[` ]/g, '').replaceAll("'", '"')

suite('docs/reference/configuration.md', (test) => {
  const text = readFileSync(page, 'utf8')

  test('is the output of scripts/configuration.ts', () => {
    ok(
      text === configurationPage(),
      'out of date: run node --conditions=@model-api/source scripts/configuration.ts',
    )
  })

  test('has one line for every key', () => {
    for (const [key] of allSettings) {
      equal(text.split(`\n- \`${key}\` (`).length, 2, key)
    }
  })

  test('describes every key', () => {
    const members = [...settingsOf('config'), ...settingsOf('meta')]
    equal(members.length, allSettings.length)
    for (const { name, meaning } of members) ok(/^\S.+\.$/.test(meaning), `${name}: "${meaning}"`)
  })

  test('has the defaults of the table', () => {
    for (const member of settingsOf('config')) {
      const { default: value } = settingTable[member.name as keyof typeof settingTable]
      const said = plain(member.default)
      if (value === undefined || value === '') continue
      if (Array.isArray(value) && value.length === 0) equal(said, 'none', member.name)
      else ok(said.startsWith(plain(written(value))), `${member.name}: ${said}`)
    }
  })
})
