import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, test } from 'node:test'
import fc from 'fast-check'
import { markdownName } from '../markdown/markdown-name.ts'
import { createExportFolder, type ExportFolder, goneWith, pageWith } from './export.testkit.ts'

const start = Date.UTC(2026, 0, 1)

describe('name of a Markdown file', () => {
  test('follows the URL of the page, with a hash if the URL does not fit', () => {
    assert.equal(markdownName('https://a.example/', null), 'a.example/index.md')
    assert.equal(markdownName('https://a.example/docs/start', 3), 'a.example/docs/start@3.md')
    assert.equal(markdownName('http://a.example:8080/x', null), 'a.example_8080_http/x.md')
    for (const url of [
      'https://a.example/X',
      'https://a.example/x?y',
      'https://a.example/index',
      'https://a.example/x.md',
    ])
      assert.match(markdownName(url, null), /~[0-9a-f]{12}\.md$/, url)
  })

  test('stays in its folder, is not a reserved name, and is unique per document', () => {
    const urls = ['https://a.example/x', 'https://a.example/X', 'https://a.example/x/', 'https://a.example/x.md', 'https://a.example/x.md/y', 'http://a.example/x',
      'https://a.example/%2e%2e/%2e%2e/etc/passwd', 'https://a.example/..%2f..%2fetc', 'https://a.example/con', 'https://a.example/a%5cb', 'https://a.example/%00',
      'https://a.example//x', 'https://a.example/x%20', `https://a.example/${'l'.repeat(5000)}`, `https://a.example/${'d/'.repeat(500)}`, 'news:a@b', 'mail://x/..'] // biome-ignore format: a list
    const names = urls.map((url) => markdownName(url, null))
    assert.equal(new Set(names.map((name) => name.toLowerCase())).size, urls.length)
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: false }), fc.string(), (url, tail) => {
        names.push(markdownName(`${url}/${tail}`, null))
      }),
    )
    for (const name of names) {
      assert.ok(name.length < 1400, name)
      for (const part of name.split('/')) {
        assert.match(part, /^[^\p{Cc}\\/:*?"<>|]+$/u)
        assert.doesNotMatch(part, /^\.|\.$|^(?:con|nul|aux)(?:\.|$)/i)
      }
    }
  })
})

describe('Markdown export', () => {
  let folder: ExportFolder | null = null
  afterEach(() => {
    folder?.remove()
    folder = null
  })

  const make = async (): Promise<ExportFolder> => {
    folder = await createExportFolder([
      pageWith('a.example', '/one', '<h1>One</h1><p>old', { at: start, title: 'One "1"' }),
      pageWith('a.example', '/one', '<h1>One</h1><p>new <a href="two">two</a>', { at: start + 1000, title: 'One "1"' }),
      pageWith('a.example', '/two', '<p>two', { at: start }),
      pageWith('a.example', '/left', '<p>left', { at: start }),
      goneWith('a.example', '/left', start + 2000),
    ])
    return folder
  }
  const selection = { currentOnly: true }

  test('writes a folder of files, and only rewrites changed files in a second run', async () => {
    const { export: run, out } = await make()
    const file = join(out, 'notes')
    const report = await run({ kind: 'markdown', file, selection })
    assert.deepEqual([report.records, report.skipped, report.bytes > 0], [2, 0, true])
    const one = join(file, 'a.example_http', 'one.md')
    assert.match(
      readFileSync(one, 'utf8'),
      /^---\nurl: "http:\/\/a\.example\/one"\ntitle: "One \\"1\\""\ncaptured: "2026-01-01T00:00:01\.000Z"\nversion: 2\ndigest: "sha256:[\w=]+"\n---\n\n# One\n\nnew \[two\]\(http:\/\/a\.example\/two\)\n$/,
    )
    const before = statSync(one).mtimeMs
    writeFileSync(join(file, 'a.example_http', 'two.md'), 'changed by hand')
    const again = await run({ kind: 'markdown', file, selection })
    assert.equal(again.bytes, statSync(join(file, 'a.example_http', 'two.md')).size)
    assert.equal(statSync(one).mtimeMs, before)
    await run({ kind: 'markdown', file, selection: { currentOnly: false } })
    assert.deepEqual(readdirSync(join(file, 'a.example_http')).sort(), [
      'left@1.md',
      'one.md',
      'one@1.md',
      'one@2.md',
      'two.md',
      'two@1.md',
    ])
  })

  test('writes JSON lines to a .jsonl file', async () => {
    const { export: run, out } = await make()
    const file = join(out, 'notes.jsonl')
    await run({ kind: 'markdown', file, selection })
    const lines = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      lines.map(({ url, version, markdown }) => [url, version, markdown]),
      [
        ['http://a.example/one', 2, '# One\n\nnew [two](http://a.example/two)\n'],
        ['http://a.example/two', 1, 'two\n'],
      ],
    )
  })
})
