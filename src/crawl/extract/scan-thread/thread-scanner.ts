import { copyBytes } from '../../../core/work/copy-bytes.ts'
import { startThread } from '../../../core/work/thread-host.ts'
import { MAX_BASE } from '../scanner/assembly/wire.ts'
import type { ScanOptions } from '../scanner/scanner.ts'
import {
  AS_XML,
  createRing,
  createScanMemory,
  FOR_LINKS,
  FOR_TEXT,
  FOUND,
  HAS_FORGOTTEN,
  HAS_TYPE,
  IN_FOLDER,
  IS_ASLEEP,
  LABEL_LENGTH,
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
import type { ScanThreadData } from './scan-thread.ts'

/**
 * Scans pages in a thread of its own, which also hashes them. That thread runs WebAssembly and little else, so it has almost nothing to
 * compile or collect; a second crawling thread would do all of that again.
 *
 * What it is asked is answered in the order of the questions. Null if the caller has to do the work, now or in the end: the page is too
 * large, too many wait for room already, or the thread isn't ready or has failed.
 */
export type ThreadScanner = {
  /** Without options, the page is only hashed. */
  scan(page: Buffer, options: ScanOptions | null): Promise<ScannedPage | null> | null
  /** As `textFingerprint`. Always null if the scanner was started without texts. */
  text(page: Buffer, contentType: string | undefined): Promise<TextFound | null> | null
  close(): Promise<void>
}

export type ScannedPage = {
  digest: Buffer
  /** Valid until the next turn of the event loop. Null if they had no room: the caller scans the page. */
  findings: Int32Array | null
  /** All links that the scanner had numbered before this page have lost their slots. */
  hasForgotten: boolean
}

/** Null if the type has no text. */
export type TextFound = { text: Buffer | null }

type Job = {
  page: Buffer
  options: number
  label: string
  originLength: number
  /** With the place of the answer, or null if there is none. */
  done(place: Place | null): void
}
type Submitted = Pick<Job, 'done'> & { place: Place }

const HEAP_MB = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 32 }
/** As much as has room at a time. With more, the thread has fallen behind, and callers help it. */
const MAX_WAITING_BYTES = 4 << 20
/** Between two looks for scanned pages, if none are submitted in between. */
const LOOK_MS = 1

const scanThread = new URL('./scan-thread.ts', import.meta.url)
const TEXT_BYTES = 16
/** Longer content types would take the room of pages. */
const MAX_TYPE = 1_000

export function startThreadScanner(
  onFailed: (error: unknown) => void,
  { readsTexts = false, entry = scanThread } = {},
): ThreadScanner {
  const memory = createScanMemory()
  const { counts, numbers, bytes } = openScanMemory(memory)
  const ring = createRing()
  /** Pages being scanned, and those that are scanned and may still be read, in order. */
  let submitted: Submitted[] = []
  let read: Submitted[] = []
  /** Pages that had no room when they were given, in order. */
  const waiting: Job[] = []
  let waitingBytes = 0
  let state: 'starting' | 'ready' | 'ended' = 'starting'
  let isLooking = false
  const thread = startThread<never, 'ready', ScanThreadData>(entry, {
    data: { memory, readsTexts },
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

  function submit({ page, options, label, originLength, done }: Job): boolean {
    if (submitted.length + read.length >= MAX_SUBMITTED) return false
    const labelLength = Buffer.byteLength(label)
    const start = ring.take(placeBytes(labelLength, page.length))
    if (start === null) return false
    const place = placeAt(start, labelLength, page.length)
    copyBytes(page, bytes, place.page)
    const { head } = place
    numbers[head + PAGE_LENGTH] = page.length
    numbers[head + LABEL_LENGTH] = labelLength
    numbers[head + ORIGIN_LENGTH] = originLength
    numbers[head + OPTIONS] = options
    if (labelLength > 0) bytes.write(label, place.label)
    submitted.push({ place, done })
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
    for (const { place, done } of read) done(place)
    submitWaiting()
    if (submitted.length + read.length === 0 || isLooking) return
    isLooking = true
    setTimeout(look, LOOK_MS)
  }

  function submitWaiting(): void {
    const left = waiting.findIndex((job) => !submit(job))
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
    for (const { done } of [...submitted.splice(0), ...waiting.splice(0)]) done(null)
  }

  function textFound({ head, digest }: Place): TextFound | null {
    const found = numbers[head + FOUND]!
    if (found === -1) return null
    return { text: found === 0 ? null : Buffer.from(bytes.subarray(digest, digest + TEXT_BYTES)) }
  }

  function give<Answer>(
    question: Pick<Job, 'page' | 'options' | 'label' | 'originLength'>,
    answerAt: (place: Place) => Answer | null,
  ): Promise<Answer | null> | null {
    const { page } = question
    if (state !== 'ready' || page.length > MAX_PAGE_BYTES) return null
    const { promise, resolve } = Promise.withResolvers<Answer | null>()
    const job: Job = { ...question, done: (place) => resolve(place === null ? null : answerAt(place)) }
    if (waiting.length === 0 && submit(job)) return promise
    if (waitingBytes + page.length > MAX_WAITING_BYTES) return null
    waiting.push(job)
    waitingBytes += page.length
    return promise
  }

  return {
    scan(page, options) {
      const folder = options?.folder
      const isInFolder = folder !== undefined && folder.url.length <= MAX_BASE
      const question = {
        page,
        options: wordOf(options) | (isInFolder ? IN_FOLDER : 0),
        label: isInFolder ? folder.url : '',
        originLength: isInFolder ? folder.originLength : 0,
      }
      return give(question, scannedPage)
    },
    text(page, contentType) {
      const label = contentType ?? ''
      if (!readsTexts || label.length > MAX_TYPE) return null
      const options = contentType === undefined ? FOR_TEXT : FOR_TEXT | HAS_TYPE
      return give({ page, options, label, originLength: 0 }, textFound)
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
