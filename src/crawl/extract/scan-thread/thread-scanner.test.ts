import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { textFingerprint } from '../../../core/text/document-text.ts'
import { createOmitRules } from '../../../core/text/omit-rules.ts'
import { baseOfSerialised } from '../../../core/url/url.ts'
import { startThread } from '../../../core/work/thread-host.ts'
import { fastfind } from '../fastfind.ts'
import { createLinkMemo, type LinkMemo } from '../scanner/link-memo.ts'
import type { ScanOptions } from '../scanner/scanner.ts'
import {
  createScanMemory,
  IS_ASLEEP,
  MAX_PAGE_BYTES,
  openScanMemory,
  PAGE_LENGTH,
  placeAt,
  placeIndex,
  SCANNED,
  SUBMITTED,
} from './scan-memory.ts'
import type { ScanThreadData } from './scan-thread.ts'
import { threadBodyWork } from './thread-body-work.ts'
import { type ScannedPage, startThreadScanner, type ThreadScanner } from './thread-scanner.ts'

const plain: ScanOptions = { xml: false, withTexts: false }
const sha256 = (page: Buffer): Buffer => hash('sha256', page, 'buffer')
const never = (error: unknown): void => assert.fail(`the thread has failed: ${error}`)

async function withScanner(work: (scanner: ThreadScanner) => Promise<void>, readsTexts = false): Promise<void> {
  const scanner = startThreadScanner(never, { readsTexts })
  try {
    while (scanner.scan(Buffer.alloc(0), null) === null) await turn()
    await work(scanner)
  } finally {
    await scanner.close()
  }
}

async function scanned(scanner: ThreadScanner, page: Buffer, options: ScanOptions | null): Promise<ScannedPage> {
  const result = await scanner.scan(page, options)
  assert.ok(result !== null)
  return result
}

/** A page of a site: some links are on all pages. */
function pageText(n: number, links: number): string {
  const navigation = '<a href="/">home</a><a href="../up">up</a>'
  const own = Array.from({ length: links }, (_, i) => `<p>text ${i} <a href="page-${n}-${i}.html#x">next</a></p>`)
  return `<!doctype html><title>page ${n} é</title><meta name=robots content=noarchive>${navigation}${own.join('')}`
}

