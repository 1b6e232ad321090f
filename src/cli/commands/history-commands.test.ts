import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Change } from '../../core/change/change.ts'
import type { DiffReport, HistoryReport, ShowReport, VersionReport } from '../../core/reports/history-report.ts'
import { createRecordingIo, engineWith, useCliFolder } from '../cli.testkit.ts'
import { runCli } from '../run-cli.ts'

const version: VersionReport = {
  n: 1,
  reason: 'new',
  firstSeenAt: '2026-01-01T00:00:00.000Z',
  lastSeenAt: '2026-01-02T00:00:00.000Z',
  status: 200,
  type: 'text/html',
  size: 1234,
  title: 'A title\u001b[31m',
  digest: 'sha256:A',
  textDigest: 'aa',
  etag: '',
  lastModified: '',
  truncated: '',
  completedFrom: null,
  address: '192.0.2.1',
  location: '',
  body: 'kept',
  links: 2,
  notice: null,
}
const gone: VersionReport = { ...version, n: 3, reason: 'gone', status: 301, size: 0, title: '', body: 'none' }
const url = 'http://a.example/'

const history: HistoryReport = {
  url,
  parent: '',
  firstAskedAt: version.firstSeenAt,
  lastCheckedAt: version.lastSeenAt,
  outcome: 'redirect',
  status: 301,
  location: 'http://b.example/',
  versions: [
    { ...version, changes: null },
    {
      ...version,
      n: 2,
      reason: 'changed',
      body: 'dropped',
      changes: { added: 1200, removed: 3, passages: [], line: '\u2068מחיר\u2069 5 → 6' },
    },
    { ...gone, location: 'http://b.example/', changes: null },
  ],
  more: 7,
}

const shown: ShowReport = {
  url,
  version,
  header: 'HTTP/1.1 200 OK\r\nServer: x\r\n',
  content: {
    kind: 'body',
    contentType: 'text/html',
    bytes: Buffer.from('<p>a\u001b[2J\r\n'),
    source: '<p>a\u001b[2J\r\n',
  },
  text: 'a\u001b[2J\nb',
  links: ['http://a.example/1', 'http://a.example/2'],
}
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff])
const picture: ShowReport = {
  ...shown,
  content: { kind: 'body', contentType: 'image/png', bytes: png, source: null },
  text: null,
}

const changed: DiffReport = {
  url,
  from: version,
  to: { ...version, n: 2, digest: 'sha256:B' },
  compared: 'text',
  form: 'lines',
  equal: false,
  coarse: false,
  lines: { added: 1, removed: 1 },
  words: { added: 1, removed: 1 },
  changes: [
    {
      ...{ block: 'paragraph', path: 'Shop › Kettle', place: '', key: '', from: 1, to: 1, kind: 'changed' },
      ...{ before: 'the old\u001b[2J price', after: 'the new price' },
      pieces: [
        { kind: 'same', text: 'the ' },
        { kind: 'removed', text: 'old\u001b[2J' },
        { kind: 'added', text: 'new' },
        { kind: 'same', text: ' price' },
      ],
    },
  ],
  changeCount: 1,
  line: { text: 'the old → new price', parts: [], more: 0 },
  hunks: [
    {
      fromLine: 1,
      fromCount: 2,
      toLine: 1,
      toCount: 2,
      pieces: [
        { kind: 'same', text: 'head' },
        { kind: 'removed', text: 'old\u001b[2J' },
        { kind: 'added', text: 'new' },
      ],
    },
  ],
}

