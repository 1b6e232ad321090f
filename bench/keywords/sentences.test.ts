import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { run } from '../keywords.ts'
import { messagesOf } from './sentences.ts'

/** A catalogue as written by `msgfmt`, in either byte order. */
function catalogueOf(texts: readonly string[], isLittle: boolean): Buffer {
  const bodies = texts.map((text) => Buffer.from(text))
  const table = 28
  let at = table + 8 * bodies.length
  const head = Buffer.alloc(at)
  const write = (value: number, place: number): number =>
    isLittle ? head.writeUInt32LE(value, place) : head.writeUInt32BE(value, place)
  for (const [place, value] of [0x950412de, 0, bodies.length, table, table, 0, 0].entries()) write(value, 4 * place)
  for (const [n, body] of bodies.entries()) {
    write(body.length, table + 8 * n)
    write(at, table + 8 * n + 4)
    at += body.length
  }
  return Buffer.concat([head, ...bodies])
}

test('reads message catalogues in either byte order, with each plural form as a message', () => {
  const texts = ['Project-Id-Version: x\n', '文件', 'ไฟล์\0ไฟล์ทั้งหมด']
  for (const isLittle of [true, false])
    assert.deepEqual(messagesOf(catalogueOf(texts, isLittle)), ['文件', 'ไฟล์', 'ไฟล์ทั้งหมด'])
  assert.deepEqual(messagesOf(Buffer.from('something else, longer than a head')), [])
})

test('finds every keyword in sentences of catalogues and man pages, without false matches', async () => {
  const root = mkdtempSync(join(tmpdir(), 'keywords-'))
  try {
    const own: [folder: string, text: string][] = [
      ['zh_CN', '系统管理员昨天在服务器上安装了新的软件包，然后重新启动了所有服务。'],
      ['ja', '管理者は昨日サーバーに新しいパッケージを導入して、すべてのサービスを再起動しました。'],
      ['th', 'ผู้ดูแลระบบติดตั้งโปรแกรมใหม่บนเครื่องแม่ข่ายเมื่อวานนี้และเริ่มบริการทั้งหมดอีกครั้ง'],
    ]
    for (const [folder, text] of own) {
      mkdirSync(join(root, folder, 'man1'), { recursive: true })
      writeFileSync(join(root, folder, 'own.mo'), catalogueOf([text], true))
      const page = `.TH OWN 1\n.SH 名\n${text.slice(0, 20)}\\fB${text.slice(20, 22)}\\fR\n${text.slice(22)}\n`
      writeFileSync(join(root, folder, 'man1', 'own.1.gz'), gzipSync(page))
    }
    const { rows, stats } = await run({ roots: [root], values: {} })
    assert.deepEqual(
      rows.map(([language, sentences]) => [language, sentences]),
      [
        ['zh', 2],
        ['ja', 2],
        ['th', 2],
      ],
    )
    for (const { 3: pairs } of rows) assert.ok(Number(pairs) >= 10)
    for (const [name, value] of Object.entries(stats)) assert.equal(value, name.startsWith('found, ') ? 1 : 0, name)
  } finally {
    rmSync(root, { recursive: true })
  }
})