describe('scan thread', () => {
  test('finds in every page what the thread itself finds, and hashes it', () =>
    withScanner(async (scanner) => {
      const pages = Array.from({ length: 300 }, (_, n) => Buffer.from(pageText(n, (n * 7) % 90)))
      const special = ['', '<a href=x', '<base href=/b/><a href=x>', '<svg><a xlink:href=y /></svg>', '\xff\xfe\0<a>']
      const all = [...pages, ...special.map((text) => Buffer.from(text, 'latin1'))]
      const variants: ScanOptions[] = [plain, { xml: true, withTexts: false }, { xml: false, withTexts: true }]
      await Promise.all(
        all.map(async (page, at) => {
          const options = variants[at % variants.length]!
          const { digest, findings } = await scanned(scanner, page, options)
          assert.deepEqual(fastfind(page, { ...options, findings }), fastfind(page, options), `page ${at}`)
          assert.ok(digest.equals(sha256(page)), `page ${at}`)
        }),
      )
    }))

  test('answers in the order of the pages, with far more of them than have room at a time', () =>
    withScanner(async (scanner) => {
      const answered: number[] = []
      const reading: Promise<void>[] = []
      let refused = 0
      for (let n = 0; n < 500; n++) {
        const page = Buffer.alloc(200_000, `${n} `)
        let given = scanner.scan(page, plain)
        for (; given === null; given = scanner.scan(page, plain)) {
          refused++
          await turn()
        }
        reading.push(
          given.then((result) => {
            assert.ok(result?.digest.equals(sha256(page)))
            answered.push(n)
          }),
        )
      }
      await Promise.all(reading)
      assert.ok(refused > 0)
      assert.deepEqual(
        answered,
        Array.from({ length: 500 }, (_, n) => n),
      )
    }))

  test('only hashes what is not to be scanned, and takes no page beyond its limit', () =>
    withScanner(async (scanner) => {
      const body = Buffer.from('<a href=x>')
      const { digest, findings, hasForgotten } = await scanned(scanner, body, null)
      assert.ok(digest.equals(sha256(body)))
      assert.deepEqual([findings?.length, hasForgotten], [0, false])
      const largest = Buffer.alloc(MAX_PAGE_BYTES, '<a href=x> ')
      // There is room as soon as the memory of all pages before is given back.
      let given = scanner.scan(largest, null)
      for (; given === null; given = scanner.scan(largest, null)) await turn()
      assert.ok((await given)?.digest.equals(sha256(largest)))
      assert.equal(scanner.scan(Buffer.alloc(MAX_PAGE_BYTES + 1), null), null)
    }))

  test('reads texts as the thread itself does, mixed with pages to scan', () =>
    withScanner(async (scanner) => {
      const types = [
        'text/html; charset=utf-8',
        'text/html; charset=windows-1251',
        'text/plain',
        'image/png',
        undefined,
      ]
      const bodies = Array.from({ length: 200 }, (_, n) =>
        Buffer.from(n % 9 === 0 ? `plain é ${n}` : pageText(n, n % 40)),
      )
      const answers = bodies.map(async (body, n) => {
        const contentType = types[n % types.length]
        const [found, { digest }] = await Promise.all([scanner.text(body, contentType), scanned(scanner, body, plain)])
        assert.deepEqual(found?.text, textFingerprint(body, { contentType }), `body ${n}, ${contentType}`)
        assert.ok(digest.equals(sha256(body)))
        return found?.text ?? null
      })
      const texts = await Promise.all(answers)
      assert.ok(texts.some((text) => text === null) && texts.some((text) => text !== null))
      assert.equal(scanner.text(bodies[1]!, `text/html; a="${'b'.repeat(10_000)}"`), null)
    }, true))

  test('reads no texts unless it was started for them', () =>
    withScanner(async (scanner) => {
      assert.equal(scanner.text(Buffer.from('text'), 'text/plain'), null)
    }))

  test('does the work for changed bodies, and leaves what it refuses to its caller', () =>
    withScanner(async (scanner) => {
      const asked: string[] = []
      const work = threadBodyWork({
        scan(page, options) {
          asked.push('digest')
          return scanner.scan(page, options)
        },
        text(page, contentType) {
          asked.push('text')
          return scanner.text(page, contentType)
        },
      })
      const page = Buffer.from(pageText(1, 20))
      const tooLarge = Buffer.alloc(MAX_PAGE_BYTES + 1, 'text ')
      const contentType = 'text/html; charset=utf-8'
      const omit = createOmitRules([{ match: '*', selectors: [], patterns: ['text 3.*'] }])('https://example.org/')
      assert.ok(omit !== null)
      for (const body of [page, tooLarge]) {
        assert.ok((await work.digest(body)).equals(sha256(body)))
        assert.deepEqual(await work.fingerprint(body, { contentType }), textFingerprint(body, { contentType }))
      }
      assert.deepEqual(asked, ['digest', 'text', 'digest', 'text'])
      const rest = await work.fingerprint(page, { contentType, omit })
      assert.deepEqual(rest, textFingerprint(page, { contentType, omit }))
      assert.notDeepEqual(rest, textFingerprint(page, { contentType }))
      assert.equal(asked.length, 4)
    }, true))

  test('leaves a page to its caller if there are more links than have room', () =>
    withScanner(async (scanner) => {
      const crowded = Buffer.from('<a href=x>'.repeat(5000))
      const { digest, findings } = await scanned(scanner, crowded, plain)
      assert.equal(findings, null)
      assert.ok(digest.equals(sha256(crowded)))
      assert.equal(fastfind(crowded, { findings }).links.length, 5000)
      assert.ok((await scanned(scanner, Buffer.from(pageText(1, 9)), plain)).findings!.length > 0)
    }))

  test('recognises links by a memo in the calling thread, also after both have forgotten them', () =>
    withScanner(async (scanner) => {
      const memo = createLinkMemo<string>({ isElsewhere: true })
      const own = createLinkMemo<string>()
      const { generation } = memo
      let recalled = 0
      for (let n = 0; n < 120; n++) {
        const url = `http://h.example/d${n % 2}/p`
        // Most pages repeat an earlier one: if little is recognised, the memo rests.
        const page = Buffer.from(pageText(n % 4 === 0 ? n : 1, 3000))
        const links = await targets(scanner, memo, page, url)
        assert.deepEqual(links.targets, ownTargets(own, page, url))
        recalled += links.recalled
      }
      assert.ok(recalled > 10_000, `${recalled} links recognised`)
      assert.ok(memo.generation > generation)
    }))

  test('sleeps when there is nothing to do, and is woken', async () => {
    const memory = createScanMemory()
    const { counts, numbers, bytes } = openScanMemory(memory)
    const thread = startThread<never, 'ready', ScanThreadData>(new URL('./scan-thread.ts', import.meta.url), {
      data: { memory, readsTexts: false },
    })
    try {
      for (let n = 0; n < 3; n++) {
        while (Atomics.load(counts, IS_ASLEEP) === 0) await turn()
        const { head, page, digest } = placeAt(0, 0, 3)
        bytes.write(`a ${n}`, page)
        numbers.fill(0, head, head + 6)
        numbers[head + PAGE_LENGTH] = 3
        counts[placeIndex(n)] = 0
        Atomics.store(counts, SUBMITTED, n + 1)
        Atomics.notify(counts, SUBMITTED)
        while (Atomics.load(counts, SCANNED) !== n + 1) await turn()
        assert.ok(bytes.subarray(digest, digest + 32).equals(sha256(Buffer.from(`a ${n}`))))
      }
    } finally {
      await thread.terminate()
    }
  })

  test('leaves all pages to their callers when it fails, and when it is closed', async () => {
    const errors: unknown[] = []
    const entry = new URL('./faulty-scan-thread.testkit.ts', import.meta.url)
    const scanner = startThreadScanner((error) => errors.push(error), { entry })
    const page = Buffer.from('<a href=x>')
    let first = scanner.scan(page, plain)
    for (; first === null; first = scanner.scan(page, plain)) await turn()
    const second = scanner.scan(page, null)
    assert.deepEqual(await Promise.all([first, second]), [null, null])
    assert.match(String(errors), /a fault of the scan thread/)
    assert.equal(scanner.scan(page, plain), null)
    await scanner.close()

    await withScanner(async (working) => {
      const large = Buffer.alloc(1 << 20, 'a ')
      // More than have room at a time, so some of them wait for it.
      const pages = [page, large, large, large, large, large, large, page].map((each) => working.scan(each, plain))
      await working.close()
      assert.ok(!pages.includes(null))
      for (const each of await Promise.all(pages)) assert.equal(each, null)
    })
  })
})

type Targets = { targets: string[]; recalled: number }

async function targets(scanner: ThreadScanner, memo: LinkMemo<string>, page: Buffer, url: string): Promise<Targets> {
  const { prefix, directory } = baseOfSerialised(url)
  const folder = memo.folderOf(prefix, directory)
  const { findings, hasForgotten } = await scanned(scanner, page, { ...plain, folder })
  if (hasForgotten) memo.forget()
  memo.enter(prefix, directory)
  return named(memo, fastfind(page, { memo, findings }), url)
}

function ownTargets(memo: LinkMemo<string>, page: Buffer, url: string): string[] {
  const { prefix, directory } = baseOfSerialised(url)
  memo.enter(prefix, directory)
  return named(memo, fastfind(page, { memo }), url).targets
}

function named(memo: LinkMemo<string>, { links }: ReturnType<typeof fastfind<string>>, url: string): Targets {
  let recalled = 0
  const found = links.map(({ href, known, slot }) => {
    if (known !== null) recalled++
    const target = known ?? new URL(href, url).href.replace(/#.*/, '')
    if (slot !== undefined) memo.keep(slot, target)
    return target
  })
  return { targets: [...new Set(found)], recalled }
}
