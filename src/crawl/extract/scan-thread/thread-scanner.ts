import { copyBytes } from '../../../core/work/copy-bytes.ts'
import { startThread } from '../../../core/work/thread-host.ts'
import { MAX_BASE } from '../scanner/assembly/wire.ts'
import type { ScanOptions } from '../scanner/scanner.ts'
import {
  AS_XML,
  createRing,
  createScanMemory,
  FOLDER_LENGTH,
  FOR_LINKS,
  FOUND,
  HAS_FORGOTTEN,
  IN_FOLDER,
  IS_ASLEEP,
  MAX_PAGE_BYTES,
  MAX_SUBMITTED,
  OPTIONS,
  ORIGIN_LENGTH,
  openScanMemory,
  PAGE_LENGTH,
  type Place,
  placeAt,
  placeBytes,
  placeIndex,
  SCANNED,
  SUBMITTED,
  WITH_LINK_TEXTS,
} from './scan-memory.ts'

/**
 * Scans pages in a thread of its own, which also hashes them. That thread runs WebAssembly and little else, so it has almost nothing to
 * compile or collect; a second crawling thread would do all of that again.
 */
export type ThreadScanner = {
  /**
   * Resolves in the order in which pages were given. Null if the caller has to scan the page, now or in the end: it is too large, too
   * many wait for room already, or the thread isn't ready or has failed. Without options, the page is only hashed.
   */
  scan(page: Buffer, options: ScanOptions | null): Promise<ScannedPage | null> | null
  close(): Promise<void>
}

export type ScannedPage = {
  digest: Buffer
  /** Valid until the next turn of the event loop. Null if they had no room: the caller scans the page. */
  findings: Int32Array | null
  /** All links that the scanner had numbered before this page have lost their slots. */
  hasForgotten: boolean
}

type Submitted = { place: Place; resolve(scanned: ScannedPage | null): void }
type Waiting = Pick<Submitted, 'resolve'> & { page: Buffer; options: ScanOptions | null }

const HEAP_MB = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 32 }
/** As much as has room at a time. With more, the thread has fallen behind, and callers help it. */
const MAX_WAITING_BYTES = 4 << 20
/** Between two looks for scanned pages, if none are submitted in between. */
const LOOK_MS = 1

const scanThread = new URL('./scan-thread.ts', import.meta.url)

export function startThreadScanner(onFailed: (error: unknown) => void, entry = scanThread): ThreadScanner {
  const memory = createScanMemory()
  const { counts, numbers, bytes } = openScanMemory(memory)
  const ring = createRing()
  /** Pages being scanned, and those that are scanned and may still be read, in order. */
  let submitted: Submitted[] = []
  let read: Submitted[] = []
  /** Pages that had no room when they were given, in order. */
  const waiting: Waiting[] = []
  let waitingBytes = 0
  let state: 'starting' | 'ready' | 'ended' = 'starting'
  let isLooking = false
  const thread = startThread<never, 'ready', SharedArrayBuffer>(entry, {
    data: memory,
    isBackground: true,
    resourceLimits: HEAP_MB,
    onEvent() {
      if (state === 'starting') state = 'ready'
    },
  })
  thread.failed.catch((error: unknown) => {
    end()
    onFailed(error)
  })

  function submit(page: Buffer, options: ScanOptions | null, resolve: Submitted['resolve']): boolean {
    const folder = options?.folder
    const isInFolder = folder !== undefined && folder.url.length <= MAX_BASE
    const folderLength = isInFolder ? folder.url.length : 0
    if (submitted.length + read.length >= MAX_SUBMITTED) return false
    const start = ring.take(placeBytes(folderLength, page.length))
    if (start === null) return false
    const place = placeAt(start, folderLength, page.length)
    copyBytes(page, bytes, place.page)
    const { head } = place
    numbers[head + PAGE_LENGTH] = page.length
    numbers[head + FOLDER_LENGTH] = folderLength
    numbers[head + OPTIONS] = wordOf(options) | (isInFolder ? IN_FOLDER : 0)
    if (isInFolder) {
      bytes.write(folder.url, place.folder, 'latin1')
      numbers[head + ORIGIN_LENGTH] = folder.originLength
    }
    submitted.push({ place, resolve })
    const count = counts[SUBMITTED]!
    counts[placeIndex(count)] = start
    Atomics.store(counts, SUBMITTED, (count + 1) | 0)
    if (Atomics.load(counts, IS_ASLEEP) === 1) Atomics.notify(counts, SUBMITTED)
    lookSoon()
    return true
  }

  /** Pages that arrive together are submitted together; after that, some of them may be scanned already. */
  function lookSoon(): void {
    if (isLooking) return
    isLooking = true
    setImmediate(look)
  }

  function look(): void {
    isLooking = false
    ring.free(read.length)
    const scanned = submitted.length - ((counts[SUBMITTED]! - Atomics.load(counts, SCANNED)) | 0)
    read = submitted.slice(0, scanned)
    submitted = submitted.slice(scanned)
    for (const { place, resolve } of read) resolve(scannedPage(place))
    submitWaiting()
    if (submitted.length + read.length === 0 || isLooking) return
    isLooking = true
    setTimeout(look, LOOK_MS)
  }

  function submitWaiting(): void {
    const left = waiting.findIndex(({ page, options, resolve }) => !submit(page, options, resolve))
    const given = left === -1 ? waiting.length : left
    for (const { page } of waiting.splice(0, given)) waitingBytes -= page.length
  }

  function scannedPage({ head, digest, findings }: Place): ScannedPage {
    const isForLinks = (numbers[head + OPTIONS]! & FOR_LINKS) !== 0
    const found = isForLinks ? numbers[head + FOUND]! : 0
    return {
      digest: Buffer.from(bytes.subarray(digest, digest + 32)),
      findings: found === -1 ? null : numbers.subarray(findings, findings + found),
      hasForgotten: isForLinks && numbers[head + HAS_FORGOTTEN] === 1,
    }
  }

  function end(): void {
    state = 'ended'
    for (const { resolve } of [...submitted.splice(0), ...waiting.splice(0)]) resolve(null)
  }

  return {
    scan(page, options) {
      if (state !== 'ready' || page.length > MAX_PAGE_BYTES) return null
      const { promise, resolve } = Promise.withResolvers<ScannedPage | null>()
      if (waiting.length === 0 && submit(page, options, resolve)) return promise
      if (waitingBytes + page.length > MAX_WAITING_BYTES) return null
      waiting.push({ page, options, resolve })
      waitingBytes += page.length
      return promise
    },
    async close() {
      end()
      await thread.terminate()
    },
  }
}

function wordOf(options: ScanOptions | null): number {
  if (options === null) return 0
  return FOR_LINKS | (options.xml ? AS_XML : 0) | (options.withTexts ? WITH_LINK_TEXTS : 0)
}
