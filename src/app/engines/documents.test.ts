import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { goneWith, itemWith, pageWith } from '../../archive/export/export.testkit.ts'
import { pdfOf } from '../../archive/media/documents.testkit.ts'
import type { Capture } from '../../store/contracts/documents.ts'
import { usePostgres } from '../../store/postgres/testkit/postgres.testkit.ts'
import { type CommandTarget, createPostgresTarget, createSqliteTarget } from './targets.testkit.ts'

usePostgres()

const day = 86_400_000
const start = Date.UTC(2026, 0, 1)
const host = 'a.example'
const [url, name] = [`ftp://${host}/list.pdf`, '/list.pdf']
const pdf = { type: 'application/pdf' }
const old = pdfOf([{ lines: ['Bread is two.', '', 'Butter is three.'] }])
const next = pdfOf([{ lines: ['Bread is two.', '', 'Butter is five.'] }])

/** Documents that aren't responses from the web: with two versions, with a known body, damaged, and without text. */
const captures = (): Capture[] => [
  itemWith(host, name, old, { ...pdf, at: start }),
  itemWith(host, name, next, { ...pdf, at: start + day }),
  itemWith('b.example', '/copy.pdf', next, { ...pdf, at: start + day }),
  itemWith(host, '/damaged.pdf', '%PDF-1.7 nothing', { ...pdf, at: start }),
  itemWith(host, '/table.csv', 'name,price\nKettle,30\n', { type: 'text/csv', at: start }),
  pageWith(host, '/', '<p>A page', { at: start }),
  goneWith('c.example', '/', start),
]

describe('documents other than web pages', () => {
  const targets: CommandTarget[] = []
  before(async () => {
    targets.push(await createSqliteTarget(captures()), await createPostgresTarget(captures()))
  })
  after(async () => {
    for (const target of targets) await target.destroy()
  })

  async function each(
    argv: readonly string[],
    check: (run: Awaited<ReturnType<CommandTarget['run']>>, on: string) => void,
  ) {
    for (const target of targets) check(await target.run(argv), target.name)
  }

  test('have text that can be shown, but no header', async () => {
    await each(['show', `${url}@1`, '--text'], ({ out, err }, on) =>
      assert.equal(out, 'Bread is two.\nButter is three.\n', on + err),
    )
    await each(['show', 'ftp://b.example/copy.pdf', '--text'], ({ out, err }, on) =>
      assert.equal(out, 'Bread is two.\nButter is five.\n', on + err),
    )
    await each(['show', url, '--header'], ({ code, err }, on) => {
      assert.equal(code, 1, on)
      assert.match(err, /version 2 of ftp:\S+ has no header/)
    })
  })

  test('are reported with a reason if they have no text', () =>
    each(['show', `ftp://${host}/damaged.pdf`, '--text'], ({ code, err }, on) => {
      assert.equal(code, 1, on)
      assert.match(err, /can't be read as text: it is damaged/)
    }))

  test('have their changes in diff and history', async () => {
    await each(['diff', url, '--json'], ({ json, err }, on) => {
      const { compared, equal, changes } = json() as {
        compared: string
        equal: boolean
        changes: { before: string; after: string }[]
      }
      assert.deepEqual([compared, equal], ['text', false], on + err)
      assert.deepEqual(
        changes.map(({ before, after }) => [before, after]),
        [['Butter is three.', 'Butter is five.']],
      )
    })
    await each(['history', url, '--changes', '--json'], ({ json, err }, on) => {
      const { versions } = json() as { versions: { changes: { line: string } | null }[] }
      assert.match(versions.map(({ changes }) => changes?.line ?? '').join(), /five/, on + err)
    })
  })

  test('are found in search by their text', () =>
    each(['search', 'butter five', '--json'], ({ json, err }, on) => {
      const { items } = json() as { items: { url: string }[] }
      assert.deepEqual(items.map((item) => item.url).sort(), [url, 'ftp://b.example/copy.pdf'].sort(), on + err)
    }))

  test('pass verification', async () => {
    await each(['verify', '--json'], ({ code, out }, on) => assert.equal(code, 0, on + out))
  })
})
