import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { settingsForWatching } from '../crawl/crawl-settings.ts'
import { crawlSettingsOf, targetOf } from './settings.ts'
import type { CrawlOptions } from './surface.ts'

const profile =
  '<profile><urd><keywords><keyword key="solar power" weight="3"/><keyword key="wind"/></keywords></urd></profile>'

describe('settings of a crawl by the library', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'erace-library-'))
    writeFileSync(join(folder, 'energy.xml'), profile)
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const settingsOf = async (options: CrawlOptions) => crawlSettingsOf(options, await targetOf(options))
  const focused = () => ({ crawl: { order: 'focused', focus: [`@${join(folder, 'energy.xml')}`] } }) as const

  test('a focused crawl takes its terms from a profile, as on the command line', async () => {
    const { focus } = await settingsOf({ seeds: 'http://a.example/', config: focused() })
    assert.deepEqual(
      focus?.terms.map(({ words, weight }) => [words.join(' '), weight]),
      [
        ['solar power', 3],
        ['wind', 1],
      ],
    )
  })

  test('a service says that it reads no profiles for a focus', async () => {
    const { config } = await targetOf({ config: focused() })
    await assert.rejects(settingsForWatching(folder, config), /energy\.xml: a service reads no profiles for this/)
  })

  test('a random walk without a number of steps is refused, since it would never end', async () => {
    const walk = { seeds: 'http://a.example/', config: { crawl: { order: 'walk' } } } as const
    await assert.rejects(settingsOf(walk), /maxPages: is missing: a random walk has no end/)
    assert.equal((await settingsOf({ ...walk, maxPages: 9 })).maxPages, 9)
  })

  test('an empty name of the data folder does not mean the working directory', async () => {
    await assert.rejects(targetOf({ data: '' }), /data: needs a folder/)
  })
})