describe('history, show and diff', () => {
  const folder = useCliFolder()

  const show = (report: ShowReport, options: string[] = [], columns?: number) =>
    folder.run(['show', url, ...options], {
      engine: { show: async () => report },
      ...(columns === undefined ? {} : { columns }),
    })
  async function bytesShown(report: ShowReport, options: string[], terminal?: { columns: number }): Promise<Buffer> {
    const world = createRecordingIo(terminal)
    const engine = engineWith({ show: async () => report })
    const code = await runCli({ argv: ['show', url, ...options], env: {}, cwd: folder.cwd, io: world.io, engine })
    assert.equal(code, 0)
    return world.bytes()
  }
  const diff = (
    report: DiffReport,
    options: string[] = [],
    given: { columns?: number; env?: Record<string, string> } = {},
  ) => folder.run(['diff', url, ...options], { engine: { diff: async () => report }, ...given })

  test('history prints a table with the newest version last', async () => {
    const versions = history.versions.map(({ changes: _, ...version }) => version)
    const { code, out } = await folder.run(['history', url], {
      engine: { history: async () => ({ ...history, versions }) },
    })
    assert.equal(code, 0)
    assert.deepEqual(out.split('\n'), [
      'http://a.example/: checked 2026-01-02 00:00:00Z, redirect',
      '  7 older versions not shown (--limit)',
      '  n  first seen            last seen             why      status    size  title',
      '  1  2026-01-01 00:00:00Z  2026-01-02 00:00:00Z  new         200  1.2 KB  A title?[31m',
      '  2  2026-01-01 00:00:00Z  2026-01-02 00:00:00Z  changed     200  1.2 KB  A title?[31m (body dropped)',
      '  3  2026-01-01 00:00:00Z  2026-01-02 00:00:00Z  gone        301          -> http://b.example/',
      '',
    ])
  })

  test('history counts changes on request, and prints everything as JSON', async () => {
    const asked: unknown[] = []
    const engine = {
      history: async (...args: unknown[]) => {
        asked.push(args[2])
        return history
      },
    }
    const { out } = await folder.run(['history', url, '--changes', '--limit', '5'], { engine })
    assert.match(out, / words {2}change\n/)
    assert.match(out, / \+1,200 -3 {2}מחיר 5 → 6 \(body dropped\)\n/)
    assert.match(out, / {2}A title\?\[31m\n/)
    assert.deepEqual(JSON.parse((await folder.run(['history', url, '--json'], { engine })).out), history)
    assert.deepEqual(asked, [
      { limit: 5, changes: true },
      { limit: 50, changes: false },
    ])
  })

  test('history reports a document without versions', async () => {
    const engine = { history: async () => ({ ...history, versions: [], more: 0 }) }
    assert.match((await folder.run(['history', url], { engine })).out, /redirect\n {2}no versions kept\n$/)
  })

  test('show writes the exact bytes, except to a terminal', async () => {
    assert.equal((await show(shown)).out, '<p>a\u001b[2J\r\n')
    assert.deepEqual(await bytesShown(picture, []), png)
    assert.equal((await show(shown, [], 80)).out, '<p>a?[2J\n')
    const refused = await show(picture, [], 80)
    assert.equal(refused.code, 2)
    assert.match(refused.err, /is image\/png, 6 B: not for a terminal; redirect it to a file, or use --raw/)
    assert.deepEqual(await bytesShown(picture, ['--raw'], { columns: 80 }), png)
  })

  test('show prints text, header or links, without control characters on a terminal', async () => {
    assert.equal((await show(shown, ['--text'])).out, 'a\u001b[2J\nb\n')
    assert.equal((await show(shown, ['--text'], 80)).out, 'a?[2J\nb\n')
    assert.equal((await show(shown, ['--header'])).out, 'HTTP/1.1 200 OK\nServer: x\n')
    assert.equal((await show(shown, ['--links'])).out, 'http://a.example/1\nhttp://a.example/2\n')
    const { code, err } = await show(picture, ['--text'])
    assert.equal(code, 1)
    assert.match(err, /has no text: its type is image\/png/)
  })

  test('show exits with 1 and the reason if there is no body', async () => {
    const absences = [
      ['gone', /as gone: status 301 since 2026-01-01/],
      ['dropped', /was removed by gc; --header/],
      ['lost', /was damaged; the next crawl fetches it again/],
      ['none', /has no body/],
    ] as const
    for (const [why, message] of absences) {
      const report: ShowReport = { ...shown, version: gone, content: { kind: 'absent', why }, text: null }
      const { code, out, err } = await show(report)
      assert.deepEqual([code, out], [1, ''])
      assert.match(err, message)
      assert.equal((await show(report, ['--header'])).code, 0)
      const json = await show(report, ['--json'])
      assert.equal(json.code, 1)
      assert.deepEqual(JSON.parse(json.out).content, { kind: 'absent', why })
    }
    const damaged = await show({ ...shown, content: { kind: 'damaged', message: 'cut off' }, text: null })
    assert.equal(damaged.code, 1)
    assert.match(damaged.err, /is damaged: cut off/)
  })

  test('show --json has the text, or the bytes if there is no text', async () => {
    const { content: _, ...rest } = shown
    assert.deepEqual(JSON.parse((await show(shown, ['--json'])).out), {
      ...rest,
      content: { kind: 'body', contentType: 'text/html' },
    })
    assert.equal(JSON.parse((await show(picture, ['--json'])).out).content.base64, png.toString('base64'))
    const large: ShowReport = {
      ...picture,
      content: { kind: 'body', contentType: undefined, bytes: Buffer.alloc(20_000_000), source: null },
    }
    assert.deepEqual(JSON.parse((await show(large, ['--json'])).out).content, {
      kind: 'body',
      contentType: null,
      omitted: 'length',
    })
  })

  test('diff lists changes block by block, below their headings', async () => {
    const nothing = { path: '', place: '', key: '', from: 1, to: 1 }
    const changes: Change[] = [
      ...changed.changes,
      { ...nothing, kind: 'added', block: 'row', path: 'Shop › Kettle', after: 'Colour\tred' },
      { ...nothing, kind: 'removed', block: 'paragraph', path: 'Shop', before: 'Open at night' },
      { ...nothing, kind: 'moved', block: 'paragraph', path: 'Shop', before: 'Free returns', after: 'Free returns' },
      {
        ...{ ...nothing, kind: 'changed', block: 'value', path: '$.price', key: '$.price', before: '5', after: '6' },
        pieces: [
          { kind: 'removed', text: '5' },
          { kind: 'added', text: '6' },
        ],
      },
    ]
    const { code, out } = await diff({ ...changed, changes, changeCount: 1500, coarse: true }, [], {
      columns: 80,
      env: { NO_COLOR: '1' },
    })
    assert.equal(code, 0)
    assert.deepEqual(out.split('\n'), [
      '--- http://a.example/@1\t2026-01-01 00:00:00Z',
      '+++ http://a.example/@2\t2026-01-01 00:00:00Z',
      'Shop › Kettle',
      '- the old?[2J price',
      '+ the new price',
      '+ Colour | red',
      'Shop',
      '- Open at night',
      '~ moved: Free returns',
      '- $.price: 5',
      '+ $.price: 6',
      '(1,495 more changes)',
      '(The texts differ too much for an exact comparison; the actual changes may be smaller.)',
      '',
    ])
  })

  test('diff highlights changed words, and shortens long unchanged text', async () => {
    const { out } = await diff(changed, [], { columns: 80 })
    assert.ok(out.includes('\u001b[2mShop › Kettle\u001b[0m\n'), JSON.stringify(out))
    assert.ok(
      out.includes('\u001b[31m- \u001b[0m\u001b[31mthe \u001b[0m\u001b[31;1;4mold?[2J\u001b[0m'),
      JSON.stringify(out),
    )
    const long = 'word '.repeat(100)
    const pieces = [
      { kind: 'same' as const, text: long },
      { kind: 'added' as const, text: 'new ' },
      { kind: 'same' as const, text: long },
    ]
    const report = { ...changed, changes: [{ ...changed.changes[0]!, pieces }] }
    assert.match((await diff(report)).out, /\n\+ …( word){10,12} new (word ){10,12}…\n$/)
  })

  test('diff is unified with --lines, and inline with --words', async () => {
    const { code, out } = await diff(changed, ['--lines'])
    assert.equal(code, 0)
    assert.equal(
      out,
      [
        '--- http://a.example/@1\t2026-01-01 00:00:00Z',
        '+++ http://a.example/@2\t2026-01-01 00:00:00Z',
        '@@ -1,2 +1,2 @@',
        ' head',
        '-old\u001b[2J',
        '+new',
        '',
      ].join('\n'),
    )
    const pieces = [
      { kind: 'same' as const, text: 'head\nthe ' },
      { kind: 'removed' as const, text: 'old' },
      { kind: 'added' as const, text: 'new' },
      { kind: 'same' as const, text: ' end\n' },
    ]
    const byWords: DiffReport = { ...changed, form: 'words', hunks: [{ ...changed.hunks[0]!, pieces }] }
    assert.match((await diff(byWords, ['--words'])).out, /@@\nhead\nthe \[-old-\]\{\+new\+\} end\n$/)
  })

  test('diff uses colours on a terminal unless NO_COLOR is set, and removes control characters', async () => {
    const { out } = await diff(changed, ['--lines'], { columns: 80 })
    assert.ok(out.includes('\u001b[31m-old?[2J\u001b[0m\n\u001b[32m+new\u001b[0m\n'), JSON.stringify(out))
    assert.equal((await diff(changed, [], { columns: 80, env: { NO_COLOR: '1' } })).out.includes('\u001b'), false)
  })

  test('diff says when the chosen versions are the same', async () => {
    const { out } = await diff({ ...changed, to: version, equal: true, hunks: [] }, ['2026-01-02', '2026-01-03'])
    assert.match(out, /: nothing to compare, both are version 1 of 2026-01-01 00:00:00Z/)
  })

  test('diff explains why there is nothing to show', async () => {
    const same: DiffReport = { ...changed, equal: true, hunks: [] }
    for (const [report, message] of [
      [same, /have the same text; use --raw to compare the source\n$/],
      [{ ...same, compared: 'source' }, /no differences between version 1 of .* and version 2 of /],
      [
        { ...same, to: version },
        /nothing to compare, there is only version 1 of 2026-01-01 00:00:00Z \(text\/html, 1\.2 KB\)\n$/,
      ],
      [{ ...same, equal: false, compared: 'bytes' }, /differ; there is no text to compare\n$/],
      [{ ...changed, changes: [], changeCount: 0 }, /readers see no difference between .*; try --lines or --raw\n$/],
      [{ ...same, equal: false, changes: [], changeCount: 0 }, /differ only in line endings\n$/],
    ] as [DiffReport, RegExp][]) {
      const { code, out } = await diff(report)
      assert.equal(code, 0)
      assert.match(out, message)
    }
    assert.match((await diff({ ...changed, coarse: true })).out, /too much for an exact comparison/)
  })

  test('diff passes on its options', async () => {
    const asked: unknown[] = []
    const engine = {
      diff: async (...args: unknown[]) => {
        asked.push(args[2])
        return changed
      },
      diffPage: async (...args: unknown[]) => `<!DOCTYPE html> ${args[1]}`,
    }
    const blocks = await folder.run(['diff', url, '--html'], { engine })
    assert.equal(blocks.out, '<!DOCTYPE html> changes')
    asked.length = 0
    const words = await folder.run(['diff', url, '1', '2026-01-01', '--words', '--raw', '--context=0', '--html'], {
      engine,
    })
    assert.equal(words.out, '<!DOCTYPE html> text')
    assert.deepEqual(JSON.parse((await folder.run(['diff', url, '--json'], { engine })).out), changed)
    assert.deepEqual(asked, [
      { from: '1', to: '2026-01-01', form: 'words', context: 0, raw: true },
      { from: undefined, to: undefined, form: 'lines', context: 3, raw: false },
    ])
  })

  test('missing, surplus or contradictory arguments are usage errors', async () => {
    for (const argv of [
      ['history'],
      ['history', url, url],
      ['history', url, '--limit', '0'],
      ['show'],
      ['show', url, '2'],
      ['show', url, '--text', '--links'],
      ['diff'],
      ['diff', url, '1', '2', '3'],
      ['diff', url, '--context', 'x'],
      ['diff', url, '--html', '--json'],
      ['diff', url, '--lines', '--words'],
    ]) {
      assert.equal((await folder.run(argv)).code, 2, argv.join(' '))
    }
  })
})
